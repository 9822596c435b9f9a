import { formatAmount, type Amount } from '../model/amount.js';
import { formatLots, formatTicks, type Lots } from '../model/quantity.js';
import type { Rejection } from '../model/rejection.js';
import type { ChildSubmission } from '../model/venue-message.js';
import type { Book } from './book.js';
import { filterRefusal, type FilterView } from './listing/index.js';
import { heldAmount, heldAsset, notionalOf, type TradingTerms } from './account/trading-terms.js';
import type { VenueAccount } from './account/venue-account.js';

/** An order on its way in, and what decides whether it may. */
export interface Candidate {
  readonly submission: ChildSubmission;
  readonly terms: TradingTerms;
  readonly book: Book;
  readonly account: VenueAccount;
}

/** Why the venue refuses the order; null when it takes it. */
export function refusalOf(candidate: Candidate): Rejection | null {
  const { submission, terms } = candidate;
  return (
    filterRefusal(submission, terms.instrument, viewOf(candidate)) ??
    checkPostOnly(candidate) ??
    checkReduceOnly(candidate) ??
    checkFunds(candidate)
  );
}

/** Bands are measured from the mid, or from the one side there is. */
function viewOf({ submission, terms, book, account }: Candidate): FilterView {
  const [bid, ask] = [book.bids.best?.price ?? null, book.asks.best?.price ?? null];
  return {
    referencePrice: bid === null || ask === null ? (bid ?? ask) : (bid + ask) / 2,
    touchPrice: submission.side === 'BUY' ? ask : bid,
    restingCount: account.restingCount(terms.instrument.symbol),
  };
}

function checkPostOnly({ submission, terms: { instrument }, book }: Candidate): Rejection | null {
  const { postOnly, type, timeInForce, side, limitPrice } = submission;
  if (!postOnly) return null;
  if (!instrument.filters.isPostOnlyOffered) return invalid(`post_only: ${instrument.venue} does not offer it`);
  if (type === 'MARKET' || timeInForce === 'IOC' || limitPrice === null) {
    return invalid('post_only: only a LIMIT order that may rest can be post-only');
  }
  if (!book.isCrossing(side, limitPrice)) return null;
  return invalid(`post_only: limit_price ${formatTicks(limitPrice, instrument)} would trade at once`);
}

function checkReduceOnly({ submission, terms, account }: Candidate): Rejection | null {
  const { reduceOnly, side, quantity } = submission;
  if (!reduceOnly) return null;
  const { instrument, isFuture } = terms;
  if (!isFuture) return invalid(`reduce_only: ${instrument.symbol} is no future`);
  const position = account.position(instrument.symbol);
  const promised = position.reducers.reduce((lots, order) => lots + order.leaves, 0);
  const room = Math.max(0, position.reducible(side) - promised) as Lots;
  if (quantity <= room) return null;
  const [wanted, possible] = [formatLots(quantity, instrument), formatLots(room, instrument)];
  return invalid(`reduce_only: quantity ${wanted} exceeds ${possible}, what is left to reduce`);
}

/** What trades at once is checked at the prices it meets, the rest at the order's limit. */
function checkFunds({ submission, terms, book, account }: Candidate): Rejection | null {
  const { side, quantity, limitPrice } = submission;
  const preview = book.opposite(side).preview(quantity, limitPrice);
  const rest = (quantity - preview.quantity) as Lots;
  const notional = preview.notional + (limitPrice === null ? 0n : notionalOf(rest, limitPrice));
  const needed = heldAmount(terms, submission, quantity, notional);
  const asset = heldAsset(terms, side);
  const free = account.free(asset);
  if (needed <= free || needed === 0n) return null;
  return {
    code: 'INSUFFICIENT_FUNDS',
    message: `needs ${formatAmount(needed as Amount)} ${asset}, free are ${formatAmount(free)}`,
  };
}

function invalid(message: string): Rejection {
  return { code: 'INVALID_ORDER', message };
}
