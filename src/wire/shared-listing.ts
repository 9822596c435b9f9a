import { FIRST_ADDED_INDEX, type Instrument } from '../domain/instrument.js';
import { ADDED_INSTRUMENTS_MAX } from '../domain/limits/live.js';
import { assert } from '../domain/rejection.js';

/**
 * Instruments that were added at run time, in shared memory. One thread writes, every thread reads:
 *
 *    word 0           word 1 …                      data
 *     ┌──────────────┬─────────────────────────────┬───────────────────────────────┐
 *     │ change count │ version of each row         │ rows of ROW_BYTES: JSON text  │
 *     └──────────────┴─────────────────────────────┴───────────────────────────────┘
 *
 * A row's version is odd while the row is being written. A reader looks at the versions only when the change count has
 * changed, and reads a row again whose version changed meanwhile.
 */
const ROW_BYTES = 2_048;
const LENGTH_BYTES = 4;
const HEADER_WORDS = 1 + ADDED_INSTRUMENTS_MAX;
const DATA_BYTE = Math.ceil((HEADER_WORDS * 4) / 8) * 8;
const CHANGES = 0;

/** Creates the memory. Pages that no row uses take no memory. */
export function createSharedListing(): SharedArrayBuffer {
  return new SharedArrayBuffer(DATA_BYTE + ADDED_INSTRUMENTS_MAX * ROW_BYTES);
}

export class SharedListingWriter {
  readonly #words: Int32Array;
  readonly #data: Buffer;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory, 0, HEADER_WORDS);
    this.#data = Buffer.from(memory, DATA_BYTE);
  }

  /** Publishes the instrument: every thread has it after its next `take`. */
  put(instrument: Instrument): void {
    const row = instrument.index - FIRST_ADDED_INDEX;
    assert(row >= 0 && row < ADDED_INSTRUMENTS_MAX, `instrument ${instrument.index} has a row`);
    const text = Buffer.from(JSON.stringify(instrument));
    assert(text.length <= ROW_BYTES - LENGTH_BYTES, `instrument ${instrument.symbol} fits into its row`);
    Atomics.add(this.#words, 1 + row, 1);
    this.#data.writeUInt32LE(text.length, row * ROW_BYTES);
    this.#data.set(text, row * ROW_BYTES + LENGTH_BYTES);
    Atomics.add(this.#words, 1 + row, 1);
    Atomics.add(this.#words, CHANGES, 1);
  }
}

export class SharedListingReader {
  readonly #words: Int32Array;
  readonly #data: Buffer;
  readonly #versions = new Int32Array(ADDED_INSTRUMENTS_MAX);
  #changes = 0;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory, 0, HEADER_WORDS);
    this.#data = Buffer.from(memory, DATA_BYTE);
  }

  /** Calls back with each instrument that is new or changed since the last call. Costs one load when there is none. */
  take(onInstrument: (instrument: Instrument) => void): void {
    const changes = Atomics.load(this.#words, CHANGES);
    if (changes === this.#changes) return;
    this.#changes = changes;
    for (let row = 0; row < ADDED_INSTRUMENTS_MAX; row += 1) {
      const version = Atomics.load(this.#words, 1 + row);
      if (version === this.#versions[row] || version % 2 !== 0) continue;
      const instrument = this.#read(row);
      // A row that is being written again is read at the next call: the change count grows after it.
      if (Atomics.load(this.#words, 1 + row) !== version) continue;
      this.#versions[row] = version;
      onInstrument(JSON.parse(instrument) as Instrument);
    }
  }

  #read(row: number): string {
    const start = row * ROW_BYTES + LENGTH_BYTES;
    const length = Math.min(this.#data.readUInt32LE(row * ROW_BYTES), ROW_BYTES - LENGTH_BYTES);
    return this.#data.toString('utf8', start, start + length);
  }
}
