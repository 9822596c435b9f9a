import type { Lots, Ticks } from '../../model/quantity.js';
import type { BookOrder } from './book-order.js';

/**
 * The orders at one price of one side, in the order of their arrival:
 *
 *     front ─▶ order ⇄ order ⇄ order ◀─ rear: new arrivals
 *
 * The links lie in the orders themselves, so that any of them leaves without a search.
 */
export class PriceLevel {
  price = 0 as Ticks;
  /** Sum of the leaves. */
  quantity = 0 as Lots;
  front: BookOrder | null = null;
  rear: BookOrder | null = null;

  get isEmpty(): boolean {
    return this.front === null;
  }

  enqueue(order: BookOrder): void {
    const rear = this.rear;
    order.level = this;
    order.ahead = rear;
    if (rear === null) this.front = order;
    else rear.behind = order;
    this.rear = order;
    this.quantity = (this.quantity + order.leaves) as Lots;
  }

  /** Takes out an order of this level, with whatever leaves it has. */
  remove(order: BookOrder): void {
    const { ahead, behind } = order;
    if (ahead === null) this.front = behind;
    else ahead.behind = behind;
    if (behind === null) this.rear = ahead;
    else behind.ahead = ahead;
    order.level = null;
    // An owner may keep an order that is done: it must not keep its former neighbours in memory.
    order.ahead = null;
    order.behind = null;
    this.quantity = (this.quantity - order.leaves) as Lots;
  }

  /** Takes lots from an order of this level; it stays where it is, even with none left. */
  reduce(order: BookOrder, lots: Lots): void {
    order.leaves = (order.leaves - lots) as Lots;
    this.quantity = (this.quantity - lots) as Lots;
  }
}
