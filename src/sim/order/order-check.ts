import { type Amount, formatAmount, formatLots, type Lots } from '../../domain/quantity.js';
import type { Rejection } from '../../domain/rejection.js';
import type { ChildSubmission } from '../../domain/venue-message.js';
import { crossingRefusal, filterRefusal, type FilterView } from '../../venue/listing/order-filter.js';
import { available, type MarkOf } from '../account/margin.js';
import { notionalCap } from '../account/margin-tier.js';
import { heldAmount, heldAsset, notionalOf, type TradingTerms } from '../account/trading-terms.js';
import type { VenueAccount } from '../account/venue-account.js';
import type { OrderMarket } from './order-market.js';

/** A new order, and the book and account state for its checks. */
export interface Candidate {
  readonly submission: ChildSubmission;
  readonly terms: TradingTerms;
  readonly book: OrderMarket['book'];
  readonly account: VenueAccount;
  readonly markOf: MarkOf;
}

/**
 * The reason to refuse a new order; null when the venue accepts it. Checks in order: filters of the instrument,
 * post-only (INVALID_ORDER), funds (INSUFFICIENT_FUNDS), largest position (QUANTITY_EXCEED), reduce-only
 * (INVALID_ORDER).
 */
export function refusalOf(candidate: Candidate): Rejection | null {
  const { submission, terms } = candidate;
  return (
    filterRefusal(submission, terms.instrument, viewOf(candidate)) ?? checkPostOnly(candidate) ?? checkCover(candidate)
  );
}

/** The reference price is the mid, or the only quoted side. */
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
  const opposite = side === 'BUY' ? book.bestAsk() : book.bestBid();
  const isCrossing = opposite !== 0 && (side === 'BUY' ? limitPrice >= opposite : limitPrice <= opposite);
  return isCrossing ? crossingRefusal(limitPrice, instrument) : null;
}

/** Checks that the account can pay for the order or carry its position. */
function checkCover(candidate: Candidate): Rejection | null {
  const { submission, terms } = candidate;
  if (terms.isFuture && submission.reduceOnly) return checkReduceOnly(candidate);
  const notional = notionalAtOnceAndAtLimit(candidate);
  if (!terms.isFuture) return checkSpot(candidate, notional);
  return checkExposure(candidate, notional) ?? checkMargin(candidate, notional);
}

function checkSpot({ submission, terms, account, markOf }: Candidate, notional: bigint): Rejection | null {
  const { side, quantity, reduceOnly } = submission;
  if (reduceOnly) return invalid(`reduce_only: ${terms.instrument.symbol} is no future`);
  const asset = heldAsset(terms, side);
  return shortOf(heldAmount(terms, side, quantity, notional), asset, available(account, asset, markOf));
}

function checkReduceOnly({ submission, terms, account }: Candidate): Rejection | null {
  const { instrument } = terms;
  const reducible = account.position(terms).unreserved(submission.side);
  if (submission.quantity <= reducible) return null;
  const [wanted, possible] = [formatLots(submission.quantity, instrument), formatLots(reducible, instrument)];
  return invalid(`reduce_only: quantity ${wanted} exceeds ${possible}, the quantity left to reduce`);
}

function checkExposure({ submission, terms, account }: Candidate, notional: bigint): Rejection | null {
  const position = account.position(terms);
  const cap = notionalCap(terms.tiers, position.leverage);
  const reached = position.exposureWith(submission.side, submission.quantity, notional);
  if (cap === null || reached <= cap) return null;
  const { symbol, quote } = terms.instrument;
  const rule = `at leverage ${position.leverage} the largest is ${formatAmount(cap as Amount)} ${quote}`;
  return {
    code: 'QUANTITY_EXCEED',
    message: `quantity: the ${symbol} position would reach ${formatAmount(reached as Amount)}, ${rule}`,
  };
}

function checkMargin({ submission, terms, account, markOf }: Candidate, notional: bigint): Rejection | null {
  const needed = account.position(terms).neededBy(submission.side, submission.quantity, notional);
  const { quote } = terms.instrument;
  return needed <= 0n ? null : shortOf(needed, quote, available(account, quote, markOf));
}

/** Notional in lot-ticks: the part that trades at once at book prices, plus the rest at the limit. */
function notionalAtOnceAndAtLimit({ submission, book }: Candidate): bigint {
  const { side, quantity, limitPrice } = submission;
  const preview = book.preview(side, quantity, limitPrice);
  if (limitPrice === null) return preview.notional;
  return preview.notional + notionalOf((quantity - preview.quantity) as Lots, limitPrice);
}

function shortOf(needed: bigint, asset: string, free: bigint): Rejection | null {
  if (needed <= free || needed === 0n) return null;
  const message = `needs ${formatAmount(needed as Amount)} ${asset}, free are ${formatAmount(free as Amount)}`;
  return { code: 'INSUFFICIENT_FUNDS', message };
}

function invalid(message: string): Rejection {
  return { code: 'INVALID_ORDER', message };
}
