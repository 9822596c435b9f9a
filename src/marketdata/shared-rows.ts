import type { InstrumentIndex } from '../domain/instrument.js';
import { CACHED_INSTRUMENTS_MAX, CACHE_READERS_MAX } from '../domain/limits/process.js';
import { assert } from '../domain/rejection.js';
import type { BellRinger } from '../wire/bell.js';

/**
 * A last-value cache in shared memory: rows of numbers. One thread writes a row, any thread reads it.
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
 * After n writes the row's value is copy n mod 2. Write n + 1 fills the other copy, then raises the count. A reader
 * loads the count, the copy and the count again. An unchanged count proves that the copy did not change: only write n +
 * 2 touches it, and that write begins after n + 1 was counted. So a reader never waits for a descheduled or killed
 * writer, as it would with a one-copy sequence lock. It reads again only when a whole write completed.
 *
 * The count uses Atomics, the copies use plain access: with Atomics, which are calls, a read takes 170 ns instead of
 * 30. Three orderings are needed. They hold because V8 moves no access across an Atomics call, and by the processor's
 * rules:
 *
 *   1. the copy is stored before the count, and loaded after the count: store-release and load-acquire;
 *   2. a write begins after the previous one was counted. It first loads the count. An acquiring load does not
 *      move after later accesses or before an earlier releasing store;
 *   3. the copy is loaded before the count is loaded again. On arm64 a plain load may move after a later acquiring
 *      load. So the reader does an atomic store to a private word (`fence`) in between: earlier loads do not move
 *      after the releasing store, and the acquiring load does not move before it.
 *
 * x86-64 reorders neither loads with loads nor stores with stores, so all three hold without the fence. A float64
 * aligned to 8 bytes does not tear.
 */
const ROWS_WORD = 0;
const READERS_WORD = 1;
const NUMBERS_WORD = 2;
const NUMBER_WORDS = 2;
/** Header, rows and readers each begin a 64-byte cache line, so writers of neighbours do not slow each other down. */
const LINE_WORDS = 16;
const HEADER_WORDS = LINE_WORDS;
const ROWS_PER_WORD = 32;
const BITMAPS_A_READER = 3;

interface RowsShape {
  /** 1..CACHED_INSTRUMENTS_MAX */
  readonly rowCount: number;
  /** 0..CACHE_READERS_MAX */
  readonly readerCount: number;
  /** float64s of one copy of a row, at least 1. */
  readonly copyNumbers: number;
}

/** Memory for the rows and the readers' bitmaps. Throws InvariantViolation for a shape outside its bounds. */
export function allocateRows({ rowCount, readerCount, copyNumbers }: RowsShape): SharedArrayBuffer {
  assert(Number.isInteger(rowCount) && rowCount >= 1 && rowCount <= CACHED_INSTRUMENTS_MAX, 'last-value cache: rows');
  assert(
    Number.isInteger(readerCount) && readerCount >= 0 && readerCount <= CACHE_READERS_MAX,
    'last-value cache: readers',
  );
  const words =
    HEADER_WORDS + rowCount * rowStride(copyNumbers) + readerCount * BITMAPS_A_READER * bitmapStride(rowCount);
  const memory = new SharedArrayBuffer(words * 4);
  const header = new Int32Array(memory, 0, HEADER_WORDS);
  Atomics.store(header, ROWS_WORD, rowCount);
  Atomics.store(header, READERS_WORD, readerCount);
  Atomics.store(header, NUMBERS_WORD, copyNumbers);
  return memory;
}

/** Positions inside one last-value cache: in its 32-bit words and, for the copies, in its float64s. */
class RowLayout {
  readonly words: Int32Array;
  readonly numbers: Float64Array;
  readonly readerCount: number;
  /** Words of a bitmap with one bit a row. */
  readonly bitmapWords: number;
  readonly #rowCount: number;
  readonly #copyNumbers: number;
  readonly #rowWords: number;

  /** `copyNumbers` must match the memory's creation, else InvariantViolation: it is another kind of cache. */
  constructor(memory: SharedArrayBuffer, copyNumbers: number) {
    this.words = new Int32Array(memory);
    this.numbers = new Float64Array(memory);
    this.#rowCount = Atomics.load(this.words, ROWS_WORD);
    this.readerCount = Atomics.load(this.words, READERS_WORD);
    this.#copyNumbers = Atomics.load(this.words, NUMBERS_WORD);
    this.#rowWords = rowStride(copyNumbers);
    this.bitmapWords = Math.ceil(this.#rowCount / ROWS_PER_WORD);
    assert(this.#copyNumbers === copyNumbers, 'last-value cache: numbers of a row');
  }

  /** The word that counts the row's writes. */
  writesWord(row: number): number {
    assert(row >= 0 && row < this.#rowCount, 'last-value cache: row out of range');
    return HEADER_WORDS + row * this.#rowWords;
  }

  /** First number of the copy that holds the row's value after `writes` writes. */
  copyNumber(writesWord: number, writes: number): number {
    return writesWord / NUMBER_WORDS + 1 + (writes & 1) * this.#copyNumbers;
  }

  /** First word of the bitmap of rows that a reader watches. */
  watchedWord(reader: number): number {
    assert(reader >= 0 && reader < this.readerCount, 'last-value cache: reader out of range');
    return HEADER_WORDS + this.#rowCount * this.#rowWords + reader * BITMAPS_A_READER * bitmapStride(this.#rowCount);
  }

  /** First word of the bitmap of watched rows that changed since the reader last took them. */
  dirtyWord(reader: number): number {
    return this.watchedWord(reader) + bitmapStride(this.#rowCount);
  }

  /** First word of the bitmap of rows that a reader keeps fresh without notifications. */
  wantedWord(reader: number): number {
    return this.watchedWord(reader) + 2 * bitmapStride(this.#rowCount);
  }

  /** Offset of a row's bit from the first word of a bitmap, in words. */
  bitmapOffset(row: number): number {
    assert(row >= 0 && row < this.#rowCount, 'last-value cache: row out of range');
    return Math.floor(row / ROWS_PER_WORD);
  }
}

/** The row's bit in its word of a bitmap. */
function rowBit(row: number): number {
  return 1 << (row % ROWS_PER_WORD);
}

/** A word with the lowest `count` bits set; all of them from 32 on. */
function lowestBits(count: number): number {
  return count < ROWS_PER_WORD ? (1 << count) - 1 : -1;
}

/** The row of the lowest set bit in word `offset` of a bitmap; bits is not 0. */
function lowestRow(offset: number, bits: number): number {
  return offset * ROWS_PER_WORD + 31 - Math.clz32(bits & -bits);
}

function bitmapStride(rowCount: number): number {
  return Math.ceil(rowCount / ROWS_PER_WORD / LINE_WORDS) * LINE_WORDS;
}

/** Words of a row: the write count, which occupies one float64, and two copies. */
function rowStride(copyNumbers: number): number {
  return Math.ceil(((1 + 2 * copyNumbers) * NUMBER_WORDS) / LINE_WORDS) * LINE_WORDS;
}

/** Stores one value into the copy that begins at index `at`. */
type StoreCopy = (numbers: Float64Array, at: number) => void;
type LoadCopy<Value> = (numbers: Float64Array, at: number) => Value;

/**
 * Writes rows whose copies have `copyNumbers` float64s. Each row has one writer; different rows may have different
 * writers.
 */
export class SharedRowsWriter {
  readonly #layout: RowLayout;
  readonly #words: Int32Array;
  readonly #bells: readonly BellRinger[];
  /** First words of the bitmaps of all readers: watched rows and rows that are kept awake. */
  readonly #wantedWords: readonly number[];
  /** The wanted rows at the last `takeNewlyWanted`, one bit a row. */
  readonly #wantedBefore: Int32Array;

  /** `bells` has one bell for each reader, in order of reader number. */
  constructor(memory: SharedArrayBuffer, copyNumbers: number, bells: readonly BellRinger[]) {
    this.#layout = new RowLayout(memory, copyNumbers);
    this.#words = this.#layout.words;
    assert(bells.length === this.#layout.readerCount, 'last-value cache: one bell a reader');
    this.#wantedWords = bells.flatMap((_, reader) => [
      this.#layout.watchedWord(reader),
      this.#layout.wantedWord(reader),
    ]);
    this.#wantedBefore = new Int32Array(this.#layout.bitmapWords);
    this.#bells = bells;
  }

  /** True when a reader watches the row or keeps it awake. Other rows need no write. */
  isWanted(row: InstrumentIndex): boolean {
    return (this.#wantedBits(this.#layout.bitmapOffset(row)) & rowBit(row)) !== 0;
  }

  /**
   * Passes to `handle` each of the first `rowCount` rows that is wanted now and was not wanted at the last call, in
   * ascending order. Later rows may have other writers, so they are left out. A row that was unwanted only between two
   * calls is not passed. Costs two loads a reader for each 32 rows.
   */
  takeNewlyWanted(rowCount: number, handle: (row: InstrumentIndex) => void): void {
    const words = Math.ceil(rowCount / ROWS_PER_WORD);
    assert(words <= this.#wantedBefore.length, 'last-value cache: row out of range');
    for (let offset = 0; offset < words; offset += 1) {
      const wanted = this.#wantedBits(offset);
      let fresh = wanted & ~this.#wantedBefore[offset]! & lowestBits(rowCount - offset * ROWS_PER_WORD);
      this.#wantedBefore[offset] = wanted;
      while (fresh !== 0) {
        const row = lowestRow(offset, fresh);
        fresh &= ~rowBit(row);
        handle(row as InstrumentIndex);
      }
    }
  }

  /** Replaces the row's value. For each reader that watches the row, marks it dirty and rings the bell. */
  protected replace(row: InstrumentIndex, storeCopy: StoreCopy): void {
    const writesWord = this.#layout.writesWord(row);
    const writes = (Atomics.load(this.#words, writesWord) + 1) | 0;
    storeCopy(this.#layout.numbers, this.#layout.copyNumber(writesWord, writes));
    Atomics.store(this.#words, writesWord, writes);
    for (let reader = 0; reader < this.#bells.length; reader += 1) this.#announce(row, reader);
  }

  /** The rows of one word that a reader watches or keeps awake. */
  #wantedBits(offset: number): number {
    let bits = 0;
    for (const word of this.#wantedWords) bits |= Atomics.load(this.#words, word + offset);
    return bits;
  }

  #announce(row: number, reader: number): void {
    const offset = this.#layout.bitmapOffset(row);
    const bit = rowBit(row);
    if ((Atomics.load(this.#words, this.#layout.watchedWord(reader) + offset) & bit) === 0) return;
    Atomics.or(this.#words, this.#layout.dirtyWord(reader) + offset, bit);
    this.#bells[reader]!.ring();
  }
}

/** Reads and watches rows for one thread. */
export class SharedRowsReader {
  readonly #layout: RowLayout;
  readonly #words: Int32Array;
  readonly #watchedWord: number;
  readonly #dirtyWord: number;
  readonly #wantedWord: number;
  readonly #fence = new Int32Array(new SharedArrayBuffer(4));

  constructor(memory: SharedArrayBuffer, copyNumbers: number, reader: number) {
    this.#layout = new RowLayout(memory, copyNumbers);
    this.#words = this.#layout.words;
    this.#watchedWord = this.#layout.watchedWord(reader);
    this.#dirtyWord = this.#layout.dirtyWord(reader);
    this.#wantedWord = this.#layout.wantedWord(reader);
  }

  /**
   * Watch first, then read: later writes are announced, and `read` returns the earlier ones. A write during an unwatch
   * may still be announced.
   */
  watch(row: InstrumentIndex, isWatched: boolean): void {
    this.#setBit(this.#watchedWord, row, isWatched);
  }

  /** Asks the writer to keep the row fresh, without a notification of every write. */
  keepAwake(row: InstrumentIndex, isAwake: boolean): void {
    this.#setBit(this.#wantedWord, row, isAwake);
  }

  /** Clears all bitmaps of this reader. A thread that replaces a dead one calls this. */
  forget(): void {
    for (const bitmapWord of [this.#watchedWord, this.#wantedWord, this.#dirtyWord]) {
      for (let offset = 0; offset < this.#layout.bitmapWords; offset += 1) {
        Atomics.store(this.#words, bitmapWord + offset, 0);
      }
    }
  }

  /**
   * Passes each dirty row to `handle` once, in ascending order. The mark is cleared before the call, so a later write
   * marks the row again. When `handle` throws, the remaining rows stay marked.
   */
  takeDirty(handle: (row: InstrumentIndex) => void): void {
    for (let offset = 0; offset < this.#layout.bitmapWords; offset += 1) {
      const word = this.#dirtyWord + offset;
      let bits = Atomics.load(this.#words, word);
      while (bits !== 0) {
        const row = lowestRow(offset, bits);
        bits &= ~rowBit(row);
        Atomics.and(this.#words, word, ~rowBit(row));
        handle(row as InstrumentIndex);
      }
    }
  }

  /**
   * Returns the row as one write left it, never a mix of two. Calls `loadCopy` again when a write completed meanwhile.
   */
  protected load<Value>(row: InstrumentIndex, loadCopy: LoadCopy<Value>): Value {
    const writesWord = this.#layout.writesWord(row);
    for (;;) {
      const writes = Atomics.load(this.#words, writesWord);
      const value = loadCopy(this.#layout.numbers, this.#layout.copyNumber(writesWord, writes));
      Atomics.store(this.#fence, 0, 0);
      if (Atomics.load(this.#words, writesWord) === writes) return value;
    }
  }

  #setBit(bitmapWord: number, row: InstrumentIndex, isSet: boolean): void {
    const word = bitmapWord + this.#layout.bitmapOffset(row);
    if (isSet) Atomics.or(this.#words, word, rowBit(row));
    else Atomics.and(this.#words, word, ~rowBit(row));
  }
}
