import { join } from 'node:path';
import { type Database, open, type RootDatabase, type RootDatabaseOptionsWithPath, type Transaction } from 'lmdb';
import type { Seq } from '../../domain/ids.js';
import { STATE_MAP_BYTES } from '../../domain/limits/process.js';
import type { EpochMs } from '../../domain/time.js';
import { makeFolder } from '../../storage/data-directory.js';
import { isEnvironmentFile } from '../../storage/environment-file.js';
import { decodeNumber, encodeNumber } from './rows.js';

export type Table = Database<Buffer, Buffer>;

/** The transaction of a read. Default: the thread's current one. */
export interface Snapshot {
  readonly transaction?: Transaction;
}

/**
 * Key → value
 *
 *   orders        order                          → places of the latest events, ParentState
 *   open          account, created, order        → present while the order has not ended
 *   ended         account, created, order        → present after its end
 *   by_client_id  account, client order id       → order, digest of the request
 *   by_order      order, seq                     → places of 32 events from this seq on
 *   trades        order, child, trade            → journal position
 *   feed          account, topic, venue, n       → journal positions of 64 frames from this one on
 *   feed_heads    account, topic, venue          → n of the latest frame, positions of the frames that `feed` lacks
 *   quotes        instrument, time               → market observation, journal position
 *   carried       journal position               → event of a removed segment
 *   meta          one byte                       → head, bounds of retention
 */
const TABLE_NAMES = [
  'orders',
  'open',
  'ended',
  'by_client_id',
  'by_order',
  'trades',
  'feed',
  'feed_heads',
  'quotes',
  'carried',
  'meta',
] as const;
export type TableName = (typeof TABLE_NAMES)[number];

/** The tables that a replay of the journal writes. */
export const EVENT_TABLES = TABLE_NAMES.filter((name) => name !== 'meta' && name !== 'carried');

export const STATE_FILE = 'data.mdb';

const HEAD = Buffer.from([1]);
const RETIRED_BEFORE = Buffer.from([2]);
const RETIRED_POSITION = Buffer.from([3]);
const CARRIED_TO = Buffer.from([4]);

export interface StateTables {
  readonly root: RootDatabase<Buffer, Buffer>;
  readonly path: string;
  readonly table: Readonly<Record<TableName, Table>>;
}

interface OpenOptions {
  readonly readOnly?: boolean;
  /** The folder that messages name: that of the state of which `path` has a copy. Default: `path`. */
  readonly copyOf?: string;
  /** Called before the first write: the open creates missing tables. */
  readonly beforeWrites?: (root: RootDatabase<Buffer, Buffer>) => void;
}

/**
 * Opens the environment. The threads of one process share it. Throws LMDB's error when it cannot be read, and an error
 * for the operator when a reader finds no complete state.
 */
export function openStateTables(
  path: string,
  { readOnly = false, copyOf = path, beforeWrites }: OpenOptions = {},
): StateTables {
  if (!readOnly) makeFolder(path);
  // LMDB ends the process when it reads a file that is empty or has other bytes.
  else if (!isEnvironmentFile(stateFile(path))) throw new Error(withoutState(copyOf));
  // The type lacks permissionsMode, which lmdb-js supports.
  const options: RootDatabaseOptionsWithPath & { readonly permissionsMode: number } = {
    path,
    readOnly,
    permissionsMode: 0o600,
    // The journal is synced, LMDB is not. After a power loss only its last sync point is trusted.
    noSync: true,
    noSubdir: false,
    noMemInit: true,
    maxDbs: TABLE_NAMES.length,
    mapSize: STATE_MAP_BYTES,
    encoding: 'binary',
    keyEncoding: 'binary',
  };
  const root = open<Buffer, Buffer>(options);
  beforeWrites?.(root);
  const table = Object.fromEntries(
    TABLE_NAMES.map((name) => [name, root.openDB<Buffer, Buffer>(name, { encoding: 'binary', keyEncoding: 'binary' })]),
  ) as Record<TableName, Table>;
  // A reader gets undefined for a missing table. A power loss may leave a state without any.
  if (!Object.values<Table | undefined>(table).some(Boolean)) {
    void root.close();
    throw new Error(withoutState(copyOf));
  }
  return { root, path, table };
}

function withoutState(path: string): string {
  return `${path} has no complete state; the next start of the service builds it from the journal`;
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

/**
 * Bounds of the data that retention has removed: orders that ended before an instant, and feed rows before a
 * position.
 */
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

/** `carried` has the entries of remaining orders before this position. */
export function readCarriedTo({ table }: StateTables, snapshot: Snapshot = {}): number {
  const bytes = table.meta.get(CARRIED_TO, snapshot);
  return bytes === undefined ? 0 : decodeNumber(bytes);
}

/** In a transaction. */
export function putCarriedTo({ table }: StateTables, position: number): void {
  table.meta.putSync(CARRIED_TO, encodeNumber(position));
}

/** The state's position in the journal: one row, written in the transaction of every turn. */
export interface JournalHead {
  /** Last event in the state; 0 without events. */
  readonly lastSeq: Seq | 0;
  /** Position after it. */
  readonly end: number;
  /** First event of the last turn, and its position. A start reads this turn again to check that it is on the disk. */
  readonly turnSeq: number;
  readonly turnPosition: number;
  /** recordedAtMs of the last event; 0 without events. */
  readonly recordedAtMs: EpochMs;
}

const FIELD_BYTES = 8;
const HEAD_BYTES = 5 * FIELD_BYTES;

/** A journal without an event begins at the start of its first segment. */
export function emptyHead(start: number): JournalHead {
  return { lastSeq: 0, end: start, turnSeq: 1, turnPosition: start, recordedAtMs: 0 as EpochMs };
}

function encodeHead(head: JournalHead): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES);
  const fields = [head.lastSeq, head.end, head.turnSeq, head.turnPosition, head.recordedAtMs];
  for (const [index, field] of fields.entries()) bytes.writeDoubleLE(field, index * FIELD_BYTES);
  return bytes;
}

function decodeHead(bytes: Buffer): JournalHead {
  const field = (index: number): number => bytes.readDoubleLE(index * FIELD_BYTES);
  return {
    lastSeq: field(0) as Seq,
    end: field(1),
    turnSeq: field(2),
    turnPosition: field(3),
    recordedAtMs: field(4) as EpochMs,
  };
}
