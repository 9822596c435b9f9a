import type { Lots, Ticks } from '../model/quantity.js';
import type { VenueOrder } from './order/venue-order.js';

/** What a taker met first: the maker is null when it was the background. */
export interface Contact {
  readonly price: Ticks;
  readonly quantity: Lots;
  readonly maker: VenueOrder | null;
}

/**
 * One price of one side, in time order. Background quantity has no orders of its own; it lies in layers between ours:
 *
 *     front ─▶ │ ahead │ order 1 │ ahead │ order 2 │ … │ tail │ ◀─ new arrivals
 *
 * Background that was there before an order trades before it. What the background takes back leaves from the rear, so
 * an order never gains a place that nobody traded.
 */
export class PriceLevel {
  readonly price: Ticks;
  readonly #queue: VenueOrder[] = [];
  #background = 0;
  #own = 0;
  #tail = 0;

  constructor(price: Ticks) {
    this.price = price;
  }

  get background(): Lots {
    return this.#background as Lots;
  }

  get quantity(): Lots {
    return (this.#background + this.#own) as Lots;
  }

  get isEmpty(): boolean {
    return this.#background + this.#own === 0;
  }

  /** Background arrives at the rear, and leaves from there when the change is negative. */
  changeBackground(change: number): void {
    this.#background += change;
    this.#tail += change;
    for (let place = this.#queue.length - 1; this.#tail < 0; place -= 1) {
      const order = this.#queue[place]!;
      const taken = Math.min(-this.#tail, order.ahead);
      order.ahead -= taken;
      this.#tail += taken;
    }
  }

  clearBackground(): void {
    this.changeBackground(-this.#background);
  }

  enqueue(order: VenueOrder): void {
    order.ahead = this.#tail;
    this.#tail = 0;
    this.#own += order.leaves;
    this.#queue.push(order);
  }

  remove(order: VenueOrder): void {
    const place = this.#queue.indexOf(order);
    const next = this.#queue[place + 1];
    if (next === undefined) this.#tail += order.ahead;
    else next.ahead += order.ahead;
    this.#own -= order.leaves;
    this.#queue.splice(place, 1);
  }

  /** Takes up to `wanted` lots of what is first in line. The maker's fill must be booked before the next take. */
  take(wanted: Lots): Contact {
    const head = this.#queue[0];
    if (head === undefined || head.ahead > 0) return this.#takeBackground(head, wanted);
    const quantity = Math.min(head.leaves, wanted) as Lots;
    this.#own -= quantity;
    if (quantity === head.leaves) this.#queue.shift();
    return { price: this.price, quantity, maker: head };
  }

  #takeBackground(head: VenueOrder | undefined, wanted: Lots): Contact {
    const quantity = Math.min(head === undefined ? this.#tail : head.ahead, wanted) as Lots;
    if (head === undefined) this.#tail -= quantity;
    else head.ahead -= quantity;
    this.#background -= quantity;
    return { price: this.price, quantity, maker: null };
  }
}
