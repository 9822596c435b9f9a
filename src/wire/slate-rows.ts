import { assert } from '../model/assert.js';
import type { InstrumentIndex } from '../model/instrument.js';
import type { BellRinger } from './doorbell.js';
import { lowestRow, rowBit, SlateLayout } from './slate-layout.js';

/** Stores one value into a copy that begins at a number. */
type StoreCopy = (numbers: Float64Array, at: number) => void;
type LoadCopy<Value> = (numbers: Float64Array, at: number) => Value;

/** Writes rows whose copies have `copyNumbers` float64s. A row has one writer; different rows may have different ones. */
export class SlateRowsWriter {
  readonly #layout: SlateLayout;
  readonly #words: Int32Array;
  readonly #bells: readonly BellRinger[];

  /** `bells` has one bell a reader, in the order of the reader numbers. */
  constructor(memory: SharedArrayBuffer, copyNumbers: number, bells: readonly BellRinger[]) {
    this.#layout = new SlateLayout(memory, copyNumbers);
    this.#words = this.#layout.words;
    this.#bells = bells;
    assert(bells.length === this.#layout.readerCount, 'slate: one bell a reader');
  }

  /** True while some reader watches the row or wants it alive: a row that nobody wants need not be written. */
  isWanted(row: InstrumentIndex): boolean {
    const offset = this.#layout.bitmapOffset(row);
    const bit = rowBit(row);
    for (let reader = 0; reader < this.#bells.length; reader += 1) {
      const watched = Atomics.load(this.#words, this.#layout.watchedWord(reader) + offset);
      const wanted = Atomics.load(this.#words, this.#layout.wantedWord(reader) + offset);
      if (((watched | wanted) & bit) !== 0) return true;
    }
    return false;
  }

  /** Replaces the row's value, then marks it and rings for each reader that watches it. */
  protected replace(row: InstrumentIndex, storeCopy: StoreCopy): void {
    const writesWord = this.#layout.writesWord(row);
    const writes = (Atomics.load(this.#words, writesWord) + 1) | 0;
    storeCopy(this.#layout.numbers, this.#layout.copyNumber(writesWord, writes));
    Atomics.store(this.#words, writesWord, writes);
    for (let reader = 0; reader < this.#bells.length; reader += 1) this.#announce(row, reader);
  }

  #announce(row: number, reader: number): void {
    const offset = this.#layout.bitmapOffset(row);
    const bit = rowBit(row);
    if ((Atomics.load(this.#words, this.#layout.watchedWord(reader) + offset) & bit) === 0) return;
    Atomics.or(this.#words, this.#layout.dirtyWord(reader) + offset, bit);
    this.#bells[reader]!.ring();
  }
}

/** One thread that reads the rows and may watch them. */
export class SlateRowsReader {
  readonly #layout: SlateLayout;
  readonly #words: Int32Array;
  readonly #watchedWord: number;
  readonly #dirtyWord: number;
  readonly #wantedWord: number;
  readonly #fence = new Int32Array(new SharedArrayBuffer(4));

  constructor(memory: SharedArrayBuffer, copyNumbers: number, reader: number) {
    this.#layout = new SlateLayout(memory, copyNumbers);
    this.#words = this.#layout.words;
    this.#watchedWord = this.#layout.watchedWord(reader);
    this.#dirtyWord = this.#layout.dirtyWord(reader);
    this.#wantedWord = this.#layout.wantedWord(reader);
  }

  /**
   * Watch first, then read: what is written after the watch is announced, what was written before it is what read gives.
   * A write under way while a row is unwatched may still be announced.
   */
  watch(row: InstrumentIndex, isWatched: boolean): void {
    this.#setBit(this.#watchedWord, row, isWatched);
  }

  /** Asks the writer to keep the row fresh, without an announcement of every write. */
  keepAwake(row: InstrumentIndex, isAwake: boolean): void {
    this.#setBit(this.#wantedWord, row, isAwake);
  }

  /** Neither watches a row nor wants one: for a thread that takes the place of one that died. */
  forget(): void {
    for (const bitmapWord of [this.#watchedWord, this.#wantedWord, this.#dirtyWord]) {
      for (let offset = 0; offset < this.#layout.bitmapWords; offset += 1) {
        Atomics.store(this.#words, bitmapWord + offset, 0);
      }
    }
  }

  /**
   * Hands over, by ascending row, each watched row that was written since it was last taken, once. A row's mark is
   * cleared before it is handed over, so a later write marks it anew; when `handle` throws, the rows behind stay marked.
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

  /** The row as one write left it, never a mix of two. `loadCopy` may be called again, and its first values be dropped. */
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
