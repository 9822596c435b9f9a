import { assert } from '../../model/assert.js';
import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { QueuePosition } from './queue-position.js';
import type { ReplayOrder } from './replay-order.js';
import { isBetter } from './shown-book.js';

/** An order of ours that waits in the recorded book. */
export interface RestingOrder {
  readonly order: ReplayOrder;
  readonly price: Ticks;
  readonly queue: QueuePosition;
}

/** Our own waiting orders, by price and time. There are few: a parent works some dozens of children at the most. */
export class RestingOrders {
  #bids: readonly RestingOrder[] = [];
  #asks: readonly RestingOrder[] = [];

  get count(): number {
    return this.#bids.length + this.#asks.length;
  }

  /** Best first. The list does not change while it is read: every change makes a new one. */
  side(side: Side): readonly RestingOrder[] {
    return side === 'BUY' ? this.#bids : this.#asks;
  }

  /** Best price of ours; 0 when none waits. */
  best(side: Side): Ticks {
    return this.side(side)[0]?.price ?? (0 as Ticks);
  }

  quantityAt(side: Side, price: Ticks): Lots {
    let lots = 0;
    for (const resting of this.side(side)) if (resting.price === price) lots += resting.order.leaves;
    return lots as Lots;
  }

  add(order: ReplayOrder, queue: QueuePosition): void {
    const { side, limitPrice } = order.submission;
    assert(limitPrice !== null, 'only limit orders rest');
    const orders = this.side(side);
    const before = orders.filter(({ price }) => !isBetter(side, limitPrice, price));
    this.#put(side, [...before, { order, price: limitPrice, queue }, ...orders.slice(before.length)]);
  }

  remove(order: ReplayOrder): void {
    this.#put(
      order.side,
      this.side(order.side).filter((resting) => resting.order !== order),
    );
  }

  #put(side: Side, orders: readonly RestingOrder[]): void {
    if (side === 'BUY') this.#bids = orders;
    else this.#asks = orders;
  }
}
