import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import type { Database, RootDatabase, RootDatabaseOptionsWithPath } from 'lmdb';
import { identityFolder } from '../storage/data-directory.js';
import { FILE_MODE, FOLDER_MODE } from '../storage/disk.js';
import { PendingWrites } from './pending-writes.js';

export type KeyTable = Database<Buffer, string>;

export interface IdentityDatabase {
  readonly root: RootDatabase;
  readonly keys: KeyTable;
  readonly settings: KeyTable;
  readonly ids: KeyTable;
  readonly timers: KeyTable;
  readonly riskLimits: KeyTable;
  readonly trading: KeyTable;
  readonly releases: KeyTable;
  readonly settlements: KeyTable;
  readonly sessions: KeyTable;
  readonly instruments: KeyTable;
  readonly markets: KeyTable;
  readonly venueKeys: KeyTable;
  /** Its asynchronous writes that are not on disk yet. */
  readonly writes: PendingWrites;
}

/** True when the database of this directory exists. */
export function hasDatabase(dataDir: string): boolean {
  return existsSync(join(identityFolder(dataDir), 'data.mdb'));
}

/**
 * Opens the LMDB environment of the keys. It is separate from the unsynced state: an issued key must survive a power
 * loss. Without overlapping sync, a commit is on disk before a reader can see it. Only the process that holds the claim
 * of the data directory opens it: a second one could lose commits of the first (adr/0095).
 */
export function openDatabase(dataDir: string): IdentityDatabase {
  const path = identityFolder(dataDir);
  mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
  // The type lacks permissionsMode, which lmdb-js supports.
  const options: RootDatabaseOptionsWithPath & { readonly permissionsMode: number } = {
    path,
    permissionsMode: FILE_MODE,
    maxDbs: 16,
    noSubdir: false,
    overlappingSync: false,
  };
  const root = open(options);
  const table = (name: string): KeyTable => root.openDB<Buffer, string>(name, { encoding: 'binary', cache: false });
  const tables = {
    keys: table('keys'),
    settings: table('settings'),
    ids: table('ids'),
    timers: table('timers'),
    riskLimits: table('guardrails'),
    trading: table('trading'),
    releases: table('releases'),
    settlements: table('settlements'),
    sessions: table('sessions'),
    instruments: table('instruments'),
    markets: table('markets'),
    venueKeys: table('venue-keys'),
  };
  return { root, ...tables, writes: new PendingWrites([root, ...Object.values(tables)]) };
}
