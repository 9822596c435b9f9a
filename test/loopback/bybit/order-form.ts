import { randomBytes } from 'node:crypto';
import type { SelfTradePrevention } from '../../../src/domain/instrument.js';
import type { Side } from '../../../src/domain/order.js';
import { multiply, placesOf, type Units } from '../decimal.js';
import type { FuturesClearing } from '../futures-clearing.js';
import type { LoopbackInstrument } from '../instrument.js';
import type { Market } from '../market.js';
import type { OrderTerms, PositionSide, TimeInForce } from '../order.js';
import { ApiError, parameterError } from './api-error.js';
import type { Category } from './instruments.js';
import type { Parameters } from './parameters.js';
import { type Section, tradedMarketOf } from './section.js';

const CLIENT_ID = /^[A-Za-z0-9_-]{1,36}$/;
const SIDES = ['Buy', 'Sell'] as const;
const TYPES = ['Limit', 'Market'] as const;
const TIMES_IN_FORCE = ['GTC', 'IOC', 'FOK', 'PostOnly'] as const;
const MARKET_UNITS = ['baseCoin', 'quoteCoin'] as const;
/** SMP types with the mode of the matching core. */
const PREVENTIONS: Readonly<Record<string, SelfTradePrevention>> = {
  None: 'NONE',
  CancelTaker: 'EXPIRE_TAKER',
  CancelMaker: 'EXPIRE_MAKER',
  CancelBoth: 'EXPIRE_BOTH',
};

/** Reads and checks a new order. Throws the error that the exchange answers. */
export function readOrder(
  section: Section,
  clearing: FuturesClearing,
  { parameters, account }: { parameters: Parameters; account: number },
): OrderTerms {
  const { category, exchange } = section;
  const market = tradedMarketOf(section, parameters);
  const { instrument } = market;
  const side = sideOf(parameters);
  const wireType = parameters.oneOf('orderType', TYPES);
  if (wireType === null) throw parameterError('params error: OrderType invalid');
  const isMarket = wireType === 'Market';
  const asked = parameters.oneOf('timeInForce', TIMES_IN_FORCE) ?? 'GTC';
  const wireTimeInForce = isMarket ? 'IOC' : asked;
  const price = isMarket ? 0n : parameters.decimal('price');
  if (price === null) throw parameterError('params error: Price invalid');
  const amount = parameters.decimal('qty');
  if (amount === null || amount === 0n) throw parameterError('params error: Qty invalid');
  const unit = parameters.oneOf('marketUnit', MARKET_UNITS) ?? (side === 'BUY' ? 'quoteCoin' : 'baseCoin');
  const isByValue = category === 'spot' && isMarket && unit === 'quoteCoin';
  const quantity = isByValue ? market.quantityFor(side, amount) : amount;
  const isReduceOnly = category === 'linear' && parameters.flag('reduceOnly');
  checkRules(category, market, {
    side,
    price,
    quantity,
    openOrders: exchange.openOrders(account, instrument.symbol).length,
  });
  return {
    account,
    instrument,
    clientId: clientIdOf(section, parameters, account),
    side,
    type: isMarket ? 'MARKET' : 'LIMIT',
    timeInForce: (wireTimeInForce === 'PostOnly' ? 'GTC' : wireTimeInForce) satisfies TimeInForce,
    isPostOnly: wireTimeInForce === 'PostOnly',
    isReduceOnly,
    positionSide: positionSideOf(clearing, parameters, { category, account }),
    quantity,
    price,
    prevention: preventionOf(parameters),
    wireType,
    wireTimeInForce,
    quoteQuantity: isByValue ? amount : 0n,
  };
}

function sideOf(parameters: Parameters): Side {
  const side = parameters.oneOf('side', SIDES);
  if (side === null) throw parameterError('params error: Side invalid');
  return side === 'Buy' ? 'BUY' : 'SELL';
}

function preventionOf(parameters: Parameters): SelfTradePrevention {
  const prevention = PREVENTIONS[parameters.optional('smpType') ?? 'None'];
  if (prevention === undefined) throw parameterError('params error: smpType invalid');
  return prevention;
}

/** A client id is unique among all orders of the product, also among ended ones. */
function clientIdOf({ category, exchange }: Section, parameters: Parameters, account: number): string {
  const clientId = parameters.optional('orderLinkId');
  // An order without a client id shows an empty one. The ledger needs a name.
  if (clientId === null) return `-${randomBytes(12).toString('hex')}`;
  if (!CLIENT_ID.test(clientId)) throw parameterError('params error: OrderLinkId is invalid');
  if (!exchange.ledger.ordersOf(account).some(({ terms }) => terms.clientId === clientId)) return clientId;
  if (category === 'spot') throw new ApiError(170141, 'Duplicate clientOrderId.');
  throw new ApiError(110072, 'OrderLinkedID is duplicate');
}

/** The client id of an order as the protocol shows it. */
export function shownClientId({ clientId }: OrderTerms): string {
  return clientId.startsWith('-') ? '' : clientId;
}

function positionSideOf(
  clearing: FuturesClearing,
  parameters: Parameters,
  { category, account }: { category: Category; account: number },
): PositionSide {
  const index = parameters.integer('positionIdx') ?? 0;
  if (category === 'spot') return 'BOTH';
  const { isDualSide } = clearing.settings(account);
  if (isDualSide !== (index !== 0) || index < 0 || index > 2) {
    throw parameterError('position idx not match position mode');
  }
  return (['BOTH', 'LONG', 'SHORT'] as const)[index]!;
}

interface JudgedOrder {
  readonly side: Side;
  /** 0 for a market order. */
  readonly price: Units;
  readonly quantity: Units;
  readonly openOrders: number;
}

/** Checks price, quantity and value against the rules of the instrument. */
export function checkRules(category: Category, market: Market, order: JudgedOrder): void {
  if (category === 'spot') checkSpot(market.rules, order, market.lastPrice);
  else checkLinear(market.rules, order, market.lastPrice);
}

function checkSpot(rules: LoopbackInstrument, order: JudgedOrder, lastPrice: Units): void {
  const { side, price, quantity, openOrders } = order;
  const { tick, lot, quantityMin, quantityMax, marketQuantityMax, bands } = rules;
  const isMarket = price === 0n;
  if (price % tick !== 0n) throw new ApiError(170134, 'Order price has too many decimals.');
  if (quantity % lot !== 0n) throw new ApiError(170137, 'Order quantity has too many decimals.');
  if (quantity < quantityMin) throw new ApiError(170136, 'Order quantity exceeded lower limit.');
  if (quantity > (isMarket ? marketQuantityMax : quantityMax)) {
    throw new ApiError(170135, 'Order quantity exceeded upper limit.');
  }
  const value = multiply(isMarket ? lastPrice : price, quantity);
  if (value < rules.notionalMin) throw new ApiError(170140, 'Order value exceeded lower limit.');
  if (value > rules.notionalMax) throw new ApiError(170124, 'Order amount too large.');
  const [highest, lowest] = [multiply(lastPrice, bands.bidUp), multiply(lastPrice, bands.askDown)];
  if (!isMarket && side === 'BUY' && price > highest) {
    throw new ApiError(170193, `Buy order price cannot be higher than ${shown(highest, tick)}USDT.`);
  }
  if (!isMarket && side === 'SELL' && price < lowest) {
    throw new ApiError(170194, `Sell order price cannot be lower than ${shown(lowest, tick)}USDT.`);
  }
  if (openOrders >= rules.openOrdersMax) throw new ApiError(170810, 'Cannot exceed maximum of 500 open orders.');
}

function checkLinear(rules: LoopbackInstrument, order: JudgedOrder, lastPrice: Units): void {
  const { side, price, quantity, openOrders } = order;
  const { tick, lot, quantityMin, quantityMax, marketQuantityMax, bands } = rules;
  const isMarket = price === 0n;
  if (price % tick !== 0n) throw parameterError('params error: Price is not a multiple of the tick size');
  if (quantity % lot !== 0n) throw parameterError('Qty invalid');
  if (quantity < quantityMin) throw parameterError('The number of contracts is below the minimum limit allowed');
  if (quantity > (isMarket ? marketQuantityMax : quantityMax)) {
    throw parameterError('The number of contracts exceeds maximum limit allowed: too large');
  }
  const value = multiply(isMarket ? lastPrice : price, quantity);
  if (value < rules.notionalMin) throw new ApiError(110094, 'Order does not meet minimum order value 5USDT');
  const isFar = side === 'BUY' ? price > multiply(lastPrice, bands.bidUp) : price < multiply(lastPrice, bands.askDown);
  if (!isMarket && isFar) throw new ApiError(110003, 'Order price is out of permissible range');
  if (openOrders >= rules.openOrdersMax) throw new ApiError(110020, 'Cannot have more than 500 active orders.');
}

function shown(price: Units, tick: Units): string {
  const places = placesOf(tick);
  return (Number(price) / 1e8).toFixed(places);
}
