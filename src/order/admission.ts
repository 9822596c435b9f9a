import { AMOUNT_PRECISION, ZERO_AMOUNT, amountOf, formatAmount, type Amount } from '../model/amount.js';
import type { Instrument } from '../model/instrument.js';
import { INITIAL_MARGIN_PPM } from '../model/limits.js';
import type { Market } from '../model/market.js';
import type { ParentOrder } from '../model/order.js';
import type { Ticks } from '../model/quantity.js';
import type { Rejection } from '../model/rejection.js';
import type { OrderInput } from './decision.js';

interface Need {
  readonly asset: string;
  readonly amount: Amount;
}

/** Why the order cannot be accepted now; null when it can. The venue itself has the last word on every child. */
export function refusalOf(
  order: ParentOrder,
  instrument: Instrument,
  { isVenueUp, market, freeOf }: Extract<OrderInput, { kind: 'Admit' }>,
): Rejection | null {
  if (!isVenueUp) return { code: 'EXCHANGE_NOT_AVAILABLE', message: `exchange ${order.venue} is not available` };
  const { asset, amount } = needOf(order, instrument, market);
  const free = freeOf(asset) ?? ZERO_AMOUNT;
  if (amount <= free) return null;
  const message = `the order needs ${formatAmount(amount)} ${asset}, of which ${formatAmount(free)} is free`;
  return { code: 'INSUFFICIENT_FUNDS', message };
}

/** What the venue account must have free: the asset sold, or the money with the taker fee. */
function needOf(order: ParentOrder, instrument: Instrument, market: Market): Need {
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
function priceOf(order: ParentOrder, market: Market): Ticks {
  if (order.limitPrice !== null) return order.limitPrice;
  const touch = order.side === 'BUY' ? market.ask : market.bid;
  return touch > 0 ? touch : market.last;
}

/** Rounded up: half a unit of money is needed whole. */
function partOf(amount: Amount, ppm: number): Amount {
  return ((amount * BigInt(ppm) + 999_999n) / 1_000_000n) as Amount;
}
