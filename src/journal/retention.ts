import {
  FEED_FRAMES_KEPT_MAX,
  FEED_KEPT_MS,
  FIND_HORIZON_MS,
  IDEMPOTENCY_MS,
  RETENTION_BATCH_ROWS,
} from '../model/limits.js';
import type { InstrumentIndex } from '../model/instrument.js';
import { isTerminal, type ParentState } from '../model/order.js';
import type { EpochMs } from '../model/time.js';
import { positionOf } from './observation-row.js';
import { oldOrders, rowsOf } from './old-orders.js';
import { firstInteger, instrumentKey, integersAfter, lastInteger, orderKey } from './row-key.js';
import { RowRemoval, type RowAddress } from './row-removal.js';
import { decodeNumber } from './row-value.js';
import { FIRST_SEGMENT, type SegmentFolder } from './segment-folder.js';
import type { SegmentReader } from './segment-reader.js';
import { putRetired, readRetired, type RetiredBounds, type StateTables } from './state-tables.js';

/** An order and its history are kept so long after its end: what `find`, idempotency and the feeds promise. */
const ENDED_ORDER_KEPT_MS = Math.max(FIND_HORIZON_MS, IDEMPOTENCY_MS, FEED_KEPT_MS);

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
  readonly observations: number;
  readonly segments: number;
}

/**
 * Takes out what nobody may ask for any more, the oldest first: orders that ended long ago with their rows; then the
 * segments that are old, covered by a checkpoint and without an entry of an order that stays; and the frames and
 * observations in them.
 * Rows leave before the segments they point into, so that a crash in between leaves no dangling row.
 */
export async function retain(parts: RetentionParts, nowMs: EpochMs): Promise<RetentionReport> {
  const { tables, folder } = parts;
  const endedBeforeMs = nowMs - ENDED_ORDER_KEPT_MS;
  const bounds = readRetired(tables);
  const afterOrders = { ...bounds, endedBeforeMs: Math.max(bounds.endedBeforeMs, endedBeforeMs) };
  announce(tables, afterOrders);
  const orders = await removeOrders(tables, endedBeforeMs);

  const limit = Math.min(parts.checkpointPosition, oldestNeeded(tables, endedBeforeMs));
  const segments = oldSegments(parts, limit, nowMs - FEED_KEPT_MS);
  const firstKept = folder.numbers().find((number) => !segments.includes(number)) ?? FIRST_SEGMENT;
  const position = Math.max(bounds.position, folder.startOf(firstKept));
  announce(tables, { ...afterOrders, position });
  const frames = await removeFrames(tables, position);
  const observations = await removeObservations(tables, position);
  for (const number of segments) folder.remove(number);
  return { orders, frames, observations, segments: segments.length };
}

/** True when the order has been over for long enough to be forgotten. Never for an open one. */
export function isRetired(state: ParentState, endedBeforeMs: number): boolean {
  return isTerminal(state.status) && state.endedAtMs !== null && state.endedAtMs < endedBeforeMs;
}

/** Before the first row leaves, so that a check never takes it for lost. */
function announce(tables: StateTables, bounds: RetiredBounds): void {
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

/** Position of the first entry of any order that stays and began before the instant; Infinity when there is none. */
function oldestNeeded(tables: StateTables, createdBeforeMs: number): number {
  let oldest = Infinity;
  for (const { order } of [...oldOrders(tables, createdBeforeMs)].flat()) {
    const range = integersAfter(orderKey(order.orderId), 1, Number.MAX_SAFE_INTEGER - 1);
    const [first] = tables.table.by_order.getRange({ ...range, limit: 1 });
    if (first !== undefined) oldest = Math.min(oldest, decodeNumber(first.value));
  }
  return oldest;
}

/** Segments wholly before a position whose entries were all recorded before an instant. */
function oldSegments({ folder, entries }: RetentionParts, limit: number, recordedBeforeMs: number): number[] {
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

/** Removes the frames that lie before a position or are more than a feed keeps. */
async function removeFrames(tables: StateTables, position: number): Promise<number> {
  const removal = new RowRemoval(tables);
  let count = 0;
  // All of them first: no cursor may outlive a removal.
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

/** Removes what was seen of markets before a position; instrument by instrument, for each has its own oldest row. */
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

/** The key of the first instrument that has a row, behind another one. */
function firstInstrument({ table }: StateTables, behind: Buffer | null): Buffer | null {
  const start = instrumentKey(((behind === null ? -1 : firstInteger(behind)) + 1) as InstrumentIndex);
  const [first] = table.tape.getKeys({ start, limit: 1 });
  return first === undefined ? null : instrumentKey(firstInteger(first) as InstrumentIndex);
}

function oldestObservations({ table }: StateTables, instrument: Buffer, position: number): RowAddress[] {
  const range = integersAfter(instrument, 0, Number.MAX_SAFE_INTEGER - 1);
  const rows = [...table.tape.getRange({ ...range, limit: RETENTION_BATCH_ROWS })];
  const young = rows.findIndex((row) => positionOf(row) >= position);
  return (young === -1 ? rows : rows.slice(0, young)).map(({ key }) => ({ table: table.tape, key }));
}
