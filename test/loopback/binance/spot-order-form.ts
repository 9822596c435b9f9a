import { randomBytes } from 'node:crypto';
import type { SelfTradePrevention } from '../../../src/domain/instrument.js';
import type { Side } from '../../../src/domain/order.js';
import type { Exchange } from '../exchange.js';
import type { Market } from '../market.js';
import type { OrderTerms, TimeInForce } from '../order.js';
import { ApiError, BAD_SYMBOL, eitherMissing, filterFailure, missing } from './api-error.js';
import { failedSpotFilter } from './filters.js';
import type { Parameters } from './parameters.js';

export const CLIENT_ID_FORM = /^[a-zA-Z0-9-_]{1,36}$/;
export const PREVENTIONS: readonly SelfTradePrevention[] = [
  'NONE',
  'EXPIRE_TAKER',
  'EXPIRE_MAKER',
  'EXPIRE_BOTH',
  'DECREMENT',
];
export const SIDES: readonly Side[] = ['BUY', 'SELL'];
const TYPES = ['LIMIT', 'MARKET', 'LIMIT_MAKER'] as const;
const TIMES_IN_FORCE: readonly TimeInForce[] = ['GTC', 'IOC', 'FOK'];
const GENERATED_ID_BYTES = 11;

/** A client id as the exchange makes it when a request has none. */
export function generatedId(): string {
  return randomBytes(GENERATED_ID_BYTES).toString('hex');
}

/** The market of the `symbol` parameter. Throws -1121, also for a delisted one. */
export function marketOf(exchange: Exchange, parameters: Parameters): Market {
  return listedMarket(exchange, parameters.symbol());
}

export function listedMarket(exchange: Exchange, symbol: string): Market {
  const market = exchange.market(symbol);
  if (market === null || exchange.suspensionOf(symbol) === 'DELISTED') throw BAD_SYMBOL();
  return market;
}

/** Reads and checks a new spot order. Throws the error that the exchange answers. */
export function readSpotOrder(exchange: Exchange, parameters: Parameters, account: number): OrderTerms {
  const market = marketOf(exchange, parameters);
  const { instrument } = market;
  const side = parameters.oneOf('side', SIDES, new ApiError(-1117, 'Invalid side.'));
  if (side === null) throw missing('side');
  const type = parameters.oneOf('type', TYPES, new ApiError(-1116, 'Invalid orderType.'));
  if (type === null) throw missing('type');
  const timeInForce = parameters.oneOf('timeInForce', TIMES_IN_FORCE, new ApiError(-1115, 'Invalid timeInForce.'));
  const price = parameters.decimal('price');
  const asked = parameters.decimal('quantity');
  const quoteQuantity = parameters.decimal('quoteOrderQty');
  const clientId = parameters.matching('newClientOrderId', CLIENT_ID_FORM) ?? generatedId();
  const refused = new ApiError(-1130, "Data sent for parameter 'selfTradePreventionMode' is not valid.");
  const prevention = parameters.oneOf('selfTradePreventionMode', PREVENTIONS, refused) ?? 'EXPIRE_MAKER';
  for (const name of ['strategyId', 'strategyType']) parameters.integer(name);
  if (type === 'LIMIT' && timeInForce === null) throw missing('timeInForce');
  if (type !== 'LIMIT' && timeInForce !== null) throw notRequired('timeInForce');
  if (type === 'MARKET' && price !== null) throw notRequired('price');
  if (type !== 'MARKET' && price === null) throw missing('price');
  if (type !== 'MARKET' && quoteQuantity !== null) throw notRequired('quoteOrderQty');
  if (asked === null && quoteQuantity === null) {
    throw type === 'MARKET' ? eitherMissing('quantity', 'quoteOrderQty') : missing('quantity');
  }
  if (asked !== null && quoteQuantity !== null) {
    throw new ApiError(-1128, 'Combination of optional parameters invalid.');
  }
  const quantity = asked ?? market.quantityFor(side, quoteQuantity!);
  const openOrders = exchange.openOrders(account, instrument.symbol).length;
  const failed = failedSpotFilter(market, { side, price: price ?? 0n, quantity, openOrders });
  if (failed !== null) throw filterFailure(failed);
  return {
    account,
    instrument,
    clientId,
    side,
    quantity,
    prevention,
    type: type === 'MARKET' ? 'MARKET' : 'LIMIT',
    timeInForce: timeInForce ?? 'GTC',
    isPostOnly: type === 'LIMIT_MAKER',
    isReduceOnly: false,
    positionSide: 'BOTH',
    price: price ?? 0n,
    wireType: type,
    wireTimeInForce: timeInForce ?? 'GTC',
    quoteQuantity: quoteQuantity ?? 0n,
  };
}

function notRequired(name: string): ApiError {
  return new ApiError(-1106, `Parameter '${name}' sent when not required.`);
}
