import {
  FEED_FRAMES_KEPT_MAX,
  FEED_KEPT_MS,
  FIND_HORIZON_MS,
  IDEMPOTENCY_MS,
  RETENTION_BATCH_ROWS,
} from '../model/limits.js';
import { isTerminal, type ParentState } from '../model/order.js';
import type { EpochMs } from '../model/time.js';
import { decodeState } from '../wire/codec/index.js';
import { accountTimeKey, clientIdKey, lastInteger, orderKey, withInteger } from './row-key.js';
import { decodeClientIdEntry, decodeNumber } from './row-value.js';
import { FIRST_SEGMENT, type SegmentFolder } from './segment-folder.js';
import type { SegmentReader } from './segment-reader.js';
import { putRetired, readRetired, type StateTables, type Table } from './state-tables.js';

/** An order and its history are kept so long after its end: what `find`, idempotency and the feeds promise. */
export const ENDED_ORDER_KEPT_MS = Math.max(FIND_HORIZON_MS, IDEMPOTENCY_MS, FEED_KEPT_MS);

export interface RetentionParts {
  readonly tables: StateTables;
  readonly folder: SegmentFolder;
  readonly entries: SegmentReader;
  /** Where replay from the oldest kept checkpoint begins: no segment from there on may leave. */
  readonly checkpointPosition: number;
}

export interface RetentionReport {
  readonly orders: number;
  readonly frames: number;
  readonly segments: number;
}

type Row = readonly [Table, Buffer];

/**
 * Takes out what nobody may ask for any more, the oldest first: orders that ended long ago with their rows; then the
 * segments that are old, covered by a checkpoint and without an entry of an order that stays; and the frames in them.
 * Rows leave before the segments they point into, so that a crash in between leaves no dangling row.
 */
export function retain(
  { tables, folder, entries, checkpointPosition }: RetentionParts,
  nowMs: EpochMs,
): RetentionReport {
  const endedBeforeMs = nowMs - ENDED_ORDER_KEPT_MS;
  const retired = retiredOrders(tables, endedBeforeMs);
  const bounds = readRetired(tables);
  tables.root.transactionSync(() => {
    putRetired(tables, { ...bounds, endedBeforeMs: Math.max(bounds.endedBeforeMs, endedBeforeMs) });
  });
  for (const state of retired) removeRows(tables, rowsOf(tables, state));

  const limit = Math.min(checkpointPosition, oldestNeeded(tables, endedBeforeMs));
  const segments = oldSegments(folder, entries, limit, nowMs - FEED_KEPT_MS);
  const firstKept = folder.numbers().find((number) => !segments.includes(number)) ?? FIRST_SEGMENT;
  const position = Math.max(bounds.position, folder.startOf(firstKept));
  tables.root.transactionSync(() => {
    putRetired(tables, { ...readRetired(tables), position });
  });
  const frames = oldFrames(tables, position);
  removeRows(tables, frames);
  for (const number of segments) folder.remove(number);
  return { orders: retired.length, frames: frames.length, segments: segments.length };
}

function retiredOrders({ table }: StateTables, endedBeforeMs: number): ParentState[] {
  return [...oldOrders(table.orders, endedBeforeMs)].filter((state) => isRetired(state, endedBeforeMs));
}

/** True when the order has been over for long enough to be forgotten. Never for an open one. */
export function isRetired(state: ParentState, endedBeforeMs: number): boolean {
  return isTerminal(state.status) && state.endedAtMs !== null && state.endedAtMs < endedBeforeMs;
}

/** Orders that were created before an instant; order ids increase in time, so the walk ends early. */
function* oldOrders(orders: Table, createdBeforeMs: number): Generator<ParentState> {
  for (const { value } of orders.getRange({})) {
    const state = decodeState(value);
    if (state.order.createdAtMs >= createdBeforeMs) return;
    yield state;
  }
}

function rowsOf({ table }: StateTables, { order }: ParentState): Row[] {
  const { orderId, account, clientOrderId, createdAtMs } = order;
  const key = orderKey(orderId);
  const ofOrder = { start: key, end: withInteger(key, Number.MAX_SAFE_INTEGER) };
  const rows: Row[] = [
    ...[...table.by_order.getKeys(ofOrder)].map((row): Row => [table.by_order, row]),
    ...[...table.trades.getKeys(ofOrder)].map((row): Row => [table.trades, row]),
    [table.by_time, accountTimeKey(account, createdAtMs, orderId)],
    [table.orders, key],
  ];
  if (clientOrderId === null) return rows;
  const clientKey = clientIdKey(account, clientOrderId);
  const entry = table.by_client_id.get(clientKey);
  // The client may have used the id again for another order since.
  if (entry !== undefined && decodeClientIdEntry(entry).orderId === orderId) rows.push([table.by_client_id, clientKey]);
  return rows;
}

/** Position of the first entry of any order that stays and began before the instant; Infinity when there is none. */
function oldestNeeded({ table }: StateTables, createdBeforeMs: number): number {
  let oldest = Infinity;
  for (const { order } of oldOrders(table.orders, createdBeforeMs)) {
    const key = orderKey(order.orderId);
    const [first] = table.by_order.getRange({ start: key, end: withInteger(key, Number.MAX_SAFE_INTEGER), limit: 1 });
    if (first !== undefined) oldest = Math.min(oldest, decodeNumber(first.value));
  }
  return oldest;
}

/** Segments wholly before a position whose entries were all recorded before an instant. */
function oldSegments(folder: SegmentFolder, entries: SegmentReader, limit: number, recordedBeforeMs: number): number[] {
  const old: number[] = [];
  for (const number of folder.numbers()) {
    if (folder.startOf(number + 1) > limit) break;
    // A segment's last entry is no younger than the first one of the next.
    const next = entries.readFirst(number + 1);
    if (next === null || next.recordedAtMs >= recordedBeforeMs) break;
    old.push(number);
  }
  return old;
}

/** Rows of frames that lie before a position or are more than a feed keeps. */
function oldFrames({ table }: StateTables, position: number): Row[] {
  return [...table.feed_heads.getRange({})].flatMap(({ key: feed, value: head }) => {
    const excessTo = decodeNumber(head) - FEED_FRAMES_KEPT_MAX;
    const rows: Row[] = [];
    for (const { key, value } of table.feed.getRange({
      start: withInteger(feed, 1),
      end: withInteger(feed, Number.MAX_SAFE_INTEGER),
    })) {
      if (decodeNumber(value) >= position && lastInteger(key) > excessTo) break;
      rows.push([table.feed, key]);
    }
    return rows;
  });
}

/** In small transactions, for the shards wait meanwhile. */
function removeRows({ root }: StateTables, rows: readonly Row[]): void {
  for (let from = 0; from < rows.length; from += RETENTION_BATCH_ROWS) {
    root.transactionSync(() => {
      for (const [table, key] of rows.slice(from, from + RETENTION_BATCH_ROWS)) table.removeSync(key);
    });
  }
}
