import type { Lots, Ticks } from '../../model/quantity.js';
import { ANY_PRICE, BookOrder } from '../matching/index.js';
import type { VenueOrder } from '../order/venue-order.js';

/** One of our orders as the book sees it. */
export class OwnOrder extends BookOrder {
  readonly order: VenueOrder;

  constructor(order: VenueOrder, terms: { participant: number; limit: Ticks | null; leaves: Lots }) {
    const { participant, limit, leaves } = terms;
    super({ id: order.sequence, participant, side: order.submission.side, price: limit ?? ANY_PRICE, leaves });
    this.order = order;
  }
}
