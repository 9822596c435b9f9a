import { assert } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { FileError } from '../table/columns.js';
import { CsvReader } from '../table/csv-reader.js';
import type { RowBuffer } from '../table/row-buffer.js';
import { formatOf, groupingOf, RECEIVED, type RecordedInstrument, type RecordedStream } from './recording-format.js';

const MICROSECONDS_PER_MS = 1000;
/** The streams of a complete recording end within this time of each other. */
const END_SILENCE_MS = 3_000;

/** Receives one recorded message: the `count` oldest rows of the buffer. They are dropped after the call. */
type MessageHandler = (stream: RecordedStream, rows: RowBuffer, count: number) => void;

/** One recorded stream, as far as its bytes have been fed. */
export class RecordingStream {
  readonly name: RecordedStream;
  /** Path of the file, for messages. */
  readonly file: string;
  readonly rows: RowBuffer;
  readonly #reader: CsvReader;
  readonly #grouping: number | null;
  #isEnded = false;
  #lastMicros = 0;
  #longestSilenceMicros = 0;

  constructor(name: RecordedStream, file: string, instrument: RecordedInstrument) {
    this.name = name;
    this.file = file;
    const { columns, check } = formatOf(name, instrument);
    this.#reader = new CsvReader(file, {
      columns,
      check: (row, previous) => {
        if (row[RECEIVED.micros] !== this.#lastMicros) this.#see(row[RECEIVED.micros]!);
        return check === undefined ? null : check(row, previous);
      },
    });
    this.#grouping = groupingOf(name);
    this.rows = this.#reader.rows;
  }

  /** Feeds the next bytes of the file; null at its end. Throws FileError for a row that is not as declared. */
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

  /** The fault of a row of this stream that was read. */
  faultAt(line: number, column: string, what: string): FileError {
    return this.#reader.faultAt(line, column, what);
  }

  /** Rows fed so far. */
  get rowCount(): number {
    return this.#reader.rowCount;
  }

  /** Receive time of the last fed row; 0 before the first. */
  get lastMs(): number {
    return this.#lastMicros / MICROSECONDS_PER_MS;
  }

  /** Line of that row; 0 before the first. */
  get lastLine(): number {
    return this.#reader.lastLine;
  }

  /**
   * How long the file may be silent after its last row, if it is complete: twice as long as between two of its rows,
   * and at least END_SILENCE_MS. Infinity: its end has not been read.
   */
  get quietUntilMs(): number {
    const silenceMs = (2 * this.#longestSilenceMicros) / MICROSECONDS_PER_MS;
    return this.#isEnded ? this.lastMs + Math.max(END_SILENCE_MS, silenceMs) : Infinity;
  }

  hasMoreThan(rows: number): boolean {
    return !this.#isEnded || this.rows.count > rows;
  }

  /** Rows of the oldest message. */
  messageRows(): number {
    return this.#grouping === null ? 1 : this.rows.runLength(this.#grouping);
  }

  #see(micros: number): void {
    const silence = micros - this.#lastMicros;
    if (this.#lastMicros > 0 && silence > this.#longestSilenceMicros) this.#longestSilenceMicros = silence;
    this.#lastMicros = micros;
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

  /** True while a snapshot exists after the first fed rows, from which the book can restart after a gap. */
  hasSnapshotAfter(rows: number): boolean {
    return this.streams.some((stream) => stream.name === 'snapshot' && stream.hasMoreThan(rows));
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
