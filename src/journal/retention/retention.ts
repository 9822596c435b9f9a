import type { InstrumentIndex } from '../../domain/instrument.js';
import { FEED_FRAMES_KEPT_MAX, FEED_KEPT_MS, FIND_HORIZON_MS } from '../../domain/limits/clients.js';
import { IDEMPOTENCY_MS, QUOTE_HOLD_MS } from '../../domain/limits/trading.js';
import { RETENTION_BATCH_ROWS } from '../../domain/limits/process.js';
import type { EpochMs } from '../../domain/time.js';
import type { SegmentReader } from '../segment-reader.js';
import { FIRST_SEGMENT, type SegmentFolder } from '../segments.js';
import { type FrameBounds, framesInHead, FRAMES_PER_ROW, isOldRow } from '../state/feed-rows.js';
import { firstInteger, instrumentKey, integersAfter, lastInteger, positionOf } from '../state/rows.js';
import { putRetired, readCarriedTo, readRetired, type RetiredBounds, type StateTables } from '../state/state-tables.js';
import { carrySegment } from './carried-entries.js';
import { OldOrders } from './old-orders.js';
import { removeRows, type RowAddress } from './row-removal.js';

/**
 * How long an order and its history are stored after its end: the longest promise of `find`, idempotency and the
 * feeds.
 */
export const ENDED_ORDER_KEPT_MS = Math.max(FIND_HORIZON_MS, IDEMPOTENCY_MS, FEED_KEPT_MS);

interface RetentionParts {
  readonly tables: StateTables;
  readonly folder: SegmentFolder;
  readonly entries: SegmentReader;
}

/** What the sync point and all kept checkpoints cover. */
export interface Coverage {
  /** A replay begins here or later. Segments from here on are not removed. */
  readonly replayFrom: number;
  /** All of them contain the carried entries of the segments before this position. */
  readonly carriedTo: number;
}

interface RetentionReport {
  readonly orders: number;
  readonly frames: number;
  readonly observations: number;
  readonly carried: number;
  readonly segments: number;
}

/**
 * Removes data that no request may ask for:
 *
 *   1. orders that ended long ago, with their rows
 *   2. carries the entries of remaining orders from old segments into the state
 *   3. frames and observations of old segments
 *   4. old segments: a sync point and all checkpoints contain their carried entries
 *
 * Rows are removed before the segments they point into, so a crash in between leaves no dangling row.
 */
export class Retention {
  readonly #parts: RetentionParts;
  readonly #orders: OldOrders;
  /** Segments without an entry of a remaining order: no checkpoint needs to contain anything of them. */
  readonly #empty = new Set<number>();

  constructor(parts: RetentionParts) {
    this.#parts = parts;
    this.#orders = new OldOrders(parts.tables);
  }

  async retain(coverage: Coverage, nowMs: EpochMs): Promise<RetentionReport> {
    const { tables, folder } = this.#parts;
    const endedBeforeMs = nowMs - ENDED_ORDER_KEPT_MS;
    const bounds = readRetired(tables);
    const afterOrders = { ...bounds, endedBeforeMs: Math.max(bounds.endedBeforeMs, endedBeforeMs) };
    recordBounds(tables, afterOrders);
    const orders = await this.#orders.remove(endedBeforeMs);

    const carried = await this.#carry(this.#oldSegments(coverage.replayFrom, nowMs - FEED_KEPT_MS));
    const segments = this.#removable(coverage);
    const firstKept = folder.numbers().find((number) => !segments.includes(number)) ?? FIRST_SEGMENT;
    const position = Math.max(bounds.position, folder.startOf(firstKept));
    recordBounds(tables, { ...afterOrders, position });
    const frames = await removeFrames(tables, position);
    const observations = await this.#removeObservations(position);
    for (const number of segments) {
      folder.remove(number);
      this.#empty.delete(number);
    }
    return { orders, frames, observations, carried, segments: segments.length };
  }

  /** Segments that end before a position and whose entries were all recorded before an instant. */
  #oldSegments(limit: number, recordedBeforeMs: number): number[] {
    const { folder, entries } = this.#parts;
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

  async #carry(old: readonly number[]): Promise<number> {
    const { tables, folder } = this.#parts;
    const carriedTo = readCarriedTo(tables);
    let count = 0;
    for (const number of old.filter((one) => folder.startOf(one) >= carriedTo)) {
      const entries = await carrySegment(tables, folder, number);
      if (entries === 0) this.#empty.add(number);
      count += entries;
    }
    return count;
  }

  #removable({ replayFrom, carriedTo }: Coverage): number[] {
    const { tables, folder } = this.#parts;
    const here = Math.min(replayFrom, readCarriedTo(tables));
    const removable: number[] = [];
    for (const number of folder.numbers()) {
      const end = folder.startOf(number + 1);
      if (end > here || (end > carriedTo && !this.#empty.has(number))) break;
      removable.push(number);
    }
    return removable;
  }

  /**
   * Removes observations before a position, instrument by instrument, because each has its own oldest row. Keeps those
   * that the cost of a remaining order is computed from.
   */
  async #removeObservations(position: number): Promise<number> {
    const { tables } = this.#parts;
    const { oldest } = this.#orders;
    if (oldest === null) return 0;
    let count = 0;
    let instrument: InstrumentIndex | null = firstInstrument(tables, null);
    while (instrument !== null) {
      const neededFromMs = (oldest.get(instrument) ?? Infinity) - QUOTE_HOLD_MS;
      const old = oldestObservations(tables, instrument, { position, neededFromMs });
      await removeRows(tables, old);
      count += old.length;
      if (old.length < RETENTION_BATCH_ROWS) instrument = firstInstrument(tables, instrument);
    }
    return count;
  }
}

/** Stores the bounds before the first removal, so that a verification does not report the rows as lost. */
function recordBounds(tables: StateTables, bounds: RetiredBounds): void {
  tables.root.transactionSync(() => putRetired(tables, bounds));
}

/** Removes rows of frames before a position, and of frames beyond the maximum of a feed. */
async function removeFrames(tables: StateTables, position: number): Promise<number> {
  let count = 0;
  // Reads all feeds first: no cursor may stay open during a removal.
  const feeds = [...tables.table.feed_heads.getRange({})];
  for (const { key, value } of feeds) {
    const bounds = { position, excessTo: framesInHead(value).n - FEED_FRAMES_KEPT_MAX };
    for (;;) {
      const old = oldestFrames(tables, key, bounds);
      await removeRows(tables, old);
      count += old.length * FRAMES_PER_ROW;
      if (old.length < RETENTION_BATCH_ROWS) break;
    }
  }
  return count;
}

function oldestFrames({ table }: StateTables, feed: Buffer, bounds: FrameBounds): RowAddress[] {
  const old: RowAddress[] = [];
  const range = integersAfter(feed, 1, Number.MAX_SAFE_INTEGER - 1);
  for (const row of table.feed.getRange({ ...range, limit: RETENTION_BATCH_ROWS })) {
    if (!isOldRow(row, bounds)) break;
    old.push({ table: table.feed, key: row.key });
  }
  return old;
}

/** The first instrument with a row, after another instrument. */
function firstInstrument({ table }: StateTables, after: InstrumentIndex | null): InstrumentIndex | null {
  const start = instrumentKey(((after ?? -1) + 1) as InstrumentIndex);
  const [first] = table.quotes.getKeys({ start, limit: 1 });
  return first === undefined ? null : (firstInteger(first) as InstrumentIndex);
}

interface ObservationBounds {
  readonly position: number;
  readonly neededFromMs: number;
}

function oldestObservations(
  { table }: StateTables,
  instrument: InstrumentIndex,
  { position, neededFromMs }: ObservationBounds,
): RowAddress[] {
  const range = integersAfter(instrumentKey(instrument), 0, Number.MAX_SAFE_INTEGER - 1);
  const rows = [...table.quotes.getRange({ ...range, limit: RETENTION_BATCH_ROWS })];
  const kept = rows.findIndex((row) => positionOf(row) >= position || lastInteger(row.key) >= neededFromMs);
  return (kept === -1 ? rows : rows.slice(0, kept)).map(({ key }) => ({ table: table.quotes, key }));
}
