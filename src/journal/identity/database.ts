import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import type { Database, RootDatabase, RootDatabaseOptionsWithPath } from 'lmdb';
import { keepCommits } from '../../lmdb/kept-commits.js';
import { FILE_MODE, FOLDER_MODE } from '../disk.js';

export type Table = Database<Buffer, string>;

export interface IdentityDatabase {
  readonly root: RootDatabase;
  readonly keys: Table;
  readonly settings: Table;
  readonly ids: Table;
  readonly switches: Table;
  readonly guardrails: Table;
  readonly trading: Table;
  readonly releases: Table;
}

const IDENTITY_FOLDER = 'identity';

/** True once somebody has opened the database of this directory. */
export function hasDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, IDENTITY_FOLDER, 'data.mdb'));
}

/**
 * An LMDB environment of its own, apart from the unsynced state: a key that was handed out must survive a power loss.
 * Without overlapping sync a commit is on the disk before any reader, of this process or another, can see it.
 */
export function openDatabase(dataDir: string): IdentityDatabase {
  const path = join(dataDir, IDENTITY_FOLDER);
  mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
  // The type leaves permissionsMode out, which lmdb-js knows.
  const options: RootDatabaseOptionsWithPath & { readonly permissionsMode: number } = {
    path,
    permissionsMode: FILE_MODE,
    maxDbs: 16,
    noSubdir: false,
    overlappingSync: false,
  };
  const root = open(options);
  const table = (name: string): Table => root.openDB<Buffer, string>(name, { encoding: 'binary', cache: false });
  const tables = {
    keys: table('keys'),
    settings: table('settings'),
    ids: table('ids'),
    switches: table('switches'),
    guardrails: table('guardrails'),
    trading: table('trading'),
    releases: table('releases'),
  };
  // The service and the operator's commands write to it at the same time.
  keepCommits(path, [root, ...Object.values(tables)]);
  root.transactionSync(() => undefined);
  return { root, ...tables };
}
