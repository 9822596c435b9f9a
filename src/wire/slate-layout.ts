import { assert } from '../model/assert.js';
import { SLATE_INSTRUMENTS_MAX, SLATE_READERS_MAX } from '../model/limits.js';

/**
 * A slate in shared memory: rows of numbers, each written by one thread and read by any.
 *
 *     ┌──────────┬───────┬───────┬─   ─┬──────────────────────┬──────────────────────┬─
 *     │ rows,    │ row 0 │ row 1 │ ... │ reader 0             │ reader 1             │ ...
 *     │ readers, │       │       │     │ watched│dirty│wanted │ watched│dirty│wanted │      one bit a row each
 *     │ numbers  │       │       │     │                      │                      │
 *     └──────────┴───────┴───────┴─   ─┴──────────────────────┴──────────────────────┴─
 *                  │
 *       ┌──────────┴─────┬───────────────────────────┬───────────────────────────┐
 *       │ writes so far  │ copy 0: `numbers` float64 │ copy 1: `numbers` float64 │
 *       └────────────────┴───────────────────────────┴───────────────────────────┘
 *
 * After n writes the row's value is copy n mod 2; write n + 1 fills the other copy and then counts. A reader takes
 * the count, the copy it names and the count again: unchanged means that nobody could have touched that copy, for only
 * write n + 2 does, and it begins after n + 1 was counted. So a reader never waits for a writer that was descheduled or
 * killed halfway, as it would under a sequence lock with one copy; it reads again only when a whole write went by.
 *
 * The count is accessed with Atomics, the copies plainly (with Atomics a read takes 170 ns instead of 30: they are calls).
 * Three orders are needed, and hold because V8 moves no access across an Atomics call and because of the processor:
 *
 *   1. the copy is stored before it is counted, and loaded after the count: store-release and load-acquire;
 *   2. a write begins after the one before was counted: it begins by loading the count, and an acquiring load is
 *      neither passed by what follows nor moved before an earlier releasing store;
 *   3. the copy is loaded before the count is loaded again: arm64 may let plain loads pass an acquiring load that
 *      follows, so an atomic store to a word of the reader's own (`fence`) stands between: earlier loads do not pass
 *      the releasing store, and the acquiring load does not move before it.
 *
 * On x86-64, which reorders neither loads nor stores among themselves, all three hold without that. Numbers do not tear:
 * they are float64s aligned to 8.
 */
const ROWS_WORD = 0;
const READERS_WORD = 1;
const NUMBERS_WORD = 2;
const NUMBER_WORDS = 2;
/** Header, rows and readers each begin a cache line of 64 bytes: who writes one does not slow down the next. */
const LINE_WORDS = 16;
const HEADER_WORDS = LINE_WORDS;
const ROWS_PER_WORD = 32;
const BITMAPS_A_READER = 3;

export interface SlateShape {
  /** 1..SLATE_INSTRUMENTS_MAX */
  readonly rowCount: number;
  /** 0..SLATE_READERS_MAX */
  readonly readerCount: number;
  /** float64s of one copy of a row, at least 1. */
  readonly copyNumbers: number;
}

/** Memory for the rows and for the marks of the readers. A shape beyond its bounds is an InvariantViolation. */
export function allocateSlate({ rowCount, readerCount, copyNumbers }: SlateShape): SharedArrayBuffer {
  assert(Number.isInteger(rowCount) && rowCount >= 1 && rowCount <= SLATE_INSTRUMENTS_MAX, 'slate: rows');
  assert(Number.isInteger(readerCount) && readerCount >= 0 && readerCount <= SLATE_READERS_MAX, 'slate: readers');
  const words =
    HEADER_WORDS + rowCount * rowStride(copyNumbers) + readerCount * BITMAPS_A_READER * bitmapStride(rowCount);
  const memory = new SharedArrayBuffer(words * 4);
  const header = new Int32Array(memory, 0, HEADER_WORDS);
  Atomics.store(header, ROWS_WORD, rowCount);
  Atomics.store(header, READERS_WORD, readerCount);
  Atomics.store(header, NUMBERS_WORD, copyNumbers);
  return memory;
}

/** Where everything lies in one slate: in its 32-bit words and, for the copies, in its float64s. */
export class SlateLayout {
  readonly words: Int32Array;
  readonly numbers: Float64Array;
  readonly readerCount: number;
  /** Words of a bitmap with one bit a row. */
  readonly bitmapWords: number;
  readonly #rowCount: number;
  readonly #copyNumbers: number;
  readonly #rowWords: number;

  /** `copyNumbers` as the slate was made: memory of another kind of slate is an InvariantViolation. */
  constructor(memory: SharedArrayBuffer, copyNumbers: number) {
    this.words = new Int32Array(memory);
    this.numbers = new Float64Array(memory);
    this.#rowCount = Atomics.load(this.words, ROWS_WORD);
    this.readerCount = Atomics.load(this.words, READERS_WORD);
    this.#copyNumbers = Atomics.load(this.words, NUMBERS_WORD);
    this.#rowWords = rowStride(copyNumbers);
    this.bitmapWords = Math.ceil(this.#rowCount / ROWS_PER_WORD);
    assert(this.#copyNumbers === copyNumbers, 'slate: numbers of a row');
  }

  /** The word that counts the row's writes. */
  writesWord(row: number): number {
    assert(row >= 0 && row < this.#rowCount, 'slate: row out of range');
    return HEADER_WORDS + row * this.#rowWords;
  }

  /** First number of the copy that holds the row's value after `writes` writes. */
  copyNumber(writesWord: number, writes: number): number {
    return writesWord / NUMBER_WORDS + 1 + (writes & 1) * this.#copyNumbers;
  }

  /** First word of the bits of the rows that a reader watches. */
  watchedWord(reader: number): number {
    assert(reader >= 0 && reader < this.readerCount, 'slate: reader out of range');
    return HEADER_WORDS + this.#rowCount * this.#rowWords + reader * BITMAPS_A_READER * bitmapStride(this.#rowCount);
  }

  /** First word of the bits of the watched rows that were written since the reader last took them. */
  dirtyWord(reader: number): number {
    return this.watchedWord(reader) + bitmapStride(this.#rowCount);
  }

  /** First word of the bits of the rows that a reader wants alive without being told of every change. */
  wantedWord(reader: number): number {
    return this.watchedWord(reader) + 2 * bitmapStride(this.#rowCount);
  }

  /** Place of a row's bit relative to the first word of a bitmap. */
  bitmapOffset(row: number): number {
    assert(row >= 0 && row < this.#rowCount, 'slate: row out of range');
    return Math.floor(row / ROWS_PER_WORD);
  }
}

/** The row's bit in its word of a bitmap. */
export function rowBit(row: number): number {
  return 1 << (row % ROWS_PER_WORD);
}

/** The row of the lowest set bit in word `offset` of a bitmap; bits is not 0. */
export function lowestRow(offset: number, bits: number): number {
  return offset * ROWS_PER_WORD + 31 - Math.clz32(bits & -bits);
}

function bitmapStride(rowCount: number): number {
  return Math.ceil(rowCount / ROWS_PER_WORD / LINE_WORDS) * LINE_WORDS;
}

/** Words of a row: its count of writes, which takes the room of one number, and two copies. */
function rowStride(copyNumbers: number): number {
  return Math.ceil(((1 + 2 * copyNumbers) * NUMBER_WORDS) / LINE_WORDS) * LINE_WORDS;
}
