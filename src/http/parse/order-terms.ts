import type { Instrument } from '../../model/instrument.js';
import { STRATEGY_NAMES, type Side, type StrategyName } from '../../model/order.js';
import { formatLots, formatNotional, formatTicks, type Lots, type Notional, type Ticks } from '../../model/quantity.js';
import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
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

const SIDES: readonly Side[] = ['BUY', 'SELL'];
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
  if (limitPrice === null && strategy === 'LIMIT') {
    return reject('INVALID_LIMIT_PRICE', 'limit_price is missing: strategy LIMIT needs one');
  }
  const terms = { side, quantity, strategy, limitPrice };
  return smallness(terms, instrument) ?? terms;
}

/** What a limit price says of the money: an order under the minimum could never be placed. */
function smallness(terms: OrderTerms, instrument: Instrument): OrRejection<never> | null {
  const { side, quantity, strategy, limitPrice } = terms;
  if (limitPrice === null) return null;
  // A sell brings more than at its limit, unless its children are placed at the limit itself.
  if (side === 'SELL' && strategy !== 'LIMIT' && strategy !== 'MARKET') return null;
  if (BigInt(quantity) * BigInt(limitPrice) >= BigInt(instrument.notionalMin)) return null;
  const minimum = formatNotional(BigInt(instrument.notionalMin) as Notional, instrument);
  const product = `${formatLots(quantity, instrument)} × limit_price ${formatTicks(limitPrice, instrument)}`;
  return reject('INVALID_QUANTITY', `quantity ${product} is under the minimum of ${minimum} ${instrument.quote}`);
}

function parseQuantity(value: unknown, instrument: Instrument): OrRejection<Lots> {
  if (isAbsent(value)) return reject('INVALID_QUANTITY', 'quantity is missing');
  const lots = stepsOf(value, instrument.quantityPrecision);
  const wrong = (rule: string): OrRejection<never> =>
    reject('INVALID_QUANTITY', `quantity ${shown(value)} is ${rule} of ${instrument.symbol} on ${instrument.venue}`);
  if (lots === 'not a decimal' || lots === 0) {
    return reject('INVALID_QUANTITY', `quantity ${shown(value)} is not a decimal above 0`);
  }
  if (lots === 'off the grid') return wrong(`not a multiple of the lot ${formatLots(ONE_LOT, instrument)}`);
  if (lots === 'too large' || lots > instrument.quantityMax) {
    const maximum = formatLots(instrument.quantityMax, instrument);
    return reject(
      'QUANTITY_EXCEED',
      `quantity ${shown(value)} is above the maximum ${maximum} of ${instrument.symbol}`,
    );
  }
  if (lots < instrument.quantityMin) {
    return wrong(`under the minimum ${formatLots(instrument.quantityMin, instrument)}`);
  }
  return lots as Lots;
}

function parseStrategy(value: unknown): OrRejection<StrategyName> {
  if (isAbsent(value)) return reject('INVALID_TRADE_STRATEGY', 'strategy is missing');
  const strategy = choiceOf(STRATEGY_NAMES, value);
  if (strategy === null) {
    const rule = `one of ${STRATEGY_NAMES.join(', ')}`;
    return reject('INVALID_TRADE_STRATEGY', `strategy ${shown(value)} is not ${rule}`);
  }
  return strategy;
}

function parseLimitPrice(value: unknown, instrument: Instrument): OrRejection<Ticks | null> {
  return isAbsent(value) ? null : parsePrice(value, 'limit_price', 'INVALID_LIMIT_PRICE', instrument);
}
