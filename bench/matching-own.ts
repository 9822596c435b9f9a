import type { Lots, Ticks } from '../src/model/quantity.js';
import { BookOrder, OrderBook, type BookListener } from '../src/venue/matching/index.js';
import type { FillSink, MatchingOperation, MatchingPlayer } from './matching-operation.js';

/** Our book. Its owner keeps the orders: here by their ids, which are small. */
export class OwnPlayer implements MatchingPlayer, BookListener {
  readonly book = new OrderBook(this);
  readonly #orders: (BookOrder | null)[] = [];
  readonly #sink: FillSink;

  constructor(sink: FillSink) {
    this.#sink = sink;
  }

  isResting(id: number): boolean {
    return (this.#orders[id] ?? null) !== null;
  }

  play(operation: MatchingOperation): void {
    switch (operation.kind) {
      case 'limit':
        return this.#limit(operation);
      case 'market':
        this.book.market(new BookOrder(operation), operation.stp);
        return;
      case 'cancel':
        return this.#cancel(operation);
      case 'amend':
        return this.#amend(operation);
      default:
        operation.kind satisfies never;
    }
  }

  traded(taker: BookOrder, maker: BookOrder, price: Ticks, quantity: Lots): void {
    if (!maker.isResting) this.#orders[maker.id] = null;
    this.#sink(taker.id, maker.id, price, quantity);
  }

  prevented(order: BookOrder): void {
    if (!order.isResting) this.#orders[order.id] = null;
  }

  #limit(operation: MatchingOperation): void {
    const order = new BookOrder(operation);
    const result = this.book.limit(order, operation.timeInForce, operation.postOnly, operation.stp);
    this.#orders[operation.id] = result === 'RESTING' ? order : null;
  }

  #cancel({ id }: MatchingOperation): void {
    const order = this.#orders[id] ?? null;
    if (order === null) return;
    this.book.cancel(order);
    this.#orders[id] = null;
  }

  #amend({ id, price, leaves }: MatchingOperation): void {
    const order = this.#orders[id] ?? null;
    if (order !== null && this.book.amend(order, price, leaves) !== 'RESTING') this.#orders[id] = null;
  }
}
