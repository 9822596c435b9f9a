import { mkdirSync } from 'node:fs';
import { type Database, open, type RootDatabase } from 'lmdb';

/** Table (empty: no named table), key and value in hexadecimal. */
export type RawRow = readonly [table: string, key: string, value: string];

const BINARY = { encoding: 'binary', keyEncoding: 'binary' } as const;
const TABLES_MAX = 32;

function openRaw(path: string): RootDatabase<Buffer, Buffer> {
  return open<Buffer, Buffer>({ path, noSubdir: false, maxDbs: TABLES_MAX, ...BINARY });
}

/** All rows of a store, in the order of tables and keys. */
export async function readRows(path: string, hasTables: boolean): Promise<RawRow[]> {
  const root = openRaw(path);
  const names = hasTables ? [...root.getKeys()].map((key) => key.toString('utf8', 0, key.indexOf(0))) : [''];
  const rows = names.flatMap((name) => {
    const table: Database<Buffer, Buffer> = name === '' ? root : root.openDB<Buffer, Buffer>(name, BINARY);
    return [...table.getRange({})].map(({ key, value }): RawRow => [name, key.toString('hex'), value.toString('hex')]);
  });
  await root.close();
  return rows;
}

export async function writeRows(path: string, rows: readonly RawRow[]): Promise<void> {
  mkdirSync(path, { recursive: true });
  const root = openRaw(path);
  for (const [name, key, value] of rows) {
    const table = name === '' ? root : root.openDB<Buffer, Buffer>(name, BINARY);
    table.putSync(Buffer.from(key, 'hex'), Buffer.from(value, 'hex'));
  }
  await root.close();
}
