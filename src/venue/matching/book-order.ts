import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { BookOrderTerms } from './order-terms.js';
import type { PriceLevel } from './price-level.js';

/**
 * One order, and its place in the book while it rests. Whoever places it owns it and may extend the class: the book holds
 * it only as long as it rests. Price and leaves are the book's to change.
 */
export class BookOrder {
  readonly id: number;
  readonly participant: number;
  readonly side: Side;
  price: Ticks;
  /** Lots still to trade; an order that is cancelled or expires keeps what it had. */
  leaves: Lots;

  /** Of the book alone: the level the order rests in and its neighbours there, towards the front and the rear. */
  level: PriceLevel | null = null;
  ahead: BookOrder | null = null;
  behind: BookOrder | null = null;

  constructor({ id, participant, side, price, leaves }: BookOrderTerms) {
    this.id = id;
    this.participant = participant;
    this.side = side;
    this.price = price;
    this.leaves = leaves;
  }

  get isResting(): boolean {
    return this.level !== null;
  }
}
