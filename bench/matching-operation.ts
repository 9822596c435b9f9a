import type { BookOrderTerms, BookTimeInForce, SelfTradePrevention } from '../src/venue/matching/index.js';

/**
 * One operation on an order book, in a shape that every book can be made to understand. `limit` and `market` bring a new
 * order; `cancel` and `amend` name an earlier one, that may have left the book by then: nothing happens in that case.
 */
export interface MatchingOperation extends BookOrderTerms {
  readonly kind: 'limit' | 'market' | 'cancel' | 'amend';
  readonly timeInForce: BookTimeInForce;
  readonly postOnly: boolean;
  readonly stp: SelfTradePrevention;
}

/** Told of every fill, in order. */
export type FillSink = (taker: number, maker: number, price: number, quantity: number) => void;

/** A book that plays operations. */
export interface MatchingPlayer {
  play(operation: MatchingOperation): void;
}
