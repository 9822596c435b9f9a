import type { MatchingOperation } from '../../../bench/matching/players.js';
import type { Side } from '../../../src/domain/order.js';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import { BookOrder, type SubmitResult } from '../../../src/sim/matching/book-order.js';
import { type BookListener, OrderBook } from '../../../src/sim/matching/order-book.js';

/** Number of levels read on each side. */
const LEVELS = 100;

/** An order book that logs its events, one line each. */
export class LoggedBook implements BookListener {
  readonly book = new OrderBook(this);
  readonly log: string[] = [];
  readonly #orders = new Map<number, BookOrder>();

  order(id: number): BookOrder {
    const order = this.#orders.get(id);
    if (order === undefined) throw new Error(`no order ${id} was placed`);
    return order;
  }

  play(operation: MatchingOperation): void {
    switch (operation.kind) {
      case 'limit': {
        const { timeInForce, postOnly, stp } = operation;
        const order = this.#new(operation);
        return this.#ended(order, this.book.limit(order, timeInForce, postOnly, stp));
      }
      case 'market': {
        const order = this.#new(operation);
        return this.#ended(order, this.book.market(order, operation.stp));
      }
      case 'cancel': {
        const order = this.#orders.get(operation.id);
        if (order?.isResting !== true) return;
        this.book.cancel(order);
        this.log.push(`${order.id} cancelled, ${order.leaves} left`);
        return;
      }
      default:
        operation.kind satisfies never;
    }
  }

  traded(taker: BookOrder, maker: BookOrder, price: Ticks, quantity: Lots): void {
    this.log.push(
      `${taker.id} takes ${quantity} at ${price} from ${maker.id}, ${taker.leaves} and ${maker.leaves} left`,
    );
  }

  prevented(order: BookOrder, quantity: Lots): void {
    this.log.push(`${order.id} loses ${quantity}, ${order.leaves} left`);
  }

  /** Every level, best first, as `price: id×leaves id×leaves`. Throws when sums or links of a level are wrong. */
  levels(side: Side): string[] {
    const prices = new Float64Array(LEVELS);
    const quantities = new Float64Array(LEVELS);
    const count = this.book.depth(side, prices, quantities, LEVELS);
    return Array.from({ length: count }, (_, index) => this.#level(side, prices[index] as Ticks, quantities[index]!));
  }

  #level(side: Side, price: Ticks, quantity: number): string {
    const texts: string[] = [];
    let sum = 0;
    let ahead: BookOrder | null = null;
    for (let order = this.book.frontOf(side, price); order !== null; order = order.behind) {
      if (order.ahead !== ahead || !order.isResting) throw new Error(`the links of order ${order.id} are wrong`);
      ahead = order;
      sum += order.leaves;
      texts.push(`${order.id}×${order.leaves}`);
    }
    if (sum !== quantity || this.book.quantityAt(side, price) !== quantity)
      throw new Error(`${sum} lots rest at ${price}, but the book has ${quantity}`);
    return `${price}: ${texts.join(' ')}`;
  }

  #new(operation: MatchingOperation): BookOrder {
    const order = new BookOrder(operation);
    this.#orders.set(order.id, order);
    return order;
  }

  #ended(order: BookOrder, result: SubmitResult): void {
    this.log.push(`${order.id} ${result}, ${order.leaves} left`);
  }
}
