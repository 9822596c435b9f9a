import { join } from 'node:path';
import { type Database, open, type RootDatabase, type RootDatabaseOptionsWithPath } from 'lmdb';
import { STATE_MAP_BYTES, STORE_TABLES_COUNT_MAX, UPGRADE_BATCH_ROWS } from '../../domain/limits/process.js';
import { FILE_MODE, type Disk } from '../disk.js';
import type { DataFormat, StoredRow, StoreName } from './format-steps.js';

const DATA_FILE = 'data.mdb';
const LOCK_FILE = 'lock.mdb';
/** LMDB ends the name of a table with a zero byte. */
const NAME_END = 0;

type Table = Database<Buffer, Buffer>;

interface StoreCopy {
  readonly store: StoreName;
  /** Format of the rows in `source`. */
  readonly from: number;
  readonly format: DataFormat;
  /** Folder of an environment that nothing writes to. */
  readonly source: string;
  /** Missing, or the rest of an earlier copy. */
  readonly target: string;
  readonly disk: Disk;
}

/**
 * Copies a store row by row in the form of a later format. The source does not change. The copy is complete and synced
 * when the call returns, but its name is not synced. Each transaction has a bounded number of rows.
 */
export function copyStore({ store, from, format, source, target, disk }: StoreCopy): void {
  disk.removeTree(target);
  disk.makeFolder(target);
  const old = openRaw(source, true);
  const copy = openRaw(target, false);
  const tables = new Map<string, Table>([['', copy]]);
  const tableOf = (name: string): Table => {
    const table = tables.get(name) ?? openTable(copy, name);
    tables.set(name, table);
    return table;
  };
  try {
    for (const batch of batches(old, store)) {
      const rows = batch.flatMap((row) => format.liftRow(store, from, row));
      // A table is opened outside a transaction.
      for (const { table } of rows) tableOf(table);
      copy.transactionSync(() => {
        for (const { table, key, value } of rows) tableOf(table).putSync(key, value);
      });
    }
  } finally {
    void old.close();
    void copy.close();
  }
  disk.removeTree(join(target, LOCK_FILE));
  disk.sync(join(target, DATA_FILE));
  disk.sync(target);
}

/** All rows in batches, table by table. The store of the simulated exchanges has no named table. */
function* batches(root: RootDatabase<Buffer, Buffer>, store: StoreName): Generator<StoredRow[]> {
  if (store === 'venue') return yield* batchesOf(root, '');
  const names = [...root.getKeys()].map((key) => key.toString('utf8', 0, key.indexOf(NAME_END)));
  for (const name of names) yield* batchesOf(openTable(root, name), name);
}

/** No cursor stays open between batches. */
function* batchesOf(table: Table, name: string): Generator<StoredRow[]> {
  let after: Buffer | null = null;
  for (;;) {
    const range = after === null ? {} : { start: after, exclusiveStart: true };
    const rows: StoredRow[] = [];
    for (const { key, value } of table.getRange({ ...range, limit: UPGRADE_BATCH_ROWS })) {
      rows.push({ table: name, key: Buffer.from(key), value: Buffer.from(value) });
    }
    if (rows.length > 0) yield rows;
    if (rows.length < UPGRADE_BATCH_ROWS) return;
    after = rows.at(-1)!.key;
  }
}

function openTable(root: RootDatabase<Buffer, Buffer>, name: string): Table {
  return root.openDB<Buffer, Buffer>(name, { encoding: 'binary', keyEncoding: 'binary' });
}

/** Opens an environment so that keys and values are the stored bytes. */
function openRaw(path: string, readOnly: boolean): RootDatabase<Buffer, Buffer> {
  // The type lacks permissionsMode, which lmdb-js supports.
  const options: RootDatabaseOptionsWithPath & { readonly permissionsMode: number } = {
    path,
    readOnly,
    permissionsMode: FILE_MODE,
    // The file is synced once, at the end.
    noSync: true,
    noSubdir: false,
    maxDbs: STORE_TABLES_COUNT_MAX,
    mapSize: STATE_MAP_BYTES,
    encoding: 'binary',
    keyEncoding: 'binary',
  };
  return open<Buffer, Buffer>(options);
}
