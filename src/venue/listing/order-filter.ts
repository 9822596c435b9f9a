import type { Instrument, PriceBand } from '../../model/instrument.js';
import { formatLots, formatSteps, formatTicks, type Lots, type Ticks } from '../../model/quantity.js';
import type { Rejection } from '../../model/rejection.js';
import type { ChildSubmission } from '../../model/venue-message.js';

/** What the filters look at besides the order and its instrument. */
export interface FilterView {
  /** Ticks that the price bands are measured against, not necessarily whole; null while there is no market. */
  readonly referencePrice: number | null;
  /** Best price a MARKET order would meet; null when nobody is there. */
  readonly touchPrice: Ticks | null;
  /** Orders of the account that rest in the instrument. */
  readonly restingCount: number;
}

const PPM = 1_000_000;

/**
 * Why the rules of the instrument forbid the order; null when they do not. The first of: quantity (INVALID_QUANTITY),
 * price, band, notional, self-trade prevention (INVALID_ORDER), open orders (RATE_LIMIT_EXCEEDED: there may be room later).
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
  if (isWithin(band, limitPrice, referencePrice)) return null;
  const price = `limit_price ${formatTicks(limitPrice, instrument)}`;
  const reference = formatTicks(Math.round(referencePrice) as Ticks, instrument);
  return invalid(`${price}: a ${side} of ${instrument.symbol} lies ${boundsOf(band)} the reference price ${reference}`);
}

/** Both products are safe integers wherever they are close: a band reaches no further than some multiples of a price. */
function isWithin({ minPpm, maxPpm }: PriceBand, price: Ticks, reference: number): boolean {
  const scaled = price * PPM;
  return (minPpm === null || scaled >= reference * minPpm) && (maxPpm === null || scaled <= reference * maxPpm);
}

function boundsOf({ minPpm, maxPpm }: PriceBand): string {
  const least = minPpm === null ? [] : [`at ${minPpm / PPM} times or above`];
  const largest = maxPpm === null ? [] : [`at ${maxPpm / PPM} times or below`];
  return [...least, ...largest].join(' and ');
}

function checkNotional(order: ChildSubmission, instrument: Instrument, { touchPrice }: FilterView): Rejection | null {
  const { quantity, limitPrice, reduceOnly } = order;
  const { notionalMin, filters, symbol, quote } = instrument;
  const price = limitPrice ?? touchPrice;
  if (price === null) return null;
  const notional = quantity * price;
  const text = (lotTicks: number): string =>
    formatSteps(lotTicks, instrument.quantityPrecision + instrument.pricePrecision);
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
