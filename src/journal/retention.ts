import type { InstrumentIndex } from '../domain/instrument.js';
import { FEED_FRAMES_KEPT_MAX, FEED_KEPT_MS, FIND_HORIZON_MS } from '../domain/limits/clients.js';
import { IDEMPOTENCY_MS } from '../domain/limits/trading.js';
import { RETENTION_BATCH_ROWS, RETENTION_PAGE_ORDERS, RETENTION_PAUSE_MS } from '../domain/limits/process.js';
import { isTerminal } from '../domain/order.js';
import { type ParentState } from '../domain/order-state.js';
import type { EpochMs } from '../domain/time.js';
import { decodeState } from '../wire/codec/state.js';
import type { SegmentReader } from './segment-reader.js';
import { FIRST_SEGMENT, type SegmentFolder } from './segments.js';
import {
  accountTimeKey,
  clientIdKey,
  decodeClientIdEntry,
  decodeNumber,
  firstInteger,
  instrumentKey,
  integersAfter,
  lastInteger,
  orderKey,
  positionOf,
} from './state/rows.js';
import { putRetired, readRetired, type RetiredBounds, type StateTables, type Table } from './state/state-tables.js';

/**
 * How long an order and its history are stored after its end: the longest promise of `find`, idempotency and the
 * feeds.
 */
const ENDED_ORDER_KEPT_MS = Math.max(FIND_HORIZON_MS, IDEMPOTENCY_MS, FEED_KEPT_MS);

interface RetentionParts {
  readonly tables: StateTables;
  readonly folder: SegmentFolder;
  readonly entries: SegmentReader;
  /** Replay from the oldest checkpoint begins here. Segments from here on are not removed. */
  readonly checkpointPosition: number;
}

interface RetentionReport {
  readonly orders: number;
  readonly frames: number;
  readonly observations: number;
  readonly segments: number;
}

/**
 * Removes data that no request may ask for, in three steps:
 *
 *   1. orders that ended long ago, with their rows
 *   2. frames and observations of old segments
 *   3. old segments: covered by a checkpoint and without an entry of a remaining order
 *
 * Rows are removed before the segments they point into, so a crash in between leaves no dangling row.
 */
export async function retain(parts: RetentionParts, nowMs: EpochMs): Promise<RetentionReport> {
  const { tables, folder } = parts;
  const endedBeforeMs = nowMs - ENDED_ORDER_KEPT_MS;
  const bounds = readRetired(tables);
  const afterOrders = { ...bounds, endedBeforeMs: Math.max(bounds.endedBeforeMs, endedBeforeMs) };
  recordBounds(tables, afterOrders);
  const orders = await removeOrders(tables, endedBeforeMs);

  const limit = Math.min(parts.checkpointPosition, oldestNeeded(tables, endedBeforeMs));
  const segments = oldSegments(parts, limit, nowMs - FEED_KEPT_MS);
  const firstKept = folder.numbers().find((number) => !segments.includes(number)) ?? FIRST_SEGMENT;
  const position = Math.max(bounds.position, folder.startOf(firstKept));
  recordBounds(tables, { ...afterOrders, position });
  const frames = await removeFrames(tables, position);
  const observations = await removeObservations(tables, position);
  for (const number of segments) folder.remove(number);
  return { orders, frames, observations, segments: segments.length };
}

/** True when the order ended before the instant. False for an open order. */
export function isRetired(state: ParentState, endedBeforeMs: number): boolean {
  return isTerminal(state.status) && state.endedAtMs !== null && state.endedAtMs < endedBeforeMs;
}

/** Stores the bounds before the first removal, so that a verification does not report the rows as lost. */
function recordBounds(tables: StateTables, bounds: RetiredBounds): void {
  tables.root.transactionSync(() => putRetired(tables, bounds));
}

async function removeOrders(tables: StateTables, endedBeforeMs: number): Promise<number> {
  const removal = new RowRemoval(tables);
  let count = 0;
  for (const page of oldOrders(tables, endedBeforeMs)) {
    const retired = page.filter((state) => isRetired(state, endedBeforeMs));
    await removal.remove(retired.flatMap((state) => rowsOf(tables, state)));
    count += retired.length;
  }
  return count;
}

/** Position of the first entry of any remaining order created before the instant. Infinity without such an order. */
function oldestNeeded(tables: StateTables, createdBeforeMs: number): number {
  let oldest = Infinity;
  for (const { order } of [...oldOrders(tables, createdBeforeMs)].flat()) {
    const range = integersAfter(orderKey(order.orderId), 1, Number.MAX_SAFE_INTEGER - 1);
    const [first] = tables.table.by_order.getRange({ ...range, limit: 1 });
    if (first !== undefined) oldest = Math.min(oldest, decodeNumber(first.value));
  }
  return oldest;
}

/** Segments that end before a position and whose entries were all recorded before an instant. */
function oldSegments({ folder, entries }: RetentionParts, limit: number, recordedBeforeMs: number): number[] {
  const old: number[] = [];
  for (const number of folder.numbers()) {
    if (folder.startOf(number + 1) > limit) break;
    // The last entry of a segment is not newer than the first entry of the next one.
    const next = entries.readFirst(number + 1);
    if (next === null || next.recordedAtMs >= recordedBeforeMs) break;
    old.push(number);
  }
  return old;
}

/** Removes frames before a position, and frames beyond the maximum of a feed. */
async function removeFrames(tables: StateTables, position: number): Promise<number> {
  const removal = new RowRemoval(tables);
  let count = 0;
  // Reads all feeds first: no cursor may stay open during a removal.
  const feeds = [...tables.table.feed_heads.getRange({})];
  for (const { key, value } of feeds) {
    const excessTo = decodeNumber(value) - FEED_FRAMES_KEPT_MAX;
    for (;;) {
      const old = oldestFrames(tables, key, position, excessTo);
      await removal.remove(old);
      count += old.length;
      if (old.length < RETENTION_BATCH_ROWS) break;
    }
  }
  return count;
}

function oldestFrames({ table }: StateTables, feed: Buffer, position: number, excessTo: number): RowAddress[] {
  const old: RowAddress[] = [];
  const range = integersAfter(feed, 1, Number.MAX_SAFE_INTEGER - 1);
  for (const { key, value } of table.feed.getRange({ ...range, limit: RETENTION_BATCH_ROWS })) {
    if (decodeNumber(value) >= position && lastInteger(key) > excessTo) break;
    old.push({ table: table.feed, key });
  }
  return old;
}

/** Removes observations before a position, instrument by instrument, because each has its own oldest row. */
async function removeObservations(tables: StateTables, position: number): Promise<number> {
  const removal = new RowRemoval(tables);
  let count = 0;
  let instrument: Buffer | null = firstInstrument(tables, null);
  while (instrument !== null) {
    const old = oldestObservations(tables, instrument, position);
    await removal.remove(old);
    count += old.length;
    if (old.length < RETENTION_BATCH_ROWS) instrument = firstInstrument(tables, instrument);
  }
  return count;
}

/** Key of the first instrument with a row, after another instrument. */
function firstInstrument({ table }: StateTables, after: Buffer | null): Buffer | null {
  const start = instrumentKey(((after === null ? -1 : firstInteger(after)) + 1) as InstrumentIndex);
  const [first] = table.quotes.getKeys({ start, limit: 1 });
  return first === undefined ? null : instrumentKey(firstInteger(first) as InstrumentIndex);
}

function oldestObservations({ table }: StateTables, instrument: Buffer, position: number): RowAddress[] {
  const range = integersAfter(instrument, 0, Number.MAX_SAFE_INTEGER - 1);
  const rows = [...table.quotes.getRange({ ...range, limit: RETENTION_BATCH_ROWS })];
  const young = rows.findIndex((row) => positionOf(row) >= position);
  return (young === -1 ? rows : rows.slice(0, young)).map(({ key }) => ({ table: table.quotes, key }));
}

const FIRST_KEY = Buffer.alloc(8);

/**
 * Orders created before an instant, in pages. No cursor stays open between pages, so the caller may remove rows.
 * Order ids increase in time, so the walk ends at the first newer order.
 */
function* oldOrders({ table }: StateTables, createdBeforeMs: number): Generator<ParentState[]> {
  let start: Buffer = FIRST_KEY;
  for (;;) {
    const rows = [...table.orders.getRange({ start, exclusiveStart: true, limit: RETENTION_PAGE_ORDERS })];
    const states = rows.map(({ value }) => decodeState(value));
    const young = states.findIndex(({ order }) => order.createdAtMs >= createdBeforeMs);
    yield young === -1 ? states : states.slice(0, young);
    const last = rows.at(-1);
    if (young !== -1 || last === undefined) return;
    start = last.key;
  }
}

/** Every row of an order except its frames. These are removed with their segment. */
function rowsOf({ table }: StateTables, { order }: ParentState): RowAddress[] {
  const { orderId, account, clientOrderId, createdAtMs } = order;
  const key = orderKey(orderId);
  const rows: RowAddress[] = [
    ...rowsWithPrefix(table.by_order, key),
    ...rowsWithPrefix(table.trades, key),
    { table: table.by_time, key: accountTimeKey(account, createdAtMs, orderId) },
    { table: table.orders, key },
  ];
  if (clientOrderId === null) return rows;
  const clientKey = clientIdKey(account, clientOrderId);
  const entry = table.by_client_id.get(clientKey);
  // The client may have used the id again for another order.
  const isOwn = entry !== undefined && decodeClientIdEntry(entry).orderId === orderId;
  return isOwn ? [...rows, { table: table.by_client_id, key: clientKey }] : rows;
}

function rowsWithPrefix(table: Table, prefix: Buffer): RowAddress[] {
  const range = integersAfter(prefix, 1, Number.MAX_SAFE_INTEGER - 1);
  return [...table.getKeys(range)].map((key) => ({ table, key }));
}

interface RowAddress {
  readonly table: Table;
  readonly key: Buffer;
}

/**
 * Removes rows in small transactions with a pause after each, because the projector needs the same lock.
 */
class RowRemoval {
  readonly #root: StateTables['root'];

  constructor({ root }: StateTables) {
    this.#root = root;
  }

  async remove(rows: readonly RowAddress[]): Promise<void> {
    for (let from = 0; from < rows.length; from += RETENTION_BATCH_ROWS) {
      this.#root.transactionSync(() => {
        for (const { table, key } of rows.slice(from, from + RETENTION_BATCH_ROWS)) table.removeSync(key);
      });
      await new Promise((resolve) => {
        setTimeout(resolve, RETENTION_PAUSE_MS);
      });
    }
  }
}
