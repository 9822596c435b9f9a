import { formatAmount, type Amount } from '../../model/amount.js';
import { formatLots, type Lots } from '../../model/quantity.js';
import type { Rejection } from '../../model/rejection.js';
import type { ChildSubmission } from '../../model/venue-message.js';
import { notionalCap } from './margin-tier.js';
import { positionOf } from './position-choice.js';
import { heldAmount, heldAsset, notionalOf, type TradingTerms } from './trading-terms.js';
import { available, type MarkOf } from './valuation.js';
import type { VenueAccount } from './venue-account.js';

/** An order on its way in, and what its account must have for it. */
export interface CoverCase {
  readonly submission: ChildSubmission;
  readonly terms: TradingTerms;
  readonly account: VenueAccount;
  /** What of it would trade at once, in lots and lot-ticks; the rest is checked at its limit. */
  readonly preview: { readonly quantity: Lots; readonly notional: bigint };
  readonly markOf: MarkOf;
}

/** Why the account cannot carry the order; null when it can. */
export function coverRefusal(order: CoverCase): Rejection | null {
  if (!order.terms.isFuture) return checkSpot(order);
  return order.submission.reduceOnly ? checkReduceOnly(order) : (checkExposure(order) ?? checkMargin(order));
}

function checkSpot({ submission, terms, account, preview, markOf }: CoverCase): Rejection | null {
  const { side, quantity, reduceOnly } = submission;
  if (reduceOnly) return invalid(`reduce_only: ${terms.instrument.symbol} is no future`);
  const asset = heldAsset(terms, side);
  const needed = heldAmount(terms, side, quantity, notionalAtOnceAndAtLimit(submission, preview));
  return shortOf(needed, asset, available(account, asset, markOf));
}

function checkReduceOnly({ submission, terms, account }: CoverCase): Rejection | null {
  const { instrument } = terms;
  const room = positionOf(account, terms, submission).unpromised(submission.side);
  if (submission.quantity <= room) return null;
  const [wanted, possible] = [formatLots(submission.quantity, instrument), formatLots(room, instrument)];
  return invalid(`reduce_only: quantity ${wanted} exceeds ${possible}, what is left to reduce`);
}

function checkExposure({ submission, terms, account, preview }: CoverCase): Rejection | null {
  const { side, quantity } = submission;
  const contract = account.contract(terms);
  const cap = notionalCap(terms.tiers, contract.leverage);
  const reached = contract.exposureWith(side, quantity, notionalAtOnceAndAtLimit(submission, preview));
  if (cap === null || reached <= cap) return null;
  const { symbol, quote } = terms.instrument;
  const rule = `at leverage ${contract.leverage} it carries ${formatAmount(cap as Amount)} ${quote}`;
  return {
    code: 'QUANTITY_EXCEED',
    message: `quantity: the ${symbol} position would reach ${formatAmount(reached as Amount)}, ${rule}`,
  };
}

function checkMargin({ submission, terms, account, preview, markOf }: CoverCase): Rejection | null {
  const { side, quantity } = submission;
  const notional = notionalAtOnceAndAtLimit(submission, preview);
  const needed = account.contract(terms).neededBy(side, quantity, notional);
  const { quote } = terms.instrument;
  return needed <= 0n ? null : shortOf(needed, quote, available(account, quote, markOf));
}

function notionalAtOnceAndAtLimit({ quantity, limitPrice }: ChildSubmission, preview: CoverCase['preview']): bigint {
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
