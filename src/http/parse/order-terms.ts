import type { Instrument } from '../../model/instrument.js';
import { STRATEGY_NAMES, type Side, type StrategyName } from '../../model/order.js';
import { formatLots, formatNotional, formatTicks, type Lots, type Notional, type Ticks } from '../../model/quantity.js';
import { isRejected, reject, type OrRejection, type Rejection } from '../../model/rejection.js';
import { choiceOf, isAbsent, shown, stepsOf, type JsonObject } from './json-field.js';
import { parsePrice } from './price.js';
import { parseRequired } from './required-choice.js';

/** What is wanted of the instrument. */
export interface OrderTerms {
  readonly side: Side;
  readonly quantity: Lots;
  readonly strategy: StrategyName;
  readonly limitPrice: Ticks | null;
}

export const SIDES: readonly Side[] = ['BUY', 'SELL'];
const ONE_LOT = 1 as Lots;

/** Reads side, quantity, strategy and limit_price, in that order. */
export function parseTerms(body: JsonObject, instrument: Instrument): OrRejection<OrderTerms> {
  const side = parseRequired(body, 'side', SIDES);
  if (isRejected(side)) return side;
  const quantity = parseQuantity(body['quantity'], instrument);
  if (isRejected(quantity)) return quantity;
  const strategy = parseStrategy(body['strategy']);
  if (isRejected(strategy)) return strategy;
  const limitPrice = parseLimitPrice(body['limit_price'], instrument);
  if (isRejected(limitPrice)) return limitPrice;
  if (limitPrice === null && strategy === 'LIMIT') return { rejection: LIMITLESS };
  const terms = { side, quantity, strategy, limitPrice };
  return smallness(terms, instrument) ?? terms;
}

/** Everything that is wrong with side, quantity, strategy and limit_price, in the order in which `parseTerms` looks. */
export function termsFindings(body: JsonObject, instrument: Instrument): Rejection[] {
  const parts = [
    parseRequired(body, 'side', SIDES),
    parseQuantity(body['quantity'], instrument),
    parseStrategy(body['strategy']),
    parseLimitPrice(body['limit_price'], instrument),
  ];
  const wrong = parts.flatMap((part) => (isRejected(part) ? [part.rejection] : []));
  if (wrong.length > 0) return wrong;
  const terms = parseTerms(body, instrument);
  return isRejected(terms) ? [terms.rejection] : [];
}

export const LIMITLESS: Rejection = {
  code: 'INVALID_LIMIT_PRICE',
  message: 'limit_price is missing: strategy LIMIT needs one',
};

/** What a limit price says of the money: an order under the minimum could never be placed. */
export function smallness(terms: OrderTerms, instrument: Instrument, field = 'quantity'): OrRejection<never> | null {
  const { side, quantity, strategy, limitPrice } = terms;
  if (limitPrice === null) return null;
  // A sell brings more than at its limit, unless its children are placed at the limit itself.
  if (side === 'SELL' && strategy !== 'LIMIT' && strategy !== 'MARKET') return null;
  if (BigInt(quantity) * BigInt(limitPrice) >= BigInt(instrument.notionalMin)) return null;
  const minimum = formatNotional(BigInt(instrument.notionalMin) as Notional, instrument);
  const product = `${formatLots(quantity, instrument)} × limit_price ${formatTicks(limitPrice, instrument)}`;
  return reject('INVALID_QUANTITY', `${field} ${product} is under the minimum of ${minimum} ${instrument.quote}`);
}

function parseQuantity(value: unknown, instrument: Instrument): OrRejection<Lots> {
  return isAbsent(value) ? reject('INVALID_QUANTITY', 'quantity is missing') : parseLots(value, 'quantity', instrument);
}

/** Reads a quantity on the instrument's lot grid and within its bounds. */
export function parseLots(value: unknown, field: string, instrument: Instrument): OrRejection<Lots> {
  const lots = stepsOf(value, instrument.quantityPrecision);
  if (lots === 'not a decimal' || lots === 0) {
    return reject('INVALID_QUANTITY', `${field} ${shown(value)} is not a decimal above 0`);
  }
  if (lots === 'off the grid') {
    const rule = `not a multiple of the lot ${formatLots(ONE_LOT, instrument)}`;
    return reject('INVALID_QUANTITY', `${field} ${shown(value)} is ${rule} of ${nameOf(instrument)}`);
  }
  return boundedLots(lots, `${field} ${shown(value)}`, instrument);
}

/** A whole number of lots within the instrument's bounds; `named` says of what a refusal speaks. */
export function boundedLots(
  lots: number | bigint | 'too large',
  named: string,
  instrument: Instrument,
): OrRejection<Lots> {
  const { quantityMin, quantityMax, symbol } = instrument;
  if (lots === 'too large' || lots > quantityMax) {
    const maximum = formatLots(quantityMax, instrument);
    return reject('QUANTITY_EXCEED', `${named} is above the maximum ${maximum} of ${symbol}`);
  }
  if (lots < quantityMin) {
    const minimum = formatLots(quantityMin, instrument);
    return reject('INVALID_QUANTITY', `${named} is under the minimum ${minimum} of ${nameOf(instrument)}`);
  }
  return Number(lots) as Lots;
}

function nameOf({ symbol, venue }: Instrument): string {
  return `${symbol} on ${venue}`;
}

export function parseStrategy(value: unknown): OrRejection<StrategyName> {
  if (isAbsent(value)) return reject('INVALID_TRADE_STRATEGY', 'strategy is missing');
  const strategy = choiceOf(STRATEGY_NAMES, value);
  if (strategy === null) {
    const rule = `one of ${STRATEGY_NAMES.join(', ')}`;
    return reject('INVALID_TRADE_STRATEGY', `strategy ${shown(value)} is not ${rule}`);
  }
  return strategy;
}

export function parseLimitPrice(value: unknown, instrument: Instrument): OrRejection<Ticks | null> {
  return isAbsent(value) ? null : parsePrice(value, 'limit_price', 'INVALID_LIMIT_PRICE', instrument);
}
