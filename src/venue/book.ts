import type { Side } from '../model/order.js';
import type { Ticks } from '../model/quantity.js';
import { BookSide } from './book-side.js';
import type { VenueOrder } from './order/venue-order.js';

/** The order book of one instrument. */
export class Book {
  readonly bids = new BookSide('BUY');
  readonly asks = new BookSide('SELL');
  #restingCount = 0;

  /** Our orders in the book. */
  get restingCount(): number {
    return this.#restingCount;
  }

  /** Where orders of this side rest. */
  side(side: Side): BookSide {
    return side === 'BUY' ? this.bids : this.asks;
  }

  /** What orders of this side trade against. */
  opposite(side: Side): BookSide {
    return side === 'BUY' ? this.asks : this.bids;
  }

  /** Whether an order of this side and price would trade at once. */
  isCrossing(side: Side, price: Ticks): boolean {
    const opposite = this.opposite(side);
    return opposite.best !== undefined && opposite.isWithin(opposite.best.price, price);
  }

  rest(order: VenueOrder): void {
    this.side(order.submission.side).rest(order);
    this.#restingCount += 1;
  }

  /** Takes out an order that still has leaves. */
  remove(order: VenueOrder): void {
    this.side(order.submission.side).remove(order);
    this.#restingCount -= 1;
  }

  /** A resting order has been filled to the last lot and so has left its level. */
  noteDone(): void {
    this.#restingCount -= 1;
  }
}
