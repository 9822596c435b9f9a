import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';

/** The participant whose orders are the background's: they are nobody's, and never count as trading with themselves. */
export const BACKGROUND = 0;

/** The price of a market order that takes any. */
export const ANY_PRICE = 0 as Ticks;

/** What an order is when it comes to the book. */
export interface BookOrderTerms {
  readonly id: number;
  /** Whose order it is: 0 for the background, any other integer for one that may be kept from trading with itself. */
  readonly participant: number;
  readonly side: Side;
  /** Above 0: the limit, or the worst price a market order accepts. Only a market order may have ANY_PRICE. */
  readonly price: Ticks;
  /** Lots to trade, above 0. */
  readonly leaves: Lots;
}

/** GTC rests with what it has left, IOC expires with it, FOK is filled whole at once or refused. */
export type BookTimeInForce = 'GTC' | 'IOC' | 'FOK';

/**
 * What became of an order. RESTING: in the book with what it has left. FILLED: nothing left. EXPIRED: the rest of an IOC
 * or market order, or ended by self-trade prevention. WOULD_CROSS (post-only) and NOT_FILLABLE (FOK): refused, and nothing
 * has changed.
 */
export type SubmitResult = 'RESTING' | 'FILLED' | 'EXPIRED' | 'WOULD_CROSS' | 'NOT_FILLABLE';

/**
 * What came of a taker's meeting with one maker. PREVENTED: no trade of a participant with itself, and the taker goes on
 * with what it has left; ENDED: it does not. OUT_OF_REACH: there is nobody at a price that the taker accepts.
 */
export type Meeting = 'TRADED' | 'PREVENTED' | 'ENDED' | 'OUT_OF_REACH';

/** The last price that a taker accepts. */
export function worstPrice(takerSide: Side, price: Ticks): Ticks {
  return price === ANY_PRICE && takerSide === 'BUY' ? (Number.MAX_SAFE_INTEGER as Ticks) : price;
}
