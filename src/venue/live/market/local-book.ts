import { BOOK_CHANGES_WAITING_MAX, BOOK_LEVELS_MAX } from '../../../domain/limits/live.js';
import { DEPTH_LEVELS_COUNT } from '../../../domain/limits/trading.js';
import type { Level } from '../json/json-fields.js';
import type { Depth } from '../normal/records.js';

/**
 * How the changes of one exchange follow each other. `first`: the change continues the snapshot. `next`: no change is
 * missing between two. A change whose last id is not above the snapshot's has been dropped before.
 */
export interface BookSequence {
  first(change: Depth, snapshotId: number): boolean;
  next(change: Depth, previousId: number): boolean;
}

/**
 * `whole`: the book may be shown. `waiting`: it has no snapshot yet. `broken`: a change is missing; it needs a new
 * snapshot.
 */
export type BookState = 'whole' | 'waiting' | 'broken';

/** One order book: a snapshot and the changes after it. A gap in the sequence empties it. */
export class LocalBook {
  readonly #sequence: BookSequence;
  readonly #bids = new BookSide(-1);
  readonly #asks = new BookSide(1);
  /** Changes before the snapshot. */
  #waiting: Depth[] = [];
  /** Id of the last change in the book; null without a snapshot. */
  #lastId: number | null = null;
  /** True until a change has followed the snapshot. */
  #isFirst = true;

  constructor(sequence: BookSequence) {
    this.#sequence = sequence;
  }

  get isWhole(): boolean {
    return this.#lastId !== null;
  }

  /** Forgets everything: the connection is cut. */
  clear(): void {
    this.#waiting = [];
    this.#lastId = null;
    this.#isFirst = true;
    this.#bids.clear();
    this.#asks.clear();
  }

  change(record: Depth): BookState {
    if (this.#lastId !== null) return this.#apply(record);
    // A late snapshot is newer than the oldest changes.
    if (this.#waiting.length >= BOOK_CHANGES_WAITING_MAX) this.#waiting.shift();
    this.#waiting.push(record);
    return 'waiting';
  }

  /** `broken`: the snapshot is older than the first waiting change. Those that follow it wait for the next snapshot. */
  snapshot(record: Depth): BookState {
    const waiting = this.#waiting;
    this.clear();
    this.#lastId = Number(record.lastUpdateId);
    this.#bids.set(record.bids);
    this.#asks.set(record.asks);
    for (const [index, change] of waiting.entries()) {
      if (this.#apply(change) !== 'broken') continue;
      this.#waiting = waiting.slice(index);
      return 'broken';
    }
    return 'whole';
  }

  /** The best levels as a whole book. */
  shown(symbol: string, atMs: Depth['atMs']): Depth {
    return {
      kind: 'Depth',
      symbol,
      isSnapshot: true,
      bids: this.#bids.best(),
      asks: this.#asks.best(),
      firstUpdateId: null,
      lastUpdateId: String(this.#lastId),
      previousUpdateId: null,
      atMs,
    };
  }

  #apply(record: Depth): BookState {
    const lastId = this.#lastId!;
    if (this.#isFirst && Number(record.lastUpdateId) <= lastId) return 'whole';
    const follows = this.#isFirst ? this.#sequence.first(record, lastId) : this.#sequence.next(record, lastId);
    if (!follows) {
      this.clear();
      this.#waiting.push(record);
      return 'broken';
    }
    this.#isFirst = false;
    this.#lastId = Number(record.lastUpdateId);
    this.#bids.set(record.bids);
    this.#asks.set(record.asks);
    return 'whole';
  }
}

/** One side, best level first. */
class BookSide {
  readonly #direction: -1 | 1;
  /** Prices of `#levels` for the order alone: a float64 keeps the order of all prices with up to 15 digits. */
  #prices: number[] = [];
  #levels: Level[] = [];

  constructor(direction: -1 | 1) {
    this.#direction = direction;
  }

  clear(): void {
    this.#prices = [];
    this.#levels = [];
  }

  set(levels: readonly Level[]): void {
    for (const level of levels) this.#setLevel(level);
    // Levels far from the best are never shown.
    if (this.#levels.length > BOOK_LEVELS_MAX) this.#prices.length = this.#levels.length = BOOK_LEVELS_MAX;
  }

  best(): readonly Level[] {
    return this.#levels.slice(0, DEPTH_LEVELS_COUNT);
  }

  #setLevel(level: Level): void {
    const price = Number(level.price);
    const at = this.#place(price);
    const isKnown = this.#prices[at] === price;
    if (level.quantity === '0') {
      if (isKnown) this.#remove(at);
    } else if (isKnown) this.#levels[at] = level;
    else {
      this.#prices.splice(at, 0, price);
      this.#levels.splice(at, 0, level);
    }
  }

  #remove(at: number): void {
    this.#prices.splice(at, 1);
    this.#levels.splice(at, 1);
  }

  /** Index of the first level that is not better than the price. */
  #place(price: number): number {
    let [low, high] = [0, this.#prices.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#prices[middle]! - price) * this.#direction < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
