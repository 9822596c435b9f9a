import type { MatchingOperation } from '../../../bench/matching-operation.js';
import type { Side } from '../../../src/model/order.js';
import type { Lots, Ticks } from '../../../src/model/quantity.js';
import { BookOrder, OrderBook, type BookListener, type SubmitResult } from '../../../src/venue/matching/index.js';

/** How many levels a side are looked at. */
const LEVELS = 100;

/** Our book with everything it says written down, one line an event. */
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
      case 'amend': {
        const { id, price, leaves, postOnly, stp } = operation;
        const order = this.#orders.get(id);
        if (order?.isResting === true) this.#ended(order, this.book.amend(order, price, leaves, postOnly, stp));
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

  /** Every level from the best on, as `price: id×leaves id×leaves`. Throws where sums or links of a level are wrong. */
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
      throw new Error(`${sum} lots rest at ${price}, the book says ${quantity}`);
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
