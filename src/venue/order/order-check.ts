import type { Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { Rejection } from '../../model/rejection.js';
import type { ChildSubmission } from '../../model/venue-message.js';
import type { OrderBook } from '../matching/index.js';
import { crossingRefusal, filterRefusal, type FilterView } from '../listing/index.js';
import { coverRefusal } from '../account/order-cover.js';
import type { TradingTerms } from '../account/trading-terms.js';
import type { MarkOf } from '../account/valuation.js';
import type { VenueAccount } from '../account/venue-account.js';

/** An order on its way in, and what decides whether it may. */
export interface Candidate {
  readonly submission: ChildSubmission;
  readonly terms: TradingTerms;
  readonly book: OrderBook;
  readonly account: VenueAccount;
  readonly markOf: MarkOf;
}

/** Why the venue refuses the order, of which `leaves` are still to trade; null when it takes it. */
export function refusalOf(candidate: Candidate, leaves: Lots): Rejection | null {
  const { submission, terms, book } = candidate;
  const { side, limitPrice } = submission;
  return (
    filterRefusal(submission, terms.instrument, viewOf(candidate)) ??
    checkPostOnly(candidate) ??
    coverRefusal({
      ...candidate,
      submission: { ...submission, quantity: leaves },
      preview: book.preview(side, leaves, limitPrice),
    })
  );
}

/** Bands are measured from the mid, or from the one side there is. */
function viewOf({ submission, terms, book, account }: Candidate): FilterView {
  const [bid, ask] = [book.bestBid() || null, book.bestAsk() || null];
  return {
    referencePrice: bid === null || ask === null ? (bid ?? ask) : (bid + ask) / 2,
    touchPrice: submission.side === 'BUY' ? ask : bid,
    restingCount: account.resting.countIn(terms.instrument.symbol),
  };
}

function checkPostOnly({ submission, terms: { instrument }, book }: Candidate): Rejection | null {
  const { postOnly, type, timeInForce, side, limitPrice } = submission;
  if (!postOnly) return null;
  if (!instrument.filters.isPostOnlyOffered) return invalid(`post_only: ${instrument.venue} does not offer it`);
  if (type === 'MARKET' || timeInForce === 'IOC' || limitPrice === null) {
    return invalid('post_only: only a LIMIT order that may rest can be post-only');
  }
  return isCrossing(book, side, limitPrice) ? crossingRefusal(limitPrice, instrument) : null;
}

/** Whether an order of this side and price would trade at once. */
function isCrossing(book: OrderBook, side: Side, price: Ticks): boolean {
  const opposite = side === 'BUY' ? book.bestAsk() : book.bestBid();
  return opposite !== 0 && (side === 'BUY' ? price >= opposite : price <= opposite);
}

function invalid(message: string): Rejection {
  return { code: 'INVALID_ORDER', message };
}
