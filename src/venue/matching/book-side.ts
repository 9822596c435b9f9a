import { assert } from '../../model/assert.js';
import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { BookOrder } from './book-order.js';
import { PriceLevel } from './price-level.js';

/**
 * The bids or the asks of one instrument: price levels, none empty, in an array with the best at its end.
 *
 *     worst │ … │ … │ … │ third │ second │ best
 *
 * Levels come and go near the best, where that moves few others. Prices in an array of their own, a search that starts at
 * the best, and a cache of levels by price were measured: none of them made a stream of orders a tenth faster.
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

  /** The level that `index` others are better than; 0 is the best. */
  at(index: number): PriceLevel {
    return this.#levels[this.#levels.length - 1 - index]!;
  }

  find(price: Ticks): PriceLevel | null {
    const level = this.#levels[this.#placeOf(price)];
    return level?.price === price ? level : null;
  }

  /** Whether a taker that accepts prices down to `worst` accepts this one. */
  isWithin(price: Ticks, worst: Ticks): boolean {
    return this.#sign * price >= this.#sign * worst;
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

  /** Lots that a taker finds down to `worst`, counted no further than `wanted`. */
  available(wanted: Lots, worst: Ticks): Lots {
    let found = 0;
    for (let place = this.#levels.length - 1; place >= 0 && found < wanted; place -= 1) {
      const level = this.#levels[place]!;
      if (!this.isWithin(level.price, worst)) break;
      found += level.quantity;
    }
    return Math.min(found, wanted) as Lots;
  }

  /** The same with what it costs, in lots × ticks. */
  preview(wanted: Lots, worst: Ticks): { quantity: Lots; notional: bigint } {
    let left: number = wanted;
    let notional = 0n;
    for (let place = this.#levels.length - 1; place >= 0 && left > 0; place -= 1) {
      const level = this.#levels[place]!;
      if (!this.isWithin(level.price, worst)) break;
      const quantity = Math.min(left, level.quantity);
      notional += BigInt(quantity) * BigInt(level.price);
      left -= quantity;
    }
    return { quantity: (wanted - left) as Lots, notional };
  }

  /** The level of a price; made when there is none, and then to be filled. */
  #level(price: Ticks): PriceLevel {
    const levels = this.#levels;
    const place = this.#placeOf(price);
    const found = levels[place];
    if (found?.price === price) return found;
    const level = this.#spare.pop() ?? new PriceLevel();
    level.price = price;
    levels.push(level);
    for (let index = levels.length - 1; index > place; index -= 1) levels[index] = levels[index - 1]!;
    levels[place] = level;
    return level;
  }

  #drop(level: PriceLevel): void {
    const levels = this.#levels;
    const place = this.#placeOf(level.price);
    assert(levels[place] === level, 'every level lies where its price belongs');
    for (let index = place + 1; index < levels.length; index += 1) levels[index - 1] = levels[index]!;
    levels.pop();
    this.#spare.push(level);
  }

  /** Place of the worst level that is at least as good as the price. */
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
}
