import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';

const LEVELS_AT_FIRST = 1024;

/**
 * One side of a recorded book: prices and the quantities that wait there. Sorted with the best price at the end, where
 * most changes are, so that little has to be moved for them.
 */
export class DepthSide {
  /** +1 for bids, -1 for asks: times this, a better price is a larger number. */
  readonly #sign: 1 | -1;
  #keys = new Float64Array(LEVELS_AT_FIRST);
  #quantities = new Float64Array(LEVELS_AT_FIRST);
  #count = 0;

  constructor(side: Side) {
    this.#sign = side === 'BUY' ? 1 : -1;
  }

  get count(): number {
    return this.#count;
  }

  /** Price of a level counted from the best one, 0; 0 when there is none. */
  price(rank: number): Ticks {
    return (rank < this.#count ? this.#keys[this.#count - 1 - rank]! * this.#sign : 0) as Ticks;
  }

  quantity(rank: number): Lots {
    return (rank < this.#count ? this.#quantities[this.#count - 1 - rank]! : 0) as Lots;
  }

  quantityAt(price: Ticks): Lots {
    const key = price * this.#sign;
    const index = this.#find(key);
    return (index < this.#count && this.#keys[index] === key ? this.#quantities[index]! : 0) as Lots;
  }

  /** The first rank whose price is no better than `price`. */
  rankOf(price: Ticks): number {
    const key = price * this.#sign;
    const index = this.#find(key);
    const isThere = index < this.#count && this.#keys[index] === key;
    return this.#count - index - (isThere ? 1 : 0);
  }

  /** Says what waits at a price from now on; 0 removes the level. */
  set(price: Ticks, quantity: Lots): void {
    const key = price * this.#sign;
    const index = this.#find(key);
    const isThere = index < this.#count && this.#keys[index] === key;
    if (quantity === 0) {
      if (isThere) this.#remove(index);
    } else if (isThere) this.#quantities[index] = quantity;
    else this.#insert(index, key, quantity);
  }

  clear(): void {
    this.#count = 0;
  }

  /** The first index whose key is not below `key`. */
  #find(key: number): number {
    const keys = this.#keys;
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (keys[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #insert(index: number, key: number, quantity: number): void {
    if (this.#count === this.#keys.length) {
      this.#keys = doubled(this.#keys);
      this.#quantities = doubled(this.#quantities);
    }
    this.#keys.copyWithin(index + 1, index, this.#count);
    this.#quantities.copyWithin(index + 1, index, this.#count);
    this.#keys[index] = key;
    this.#quantities[index] = quantity;
    this.#count += 1;
  }

  #remove(index: number): void {
    this.#keys.copyWithin(index, index + 1, this.#count);
    this.#quantities.copyWithin(index, index + 1, this.#count);
    this.#count -= 1;
  }
}

function doubled(values: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(values.length * 2);
  larger.set(values);
  return larger;
}
