import type { Lots, Ticks } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import type { TradingTerms } from '../account/trading-terms.js';
import type { OrderBook } from '../matching/order-book.js';
import type { VenueOrder } from './venue-order.js';

/** One of our orders as a taker. */
export interface Taker {
  readonly quantity: Lots;
  /** null: any price. */
  readonly limit: Ticks | null;
  readonly order: VenueOrder;
}

/** The market in which the orders of an instrument trade: a simulated one, or a real one that is only watched. */
export interface OrderMarket {
  readonly terms: TradingTerms;
  /** For the checks of new orders. */
  readonly book: Pick<OrderBook, 'bestBid' | 'bestAsk' | 'preview'>;
  /** The next sequence number, unique among the orders and fills of this instrument. */
  nextSequence(): number;
  /** Trades the order at once as far as possible. */
  trade(taker: Taker, atMs: EpochMs): void;
  /** Rests the leaves of an order that has traded its crossing part. */
  rest(order: VenueOrder): void;
  /** Removes a resting order from the book. */
  remove(order: VenueOrder): void;
}
