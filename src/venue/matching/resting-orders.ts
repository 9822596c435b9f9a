import type { Side } from '../../domain/order.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { QueuePosition } from './queue-model.js';
import { isBetter } from './remaining-book.js';

/** What the matching needs of an order. Its owner books fills, and so changes the leaves. */
export interface MatchedOrder {
  readonly side: Side;
  /** null: any price. */
  readonly limitPrice: Ticks | null;
  readonly leaves: Lots;
  readonly isOpen: boolean;
}

/** True when the limit allows a trade at this price. */
export function accepts({ limitPrice, side }: MatchedOrder, price: Ticks): boolean {
  return limitPrice === null || (side === 'BUY' ? price <= limitPrice : price >= limitPrice);
}

/** One of our orders in the book. */
export interface RestingOrder<Order extends MatchedOrder> {
  readonly order: Order;
  readonly price: Ticks;
  readonly queue: QueuePosition;
}

/** Our resting orders of one instrument by price and time. They are at most some hundreds, so lists suffice. */
export class RestingOrders<Order extends MatchedOrder> {
  #bids: readonly RestingOrder<Order>[] = [];
  #asks: readonly RestingOrder<Order>[] = [];

  get count(): number {
    return this.#bids.length + this.#asks.length;
  }

  /** Best first. Every change makes a new list, so a caller can iterate while orders change. */
  side(side: Side): readonly RestingOrder<Order>[] {
    return side === 'BUY' ? this.#bids : this.#asks;
  }

  /** Best price of our orders; 0 when none rests. */
  best(side: Side): Ticks {
    return this.side(side)[0]?.price ?? (0 as Ticks);
  }

  quantityAt(side: Side, price: Ticks): Lots {
    let lots = 0;
    for (const resting of this.side(side)) if (resting.price === price) lots += resting.order.leaves;
    return lots as Lots;
  }

  add(order: Order, queue: QueuePosition): void {
    const { side, limitPrice } = order;
    assert(limitPrice !== null, 'only limit orders rest');
    const orders = this.side(side);
    const before = orders.filter(({ price }) => !isBetter(side, limitPrice, price));
    this.#put(side, [...before, { order, price: limitPrice, queue }, ...orders.slice(before.length)]);
  }

  remove(order: Order): void {
    this.#put(
      order.side,
      this.side(order.side).filter((resting) => resting.order !== order),
    );
  }

  #put(side: Side, orders: readonly RestingOrder<Order>[]): void {
    if (side === 'BUY') this.#bids = orders;
    else this.#asks = orders;
  }
}
