import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open, type Database, type RootDatabase } from 'lmdb';
import { onTestFinished } from 'vitest';
import { keepCommits } from '../../src/storage/kept-commits.js';

const ROW_BYTES = 4_000;

interface CheckedEnvironment {
  readonly path: string;
  readonly root: RootDatabase<Buffer, string>;
  readonly table: Database<Buffer, string>;
  readonly repairCount: () => number;
}

/** An environment with checked writes: synced as the identity store, or not synced as the state. */
export function checkedEnvironment(noSync: boolean): CheckedEnvironment {
  const path = mkdtempSync(join(tmpdir(), 'sluice-lmdb-'));
  const root = open<Buffer, string>({ path, maxDbs: 4, noSubdir: false, overlappingSync: false, noSync });
  const table = root.openDB<Buffer, string>('t', { encoding: 'binary', cache: false });
  const commits = keepCommits(path, [root, table]);
  onTestFinished(async () => {
    await root.close();
    rmSync(path, { recursive: true, force: true });
  });
  return { path, root, table, repairCount: () => commits.repairCount };
}

export function rowOf(n: number): Buffer {
  const row = Buffer.alloc(ROW_BYTES);
  row.writeUInt32BE(n);
  return row;
}

export function numberIn(table: Database<Buffer, string>, key: string): number {
  return table.get(key)?.readUInt32BE(0) ?? 0;
}
