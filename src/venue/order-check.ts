import { formatAmount, type Amount } from '../model/amount.js';
import { formatLots, formatSteps, formatTicks, type Lots } from '../model/quantity.js';
import type { Rejection } from '../model/rejection.js';
import type { ChildSubmission } from '../model/venue-message.js';
import type { Book } from './book.js';
import { heldAmount, heldAsset, notionalOf, type TradingTerms } from './trading-terms.js';
import type { VenueAccount } from './venue-account.js';

/** An order on its way in, and what decides whether it may. */
export interface Candidate {
  readonly submission: ChildSubmission;
  readonly terms: TradingTerms;
  readonly book: Book;
  readonly account: VenueAccount;
}

/** Why the venue refuses the order; null when it takes it. */
export function refusalOf(candidate: Candidate): Rejection | null {
  return (
    checkQuantity(candidate) ??
    checkPrice(candidate) ??
    checkNotional(candidate) ??
    checkPostOnly(candidate) ??
    checkReduceOnly(candidate) ??
    checkFunds(candidate)
  );
}

function checkQuantity({ submission: { quantity }, terms: { instrument } }: Candidate): Rejection | null {
  const { quantityMin, quantityMax } = instrument;
  if (Number.isSafeInteger(quantity) && quantity >= quantityMin && quantity <= quantityMax) return null;
  const range = `${formatLots(quantityMin, instrument)} to ${formatLots(quantityMax, instrument)}`;
  return {
    code: 'INVALID_QUANTITY',
    message: `quantity ${quantity} lots: ${instrument.symbol} takes ${range} ${instrument.base}`,
  };
}

function checkPrice({ submission, terms: { instrument } }: Candidate): Rejection | null {
  const { type, limitPrice } = submission;
  if (type === 'MARKET') return limitPrice === null ? null : invalid('limit_price: a MARKET order has none');
  if (limitPrice === null) return invalid('limit_price: a LIMIT order needs one');
  // Lots × ticks of any fill must be a safe integer.
  const priceMax = Math.floor(Number.MAX_SAFE_INTEGER / instrument.quantityMax);
  if (Number.isSafeInteger(limitPrice) && limitPrice >= 1 && limitPrice <= priceMax) return null;
  const range = `1 to ${priceMax} ticks of ${formatSteps(1, instrument.pricePrecision)}`;
  return invalid(`limit_price ${limitPrice} ticks: ${instrument.symbol} takes ${range}`);
}

function checkNotional({ submission, terms: { instrument }, book }: Candidate): Rejection | null {
  const price = submission.limitPrice ?? book.opposite(submission.side).best?.price;
  if (price === undefined || submission.quantity * price >= instrument.notionalMin) return null;
  const digits = instrument.quantityPrecision + instrument.pricePrecision;
  const notional = formatSteps(submission.quantity * price, digits);
  const least = formatSteps(instrument.notionalMin, digits);
  return invalid(`notional ${notional} ${instrument.quote}: ${instrument.symbol} takes ${least} or more`);
}

function checkPostOnly({ submission, terms: { instrument }, book }: Candidate): Rejection | null {
  const { postOnly, type, timeInForce, side, limitPrice } = submission;
  if (!postOnly) return null;
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
