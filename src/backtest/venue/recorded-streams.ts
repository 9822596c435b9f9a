import type { Grid } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import { type CsvColumn, type RowBuffer, CsvRowReader } from './row-reader.js';

const MICROSECONDS_PER_MS = 1000;

/** Receives one recorded message: the `count` oldest rows of the buffer. They are dropped after the call. */
type MessageHandler = (stream: RecordedStream, rows: RowBuffer, count: number) => void;

/** One recorded stream, as far as its bytes have been fed. */
export class RecordingStream {
  readonly name: RecordedStream;
  readonly rows: RowBuffer;
  readonly #reader: CsvRowReader;
  readonly #grouping: number | null;
  #isEnded = false;

  constructor(name: RecordedStream, file: string, grid: Grid) {
    this.name = name;
    this.#reader = new CsvRowReader(file, columnsOf(name, grid));
    this.#grouping = groupingOf(name);
    this.rows = this.#reader.rows;
  }

  /** Feeds the next bytes of the file; null at its end. */
  feed(bytes: Uint8Array | null): void {
    if (bytes !== null) return this.#reader.push(bytes);
    this.#reader.finish();
    this.#isEnded = true;
  }

  /** True when every row received up to `untilMs` has been fed. */
  covers(untilMs: EpochMs): boolean {
    const { rows } = this;
    return this.#isEnded || (rows.count > 0 && receivedMs(rows, rows.count - 1) > untilMs);
  }

  /** Rows fed so far. */
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
 * Merges recorded streams by the collector's clock, to the nanosecond. Messages of the same instant are played in the
 * order of the streams. The caller feeds data beyond an instant before it plays up to it.
 */
export class RecordingPlayer {
  readonly streams: readonly RecordingStream[];
  readonly #handle: MessageHandler;

  constructor(streams: readonly RecordingStream[], handle: MessageHandler) {
    this.streams = streams;
    this.#handle = handle;
  }

  covers(untilMs: EpochMs): boolean {
    return this.streams.every((stream) => stream.covers(untilMs));
  }

  /** Receive time of the next fed message; Infinity when there is none. */
  nextMs(): number {
    const next = this.#next();
    return next === null ? Infinity : receivedMs(next.rows, 0);
  }

  /** True while a later snapshot exists, from which the book can restart after a gap. */
  get hasSnapshotAhead(): boolean {
    return this.streams.some(({ name, hasMore }) => name === 'snapshot' && hasMore);
  }

  /** Passes every message received up to `untilMs` to the handler, oldest first. */
  play(untilMs: EpochMs): void {
    assert(this.covers(untilMs), 'a recording is fed before it is played');
    for (let next = this.#next(); next !== null && receivedMs(next.rows, 0) <= untilMs; next = this.#next()) {
      const count = next.messageRows();
      this.#handle(next.name, next.rows, count);
      next.rows.drop(count);
    }
  }

  /** The stream with the earliest received row. */
  #next(): RecordingStream | null {
    let next: RecordingStream | null = null;
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

/** The recorded streams of one instrument. `bookticker` is optional. */
export const RECORDED_STREAMS = ['snapshot', 'depth', 'trades', 'bookticker'] as const;
export type RecordedStream = (typeof RECORDED_STREAMS)[number];

/** Cells of every row: the receive time. Only the collector's clock orders the messages. */
const RECEIVED = { micros: 0, nanos: 1 } as const;
/** Cells of one level of a snapshot; the rows of one snapshot share its number. */
export const SNAPSHOT = { ...RECEIVED, number: 2, updateId: 3, side: 4, price: 5, quantity: 6 } as const;
/** Cells of one level of an update; the rows of one update share its last id. Quantity 0 removes the level. */
export const DEPTH = { ...RECEIVED, firstId: 2, lastId: 3, previousId: 4, side: 5, price: 6, quantity: 7 } as const;
export const TRADE = { ...RECEIVED, price: 2, quantity: 3, isBuyerMaker: 4, type: 5 } as const;
export const TICKER = { ...RECEIVED, updateId: 2, bid: 3, bidQuantity: 4, ask: 5, askQuantity: 6 } as const;

/** First characters of the columns `side` and `type`. */
export const BID = 'b'.charCodeAt(0);
/** A trade of the order book. Futures also record takeovers by the insurance fund; spot has no types. */
export const MARKET_TRADE = 'M'.charCodeAt(0);
export const UNTYPED_TRADE = 0;

const RECV: CsvColumn = { name: 'recv_ns', reading: 'instant' };
const SIDE: CsvColumn = { name: 'side', reading: 'initial' };

/**
 * The columns to read from a stream, in the order of the cells above. Prices and quantities are on the instrument's
 * grid.
 */
function columnsOf(stream: RecordedStream, { pricePrecision, quantityPrecision }: Grid): readonly CsvColumn[] {
  const price = (name: string): CsvColumn => steps(name, pricePrecision);
  // Levels contain remainders from before the lot size was raised; they cannot be traded.
  const shown = (name: string): CsvColumn => ({ ...steps(name, quantityPrecision), isRounded: true });
  switch (stream) {
    case 'snapshot':
      return [RECV, steps('snapshot_no'), steps('last_update_id'), SIDE, price('price'), shown('qty')];
    case 'depth': {
      const ids = ['first_update_id', 'final_update_id', 'prev_final_update_id'].map((name) => steps(name));
      return [RECV, ...ids, SIDE, price('price'), shown('qty')];
    }
    case 'trades': {
      const quantity = steps('qty', quantityPrecision);
      return [RECV, price('price'), quantity, steps('is_buyer_maker'), { name: 'type', reading: 'initial' }];
    }
    case 'bookticker':
      return [RECV, steps('update_id'), price('bid'), shown('bid_qty'), price('ask'), shown('ask_qty')];
    default:
      return stream satisfies never;
  }
}

function steps(name: string, precision = 0): CsvColumn {
  return { name, reading: 'steps', precision };
}

/** The cell whose equal values join adjacent rows into one message; null when each row is a message. */
function groupingOf(stream: RecordedStream): number | null {
  if (stream === 'snapshot') return SNAPSHOT.number;
  return stream === 'depth' ? DEPTH.lastId : null;
}
