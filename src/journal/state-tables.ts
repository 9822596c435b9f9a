import { join } from 'node:path';
import { open, type Database, type RootDatabase, type RootDatabaseOptionsWithPath, type Transaction } from 'lmdb';
import { keepCommits } from '../lmdb/kept-commits.js';
import { STATE_MAP_BYTES } from '../model/limits.js';
import { makeFolder } from './data-folder.js';
import { decodeHead, encodeHead, type JournalHead } from './journal-head.js';
import { decodeNumber, encodeNumber } from './row-value.js';

export type Table = Database<Buffer, Buffer>;

/** A transaction that reads go through, when not the thread's own current one. */
export interface Snapshot {
  readonly transaction?: Transaction;
}

/**
 * Key → value
 *
 *   orders        order                          → ParentState
 *   open          account, order                 → present while the order has not ended
 *   by_client_id  account, client order id       → order, digest of the request
 *   by_time       account, created, order        → present
 *   by_order      order, seq                     → journal position
 *   trades        order, child, trade            → journal position
 *   feed          account, topic, venue, n       → journal position
 *   feed_heads    account, topic, venue          → n of the latest frame
 *   tape          instrument, time               → market observation, journal position
 *   meta          one byte                       → schema, head, retention
 */
const TABLE_NAMES = [
  'orders',
  'open',
  'by_client_id',
  'by_time',
  'by_order',
  'trades',
  'feed',
  'feed_heads',
  'tape',
  'meta',
] as const;
export type TableName = (typeof TABLE_NAMES)[number];

/** Everything but `meta`, which also says things that are not in the journal. */
export const EVENT_TABLES = TABLE_NAMES.filter((name) => name !== 'meta');

/** Changes with the meaning of any table: a state of another schema is not trusted but built anew. */
export const STATE_SCHEMA = 1;

export const STATE_FILE = 'data.mdb';

const HEAD = Buffer.from([1]);
const RETIRED_BEFORE = Buffer.from([2]);
const RETIRED_POSITION = Buffer.from([3]);

export interface StateTables {
  readonly root: RootDatabase<Buffer, Buffer>;
  readonly path: string;
  readonly table: Readonly<Record<TableName, Table>>;
}

/** Opens the environment; the threads of one process share it. Throws what LMDB throws when it cannot be read. */
export function openStateTables(path: string, { readOnly = false }: { readonly readOnly?: boolean } = {}): StateTables {
  if (!readOnly) makeFolder(path);
  // The type leaves permissionsMode out, which lmdb-js knows.
  const options: RootDatabaseOptionsWithPath & { readonly permissionsMode: number } = {
    path,
    readOnly,
    permissionsMode: 0o600,
    // The journal is what is synced: LMDB may lag behind it, and is not trusted after a power loss.
    noSync: true,
    noSubdir: false,
    noMemInit: true,
    maxDbs: TABLE_NAMES.length,
    mapSize: STATE_MAP_BYTES,
    encoding: 'binary',
    keyEncoding: 'binary',
  };
  const root = open<Buffer, Buffer>(options);
  const table = Object.fromEntries(
    TABLE_NAMES.map((name) => [name, root.openDB<Buffer, Buffer>(name, { encoding: 'binary', keyEncoding: 'binary' })]),
  ) as Record<TableName, Table>;
  // Commands such as a backup open it while the service writes to it.
  if (!readOnly) keepCommits(path, [root]);
  return { root, path, table };
}

/** Makes reads see the last commit, which another process can hide when it opens the environment. */
export function checkCommits({ root }: StateTables): void {
  root.transactionSync(() => undefined);
}

export function stateFile(path: string): string {
  return join(path, STATE_FILE);
}

export function readHead({ table }: StateTables, snapshot: Snapshot = {}): JournalHead | null {
  const bytes = table.meta.get(HEAD, snapshot);
  return bytes === undefined ? null : decodeHead(bytes);
}

/** In a transaction. */
export function putHead({ table }: StateTables, head: JournalHead): void {
  table.meta.putSync(HEAD, encodeHead(head));
}

/** What retention has taken out so far: orders that ended before an instant, and feed rows before a position. */
export interface RetiredBounds {
  readonly endedBeforeMs: number;
  readonly position: number;
}

export function readRetired({ table }: StateTables, snapshot: Snapshot = {}): RetiredBounds {
  const endedBefore = table.meta.get(RETIRED_BEFORE, snapshot);
  const position = table.meta.get(RETIRED_POSITION, snapshot);
  return {
    endedBeforeMs: endedBefore === undefined ? 0 : decodeNumber(endedBefore),
    position: position === undefined ? 0 : decodeNumber(position),
  };
}

/** In a transaction. */
export function putRetired({ table }: StateTables, bounds: RetiredBounds): void {
  table.meta.putSync(RETIRED_BEFORE, encodeNumber(bounds.endedBeforeMs));
  table.meta.putSync(RETIRED_POSITION, encodeNumber(bounds.position));
}
