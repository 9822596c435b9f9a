import { bandText, crossingText, isWithinBand } from '../../domain/exchange-rules.js';
import type { Instrument } from '../../domain/instrument.js';
import { POST_ONLY_RETRY_MS } from '../../domain/limits/trading.js';
import {
  formatLots,
  formatTicks,
  type Lots,
  type Ticks,
  formatNotional,
  type Notional,
} from '../../domain/quantity.js';
import type { Rejection } from '../../domain/rejection.js';
import type { DurationMs } from '../../domain/time.js';
import type { ChildSubmission } from '../../domain/venue-message.js';

/** Market and account state that the filters use. */
export interface FilterView {
  /** Reference of the price bands, in ticks, not necessarily whole; null while there is no market. */
  readonly referencePrice: number | null;
  /** Best opposite price of a MARKET order; null when that side is empty. */
  readonly touchPrice: Ticks | null;
  /** Resting orders of the account in the instrument. */
  readonly restingCount: number;
}

/**
 * The first violated trading rule of the instrument; null when the order passes. Checks in order: quantity
 * (INVALID_QUANTITY), price, band, notional, self-trade prevention (INVALID_ORDER), open orders (RATE_LIMIT_EXCEEDED,
 * because a place may become free).
 */
export function filterRefusal(order: ChildSubmission, instrument: Instrument, view: FilterView): Rejection | null {
  return (
    checkQuantity(order, instrument) ??
    checkPrice(order, instrument) ??
    checkBand(order, instrument, view) ??
    checkNotional(order, instrument, view) ??
    checkPrevention(order, instrument) ??
    checkOpenOrders(order, instrument, view)
  );
}

function checkQuantity({ quantity, type }: ChildSubmission, instrument: Instrument): Rejection | null {
  const { quantityMin, quantityMax, base, symbol, filters } = instrument;
  const largest = type === 'MARKET' ? filters.marketQuantityMax : quantityMax;
  if (Number.isSafeInteger(quantity) && quantity >= quantityMin && quantity <= largest) return null;
  const range = `${formatLots(quantityMin, instrument)} to ${formatLots(largest, instrument)} ${base}`;
  const lot = formatLots(1 as Lots, instrument);
  const message = `quantity ${quantity} lots of ${lot}: ${symbol} takes ${range} in a ${type} order`;
  return { code: 'INVALID_QUANTITY', message };
}

function checkPrice({ type, limitPrice }: ChildSubmission, instrument: Instrument): Rejection | null {
  if (type === 'MARKET') return limitPrice === null ? null : invalid('limit_price: a MARKET order has none');
  if (limitPrice === null) return invalid('limit_price: a LIMIT order needs one');
  const { priceMin, priceMax } = instrument.filters;
  if (Number.isSafeInteger(limitPrice) && limitPrice >= priceMin && limitPrice <= priceMax) return null;
  const range = `${formatTicks(priceMin, instrument)} to ${formatTicks(priceMax, instrument)} ${instrument.quote}`;
  const tick = formatTicks(1 as Ticks, instrument);
  return invalid(`limit_price ${limitPrice} ticks of ${tick}: ${instrument.symbol} takes ${range}`);
}

function checkBand(order: ChildSubmission, instrument: Instrument, { referencePrice }: FilterView): Rejection | null {
  const { side, limitPrice } = order;
  if (limitPrice === null || referencePrice === null) return null;
  const band = side === 'BUY' ? instrument.filters.buyBand : instrument.filters.sellBand;
  if (isWithinBand(band, limitPrice, referencePrice)) return null;
  return invalid(`limit_price ${formatTicks(limitPrice, instrument)}: ${bandText(side, instrument, referencePrice)}`);
}

function checkNotional(order: ChildSubmission, instrument: Instrument, { touchPrice }: FilterView): Rejection | null {
  const { quantity, limitPrice, reduceOnly } = order;
  const { notionalMin, filters, symbol, quote } = instrument;
  const price = limitPrice ?? touchPrice;
  if (price === null) return null;
  const notional = quantity * price;
  const text = (lotTicks: number): string => formatNotional(BigInt(lotTicks) as Notional, instrument);
  if (notional < notionalMin && !(reduceOnly && filters.isReducingExempt)) {
    return invalid(`notional ${text(notional)} ${quote}: ${symbol} takes ${text(notionalMin)} or more`);
  }
  if (limitPrice === null || notional <= filters.notionalMax) return null;
  return invalid(`notional ${text(notional)} ${quote}: ${symbol} takes ${text(filters.notionalMax)} or less`);
}

function checkPrevention({ selfTradePrevention: mode }: ChildSubmission, instrument: Instrument): Rejection | null {
  const { selfTradePreventions: offered } = instrument.filters;
  if (mode === 'NONE' || offered.includes(mode)) return null;
  return invalid(`self_trade_prevention ${mode}: ${instrument.venue} offers NONE, ${offered.join(', ')}`);
}

function checkOpenOrders(order: ChildSubmission, instrument: Instrument, view: FilterView): Rejection | null {
  const { openOrdersMax } = instrument.filters;
  const mayRest = order.type === 'LIMIT' && order.timeInForce === 'GTC';
  if (!mayRest || view.restingCount < openOrdersMax) return null;
  const message = `open orders ${view.restingCount}: ${instrument.symbol} takes ${openOrdersMax} of an account at once`;
  return { code: 'RATE_LIMIT_EXCEEDED', message };
}

function invalid(message: string): Rejection {
  return { code: 'INVALID_ORDER', message };
}

/** The refusal of a post-only order that would cross. The price may have moved, so a retry is possible. */
export function crossingRefusal(limitPrice: Ticks, instrument: Instrument): Rejection {
  const message = crossingText(limitPrice, instrument);
  return { code: 'INVALID_ORDER', message, retryAfterMs: POST_ONLY_RETRY_MS as DurationMs };
}
