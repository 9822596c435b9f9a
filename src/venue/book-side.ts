import { assert } from '../model/assert.js';
import type { Side } from '../model/order.js';
import type { Lots, Ticks } from '../model/quantity.js';
import { PriceLevel, type Contact } from './price-level.js';
import { notionalOf } from './account/trading-terms.js';
import type { VenueOrder } from './order/venue-order.js';

/** The bids or the asks of one instrument: price levels, best first, none empty. */
export class BookSide {
  readonly #levels: PriceLevel[] = [];
  /** Rank = sign × price: the lower the better, on both sides. */
  readonly #sign: 1 | -1;

  constructor(side: Side) {
    this.#sign = side === 'SELL' ? 1 : -1;
  }

  get best(): PriceLevel | undefined {
    return this.#levels[0];
  }

  get levels(): readonly PriceLevel[] {
    return this.#levels;
  }

  /** Whether `price` is at least as good for a taker as `limit`; null: any price is. */
  isWithin(price: Ticks, limit: Ticks | null): boolean {
    return limit === null || this.#sign * price <= this.#sign * limit;
  }

  /** The level of a price; made when there is none, and then to be filled. */
  level(price: Ticks): PriceLevel {
    const place = this.#placeOf(price);
    const found = this.#levels[place];
    if (found?.price === price) return found;
    const level = new PriceLevel(price);
    this.#levels.splice(place, 0, level);
    return level;
  }

  /** Takes the background's whole quantity at a price back. */
  clearBackground(price: Ticks): void {
    const place = this.#placeOf(price);
    const level = this.#levels[place];
    if (level?.price !== price) return;
    level.clearBackground();
    if (level.isEmpty) this.#levels.splice(place, 1);
  }

  rest(order: VenueOrder): void {
    this.level(order.price).enqueue(order);
  }

  remove(order: VenueOrder): void {
    const place = this.#placeOf(order.price);
    const level = this.#levels[place];
    assert(level?.price === order.price, 'a resting order has its level');
    level.remove(order);
    if (level.isEmpty) this.#levels.splice(place, 1);
  }

  /** Takes up to `wanted` lots of what is first in line at `limit` or better; null when nothing is. */
  take(wanted: Lots, limit: Ticks | null): Contact | null {
    const best = this.#levels[0];
    if (best === undefined || !this.isWithin(best.price, limit)) return null;
    const contact = best.take(wanted);
    if (best.isEmpty) this.#levels.shift();
    return contact;
  }

  /** What taking `wanted` lots at `limit` or better would trade: lots, and their notional in lot-ticks. */
  preview(wanted: Lots, limit: Ticks | null): { readonly quantity: Lots; readonly notional: bigint } {
    let left: number = wanted;
    let notional = 0n;
    for (const level of this.#levels) {
      if (left === 0 || !this.isWithin(level.price, limit)) break;
      const quantity = Math.min(left, level.quantity) as Lots;
      notional += notionalOf(quantity, level.price);
      left -= quantity;
    }
    return { quantity: (wanted - left) as Lots, notional };
  }

  /** Place of the first level that is no better than the price. */
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
