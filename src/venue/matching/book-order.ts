import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { PriceLevel } from './price-level.js';

/** The participant whose orders are the background: it never counts as trading with itself. */
export const BACKGROUND = 0;

/** What an order is when it comes to the book. */
export interface BookOrderTerms {
  readonly id: number;
  /** Whose order it is: orders of one participant are kept from trading with each other. BACKGROUND (0) is nobody's. */
  readonly participant: number;
  readonly side: Side;
  /** Limit of a limit order; of a market order the worst price it accepts, or ANY_PRICE. */
  readonly price: Ticks;
  /** Lots to trade, above 0. */
  readonly leaves: Lots;
}

/**
 * One order, and its place in the book while it rests. Whoever places it owns it and may extend the class; few such
 * classes keep the book fast. Price and leaves are the book's to change while the order rests.
 */
export class BookOrder {
  readonly id: number;
  readonly participant: number;
  readonly side: Side;
  price: Ticks;
  /** Lots still to trade. What remains is left standing here when the order is cancelled or expires. */
  leaves: Lots;

  /** Of the book alone: the level the order rests in, and its neighbours there, towards the front and the rear. */
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
