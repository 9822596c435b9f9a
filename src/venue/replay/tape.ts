import { assert } from '../../model/assert.js';
import type { Grid } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import { columnsOf, groupingOf, RECEIVED, type RecordedStream } from './recorded-columns.js';
import type { RowBuffer } from './row-buffer.js';
import { RowReader } from './row-reader.js';

const MICROSECONDS_PER_MS = 1000;

/** Is handed every recorded message: the `count` oldest rows of the buffer, which are dropped afterwards. */
export type MessageHandler = (stream: RecordedStream, rows: RowBuffer, count: number) => void;

/** One recorded stream, as far as its bytes have come. */
export class TapeStream {
  readonly name: RecordedStream;
  readonly rows: RowBuffer;
  readonly #reader: RowReader;
  readonly #grouping: number | null;
  #isEnded = false;

  constructor(name: RecordedStream, file: string, grid: Grid) {
    this.name = name;
    this.#reader = new RowReader(file, columnsOf(name, grid));
    this.#grouping = groupingOf(name);
    this.rows = this.#reader.rows;
  }

  /** The next bytes of the file; null when there are no more. */
  feed(bytes: Uint8Array | null): void {
    if (bytes !== null) return this.#reader.push(bytes);
    this.#reader.finish();
    this.#isEnded = true;
  }

  /** True when every row received up to then is here. */
  covers(untilMs: EpochMs): boolean {
    const { rows } = this;
    return this.#isEnded || (rows.count > 0 && receivedMs(rows, rows.count - 1) > untilMs);
  }

  /** Rows that have come so far. */
  get rowCount(): number {
    return this.#reader.rowCount;
  }

  get hasMore(): boolean {
    return !this.#isEnded || this.rows.count > 0;
  }

  /** Rows of the oldest message. */
  messageRows(): number {
    return this.#grouping === null ? 1 : this.rows.runLength(this.#grouping);
  }
}

/**
 * Several recorded streams merged into one by the collector's clock, to the nanosecond; what came at the same one is
 * played in the order of the streams. Whoever plays the tape up to an instant has fed it beyond that instant before.
 */
export class Tape {
  readonly streams: readonly TapeStream[];
  readonly #handle: MessageHandler;

  constructor(streams: readonly TapeStream[], handle: MessageHandler) {
    this.streams = streams;
    this.#handle = handle;
  }

  covers(untilMs: EpochMs): boolean {
    return this.streams.every((stream) => stream.covers(untilMs));
  }

  /** When the next message that is here was received; Infinity when there is none. */
  nextMs(): number {
    const next = this.#next();
    return next === null ? Infinity : receivedMs(next.rows, 0);
  }

  /** True while a snapshot lies ahead, from which a book that lost its place can go on. */
  get hasSnapshotAhead(): boolean {
    return this.streams.some(({ name, hasMore }) => name === 'snapshot' && hasMore);
  }

  /** Hands on every message received up to then, oldest first. */
  play(untilMs: EpochMs): void {
    assert(this.covers(untilMs), 'a tape is fed before it is played');
    for (let next = this.#next(); next !== null && receivedMs(next.rows, 0) <= untilMs; next = this.#next()) {
      const count = next.messageRows();
      this.#handle(next.name, next.rows, count);
      next.rows.drop(count);
    }
  }

  /** The stream whose oldest row was received first. */
  #next(): TapeStream | null {
    let next: TapeStream | null = null;
    for (const stream of this.streams) {
      if (stream.rows.count > 0 && (next === null || isEarlier(stream.rows, next.rows))) next = stream;
    }
    return next;
  }
}

function isEarlier(one: RowBuffer, other: RowBuffer): boolean {
  const apart = one.at(0, RECEIVED.micros) - other.at(0, RECEIVED.micros);
  return apart < 0 || (apart === 0 && one.at(0, RECEIVED.nanos) < other.at(0, RECEIVED.nanos));
}

export function receivedMs(rows: RowBuffer, row: number): EpochMs {
  return Math.floor(rows.at(row, RECEIVED.micros) / MICROSECONDS_PER_MS) as EpochMs;
}
