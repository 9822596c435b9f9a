import type { Instrument, PriceBand } from './instrument.js';
import type { Leg, ParentOrder, Side } from './order.js';
import {
  formatHalfTicks,
  formatLots,
  formatNotional,
  formatTicks,
  type Lots,
  type Notional,
  type Ticks,
} from './quantity.js';
import type { Rejection } from './rejection.js';

/*
 * Rules of an exchange for the size and the price of an order. Creates, previews, amendments and strategies share them.
 */

/** Terms of a leg that decide at which price its quantity is valued. */
export type ValuedTerms = Pick<Leg, 'side' | 'limitPrice' | 'ladder'>;

const EXEMPT = new WeakMap<Instrument, Instrument>();

/**
 * The instrument with the rules for an order. Where the exchange exempts orders that can only reduce a position from
 * its minimum value, these have none.
 */
export function instrumentFor({ reduceOnly }: Pick<ParentOrder, 'reduceOnly'>, instrument: Instrument): Instrument {
  if (!reduceOnly || !instrument.filters.isReducingExempt) return instrument;
  const known = EXEMPT.get(instrument);
  if (known !== undefined) return known;
  const exempt = { ...instrument, notionalMin: 0 };
  EXEMPT.set(instrument, exempt);
  return exempt;
}

/** Least quantity that a child at this price may have, by quantity and by notional. */
export function minimumAt({ quantityMin, notionalMin }: Instrument, price: number): Lots {
  return Math.max(1, quantityMin, Math.ceil(notionalMin / price)) as Lots;
}

/**
 * Refuses a quantity that is under the minimum of the exchange (INVALID_QUANTITY). The value is taken at the limit
 * price, at the lowest price of a ladder, or else at the mid price. null: the exchange takes it, or its price is
 * unknown. `twiceMid`: twice the mid in ticks; null: unknown.
 */
export function minimumRefusal(
  terms: Omit<ValuedTerms, 'side'>,
  quantity: Lots,
  instrument: Instrument,
  twiceMid: number | null,
): Rejection | null {
  const fault = minimumFault(terms, quantity, instrument, twiceMid);
  return fault === null ? null : quantityRefusal('quantity', fault);
}

/** Refuses a quantity. `subject`: what it is, for the message. */
export function quantityRefusal(subject: string, fault: string): Rejection {
  return { code: 'INVALID_QUANTITY', message: `${subject} ${fault}` };
}

/** Returns the message of `minimumRefusal` without its subject, from the quantity on. */
export function minimumFault(
  { limitPrice, ladder }: Omit<ValuedTerms, 'side'>,
  quantity: Lots,
  instrument: Instrument,
  twiceMid: number | null,
): string | null {
  const rung = ladder === null ? null : Math.min(ladder.start, ladder.end);
  const own = rung === null || (limitPrice !== null && limitPrice < rung) ? limitPrice : rung;
  const twicePrice = own === null ? twiceMid : 2 * own;
  if (twicePrice === null || quantity >= minimumAt(instrument, twicePrice / 2)) return null;
  const { quantityMin, notionalMin, base, quote } = instrument;
  const lots = formatLots(quantity, instrument);
  if (quantity < quantityMin) {
    return `${lots} is under the minimum of ${formatLots(quantityMin, instrument)} ${base}`;
  }
  const field = own === null ? 'the mid price' : own === limitPrice ? 'limit_price' : 'the ladder price';
  const product = `${lots} × ${field} ${formatHalfTicks(twicePrice, instrument)}`;
  const minimum = formatNotional(BigInt(notionalMin) as Notional, instrument);
  return `${product} is under the minimum of ${minimum} ${quote}`;
}

/**
 * Returns the cause to end an order whose rest can never be placed: it is under the minimum also at the highest price
 * at which the exchange values its children. That is the limit price of a buy, the mid or the limit price of a sell,
 * the highest price of a ladder, else the mid. null: a child may reach the minimum, or the price is unknown.
 */
export function restRefusal(
  terms: ValuedTerms,
  rest: Lots,
  instrument: Instrument,
  twiceMid: number | null,
): Rejection | null {
  const twicePrice = highestTwicePrice(terms, twiceMid);
  if (twicePrice === null) return null;
  const least = minimumAt(instrument, twicePrice / 2);
  return rest >= least ? null : restBelow(rest, least, instrument);
}

function highestTwicePrice({ side, limitPrice, ladder }: ValuedTerms, twiceMid: number | null): number | null {
  if (ladder !== null) return 2 * Math.max(ladder.start, ladder.end);
  if (limitPrice === null || (side === 'SELL' && twiceMid === null)) return twiceMid;
  return side === 'BUY' ? 2 * limitPrice : Math.max(2 * limitPrice, twiceMid as number);
}

/** The cause of the end of an order whose rest is below `least`. */
export function restBelow(rest: Lots, least: Lots, instrument: Instrument): Rejection {
  const [left, minimum] = [rest, least].map((lots) => formatLots(lots, instrument));
  const message = `the rest of ${left} ${instrument.base} is below the exchange's minimum of ${minimum}`;
  return { code: 'INVALID_QUANTITY', message };
}

const PPM = 1_000_000;

/** Products near a bound are safe integers: a band reaches only a few multiples of a price. `reference`: in ticks. */
export function isWithinBand({ minPpm, maxPpm }: PriceBand, price: Ticks, reference: number): boolean {
  const scaled = price * PPM;
  return (minPpm === null || scaled >= reference * minPpm) && (maxPpm === null || scaled <= reference * maxPpm);
}

/** True when a limit price crosses the reference price by more than the band of its side allows. */
export function crossesBand(side: Side, price: Ticks, { filters }: Instrument, reference: number): boolean {
  if (side === 'BUY') return filters.buyBand.maxPpm !== null && price * PPM > reference * filters.buyBand.maxPpm;
  return filters.sellBand.minPpm !== null && price * PPM < reference * filters.sellBand.minPpm;
}

/** The rule of a price band for a message. `reference`: in ticks, not necessarily whole. */
export function bandText(side: Side, instrument: Instrument, reference: number): string {
  const { minPpm, maxPpm } = side === 'BUY' ? instrument.filters.buyBand : instrument.filters.sellBand;
  const least = minPpm === null ? [] : [`at ${minPpm / PPM} times or above`];
  const largest = maxPpm === null ? [] : [`at ${maxPpm / PPM} times or below`];
  const bounds = [...least, ...largest].join(' and ');
  const price = formatTicks(Math.round(reference) as Ticks, instrument);
  return `a ${side} of ${instrument.symbol} lies ${bounds} the reference price ${price}`;
}

/** The refusal of a post-only order that would cross. */
export function crossingText(limitPrice: Ticks, instrument: Instrument): string {
  return `post_only: limit_price ${formatTicks(limitPrice, instrument)} would trade at once`;
}
