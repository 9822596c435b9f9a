import { assert } from '../../model/assert.js';
import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { BookOrder } from './book-order.js';
import { PriceLevel } from './price-level.js';

/**
 * The bids or the asks of one instrument: price levels, none empty, sorted so that the best is last. Most levels come
 * and go near the best, where that moves few of the others.
 */
export class BookSide {
  readonly #levels: PriceLevel[] = [];
  /** Emptied levels, to be used again. */
  readonly #spare: PriceLevel[] = [];
  /** Rank = sign × price: the higher the better, on both sides. */
  readonly #sign: 1 | -1;

  constructor(side: Side) {
    this.#sign = side === 'BUY' ? 1 : -1;
  }

  get levelCount(): number {
    return this.#levels.length;
  }

  get best(): PriceLevel | null {
    const count = this.#levels.length;
    return count === 0 ? null : this.#levels[count - 1]!;
  }

  /** The level with `rank` better ones before it; 0 is the best. */
  at(rank: number): PriceLevel {
    return this.#levels[this.#levels.length - 1 - rank]!;
  }

  /** Whether a taker with this limit accepts the price. */
  isWithin(price: Ticks, limit: Ticks): boolean {
    return this.#sign * price >= this.#sign * limit;
  }

  find(price: Ticks): PriceLevel | null {
    const level = this.#levels[this.#placeOf(price)];
    return level?.price === price ? level : null;
  }

  /** Puts an order at the rear of its price. */
  rest(order: BookOrder): void {
    this.#level(order.price).enqueue(order);
  }

  /** Takes a resting order of this side out. */
  remove(order: BookOrder): void {
    const level = order.level!;
    level.remove(order);
    if (level.isEmpty) this.#drop(level);
  }

  #level(price: Ticks): PriceLevel {
    const levels = this.#levels;
    const place = this.#placeOf(price);
    const found = levels[place];
    if (found?.price === price) return found;
    const level = this.#spare.pop() ?? new PriceLevel(price);
    level.price = price;
    levels.push(level);
    for (let index = levels.length - 1; index > place; index -= 1) levels[index] = levels[index - 1]!;
    levels[place] = level;
    return level;
  }

  #drop(level: PriceLevel): void {
    const levels = this.#levels;
    const place = this.#placeOf(level.price);
    assert(levels[place] === level, 'every level lies at its price');
    for (let index = place + 1; index < levels.length; index += 1) levels[index - 1] = levels[index]!;
    levels.pop();
    this.#spare.push(level);
  }

  /** Place of the first level that is no worse than the price. */
  #placeOf(price: Ticks): number {
    const rank = this.#sign * price;
    let low = 0;
    let high = this.#levels.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#sign * this.#levels[middle]!.price < rank) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Lots at `limit` or better, counted no further than `wanted`. */
  available(wanted: Lots, limit: Ticks): Lots {
    let lots = 0;
    for (let index = this.#levels.length - 1; index >= 0 && lots < wanted; index -= 1) {
      const level = this.#levels[index]!;
      if (!this.isWithin(level.price, limit)) break;
      lots += level.quantity;
    }
    return Math.min(lots, wanted) as Lots;
  }
}
