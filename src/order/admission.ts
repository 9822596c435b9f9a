import { AMOUNT_PRECISION, ZERO_AMOUNT, amountOf, formatAmount, type Amount } from '../model/amount.js';
import { assert } from '../model/assert.js';
import type { Instrument } from '../model/instrument.js';
import { INITIAL_MARGIN_PPM } from '../model/limits.js';
import type { Market } from '../model/market.js';
import type { ParentOrder } from '../model/order.js';
import type { Grid, Ticks } from '../model/quantity.js';
import type { Rejection } from '../model/rejection.js';
import type { AdmissionGrounds, LegGrounds } from './decision.js';

/** What of an order or a leg the funds depend on. */
type Covered = Grid & Pick<ParentOrder, 'venue' | 'assetCategory' | 'side' | 'quantity' | 'limitPrice' | 'reduceOnly'>;

interface Need {
  readonly asset: string;
  readonly amount: Amount;
}

/** Why the order cannot be accepted now; null when it can. The venue itself has the last word on every child. */
export function refusalOf(order: Covered, instrument: Instrument, grounds: AdmissionGrounds): Rejection | null {
  return unavailabilityOf(order, grounds) ?? shortageOf(order, instrument, grounds);
}

/** The same of a pair: each leg must be covered where it trades, as if it were alone. */
export function refusalOfLegs({ orderId, pair }: ParentOrder, grounds: readonly LegGrounds[]): Rejection | null {
  assert(pair !== null && grounds.length === pair.legs.length, `order ${orderId} is a pair`);
  const legs = pair.legs.map((leg) => ({ ...leg, reduceOnly: false }));
  // Of a venue that is down nobody knows the balances.
  return (
    firstOf(legs, (leg, index) => unavailabilityOf(leg, grounds[index]!)) ??
    firstOf(legs, (leg, index) => shortageOf(leg, grounds[index]!.instrument, grounds[index]!))
  );
}

/** Why terms cannot be covered that need more than those before; null when they do not, or nobody knows what is free. */
export function refusalOfMore(
  before: Covered,
  terms: Covered,
  instrument: Instrument,
  grounds: AdmissionGrounds,
): Rejection | null {
  const { asset, amount } = needOf(terms, instrument, grounds.market);
  if (amount <= needOf(before, instrument, grounds.market).amount || grounds.freeOf(asset) === null) return null;
  return shortageOf(terms, instrument, grounds);
}

function firstOf<Leg>(legs: readonly Leg[], refusal: (leg: Leg, index: number) => Rejection | null): Rejection | null {
  for (const [index, leg] of legs.entries()) {
    const found = refusal(leg, index);
    if (found !== null) return { ...found, message: `legs[${index}]: ${found.message}` };
  }
  return null;
}

function unavailabilityOf({ venue }: Covered, { isVenueUp }: AdmissionGrounds): Rejection | null {
  return isVenueUp ? null : { code: 'EXCHANGE_NOT_AVAILABLE', message: `exchange ${venue} is not available` };
}

function shortageOf(order: Covered, instrument: Instrument, { market, freeOf }: AdmissionGrounds): Rejection | null {
  const { asset, amount } = needOf(order, instrument, market);
  const free = freeOf(asset) ?? ZERO_AMOUNT;
  if (amount <= free) return null;
  const message = `the order needs ${formatAmount(amount)} ${asset}, of which ${formatAmount(free)} is free`;
  return { code: 'INSUFFICIENT_FUNDS', message };
}

/** What the venue account must have free: the asset sold, or the money with the taker fee. */
function needOf(order: Covered, instrument: Instrument, market: Market): Need {
  const { base, quote, takerFeePpm, assetCategory } = instrument;
  if (assetCategory === 'SPOT' && order.side === 'SELL') {
    return { asset: base, amount: amountOf(order.quantity, order.quantityPrecision) };
  }
  if (order.reduceOnly) return { asset: quote, amount: ZERO_AMOUNT };
  const notional = amountOf(
    BigInt(order.quantity) * BigInt(priceOf(order, market)),
    Math.min(AMOUNT_PRECISION, order.quantityPrecision + order.pricePrecision),
  );
  const ownPpm = assetCategory === 'SPOT' ? 1_000_000 : INITIAL_MARGIN_PPM;
  return { asset: quote, amount: partOf(notional, ownPpm + takerFeePpm) };
}

/** The limit price, else the price it would be done at now; 0 when nothing was ever traded or quoted. */
function priceOf(order: Covered, market: Market): Ticks {
  if (order.limitPrice !== null) return order.limitPrice;
  const touch = order.side === 'BUY' ? market.ask : market.bid;
  return touch > 0 ? touch : market.last;
}

/** Rounded up: half a unit of money is needed whole. */
function partOf(amount: Amount, ppm: number): Amount {
  return ((amount * BigInt(ppm) + 999_999n) / 1_000_000n) as Amount;
}
