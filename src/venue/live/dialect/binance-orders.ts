import type { ChildSubmission } from '../../../domain/venue-message.js';
import { formatLots, formatTicks } from '../../../domain/quantity.js';
import { type TradedInstrument, WrongRequest, type WrittenOrder } from '../wire-guard.js';

/*
 * Orders of Binance spot and of its USD-M futures as request fields. The names and values are those of the public
 * documents of both products; the WebSocket API and REST take the same fields.
 */

/** Fields of a request, in the order in which they are written. */
export type Fields = Readonly<Record<string, string>>;

/** How long after its timestamp Binance still carries a request out. */
export const BINANCE_RECV_WINDOW_MS = 2_000;

const RECV_WINDOW = String(BINANCE_RECV_WINDOW_MS);

/** The fields that place a child. Throws WrongRequest for a child that the product has no order for. */
export function placeFields(child: ChildSubmission, clientId: string, to: TradedInstrument): Fields {
  const { side, type, timeInForce, limitPrice, postOnly, reduceOnly, selfTradePrevention } = child;
  if (reduceOnly && !to.isFuture) throw new WrongRequest('spot has no reduce-only orders');
  if (postOnly && (type !== 'LIMIT' || timeInForce !== 'GTC')) throw new WrongRequest('a post-only order rests');
  if ((type === 'LIMIT') !== (limitPrice !== null)) throw new WrongRequest('a limit order, and only it, has a price');
  const fields: Record<string, string> = { symbol: to.exchangeSymbol, side };
  if (type === 'MARKET') fields['type'] = 'MARKET';
  else if (postOnly && !to.isFuture) fields['type'] = 'LIMIT_MAKER';
  else {
    fields['type'] = 'LIMIT';
    fields['timeInForce'] = postOnly ? 'GTX' : timeInForce;
  }
  fields['quantity'] = formatLots(child.quantity, to);
  if (limitPrice !== null) fields['price'] = formatTicks(limitPrice, to);
  if (reduceOnly) fields['reduceOnly'] = 'true';
  fields['newClientOrderId'] = clientId;
  fields['selfTradePreventionMode'] = selfTradePrevention;
  // USD-M has no answer with fills.
  fields['newOrderRespType'] = to.isFuture ? 'RESULT' : 'FULL';
  fields['recvWindow'] = RECV_WINDOW;
  return fields;
}

/** The fields that name an order by its client id: to cancel it (`origClientOrderId`) or to look it up. */
export function nameFields(clientId: string, to: TradedInstrument): Fields {
  return { symbol: to.exchangeSymbol, origClientOrderId: clientId, recvWindow: RECV_WINDOW };
}

/** Trades of one page. */
export const TRADES_MAX = 1_000;

/** A part of a list: by the time of the entries, or from an id of the exchange on. */
export type ListRange = { readonly fromMs: number; readonly toMs: number } | { readonly firstId: string };

/** One page of the trades of one order, the oldest first. null: the newest ones, on USD-M of the last 7 days. */
export function tradesFields(exchangeOrderId: string, to: TradedInstrument, range: ListRange | null): Fields {
  const order = { symbol: to.exchangeSymbol, orderId: exchangeOrderId };
  const part = range === null ? {} : rangeFields(range, 'fromId');
  return { ...order, ...part, limit: String(TRADES_MAX), recvWindow: RECV_WINDOW };
}

/** One page of the trades of all orders in a symbol, the oldest first. */
export function symbolTradesFields(exchangeSymbol: string, range: ListRange): Fields {
  const part = rangeFields(range, 'fromId');
  return { symbol: exchangeSymbol, ...part, limit: String(TRADES_MAX), recvWindow: RECV_WINDOW };
}

/** The open orders of a symbol. */
export function openOrdersFields(exchangeSymbol: string): Fields {
  return { symbol: exchangeSymbol, recvWindow: RECV_WINDOW };
}

/** Names an order by the id of the exchange. */
export function orderIdFields(exchangeSymbol: string, exchangeOrderId: string): Fields {
  return { symbol: exchangeSymbol, orderId: exchangeOrderId, recvWindow: RECV_WINDOW };
}

function rangeFields(range: ListRange, idName: 'fromId' | 'orderId'): Fields {
  if ('firstId' in range) return { [idName]: range.firstId };
  return { startTime: String(Math.round(range.fromMs)), endTime: String(Math.round(range.toMs)) };
}

/** Orders of one page of allOrders. */
export const ALL_ORDERS_MAX = 1_000;
/** The longest period that spot takes. USD-M takes a week. */
export const ALL_ORDERS_PERIOD_MS = 86_400_000;

/** One page of the orders of a symbol, the oldest first: by the time of their placement, or by id. */
export function allOrdersFields(exchangeSymbol: string, range: ListRange): Fields {
  const from = rangeFields(range, 'orderId');
  return { symbol: exchangeSymbol, ...from, limit: String(ALL_ORDERS_MAX), recvWindow: RECV_WINDOW };
}

/** Fields that the transport adds. They say nothing about the order. */
const TRANSPORT_FIELDS = new Set(['timestamp', 'signature', 'apiKey', 'recvWindow', 'newOrderRespType']);
const ORDER_FIELDS = new Set([
  'symbol',
  'side',
  'type',
  'timeInForce',
  'quantity',
  'price',
  'reduceOnly',
  'newClientOrderId',
  'selfTradePreventionMode',
]);

/**
 * Reads the fields of an outgoing placement back. Throws WrongRequest for a field or value that no placement of ours
 * has: a trigger price or the tag of a broker.
 */
export function readPlacement(fields: Fields, { isFuture }: Pick<TradedInstrument, 'isFuture'>): WrittenOrder {
  for (const name of Object.keys(fields)) {
    if (!ORDER_FIELDS.has(name) && !TRANSPORT_FIELDS.has(name)) throw new WrongRequest(`an unknown field ${name}`);
  }
  const of = (name: string): string => {
    const value = fields[name];
    if (value === undefined) throw new WrongRequest(`the field ${name} is missing`);
    return value;
  };
  const kind = kindOf(of('type'), fields['timeInForce'], isFuture);
  const reduceOnly = fields['reduceOnly'] ?? 'false';
  if (reduceOnly !== 'true' && reduceOnly !== 'false') throw new WrongRequest(`reduceOnly ${reduceOnly}`);
  return {
    ...kind,
    symbol: of('symbol'),
    side: of('side'),
    reduceOnly: reduceOnly === 'true',
    quantity: of('quantity'),
    price: fields['price'] ?? null,
    clientId: of('newClientOrderId'),
    selfTradePrevention: of('selfTradePreventionMode'),
  };
}

type Kind = Pick<WrittenOrder, 'type' | 'timeInForce' | 'postOnly'>;

function kindOf(type: string, timeInForce: string | undefined, isFuture: boolean): Kind {
  if (type === 'MARKET' && timeInForce === undefined) return { type, timeInForce: 'IOC', postOnly: false };
  if (type === 'LIMIT_MAKER' && timeInForce === undefined && !isFuture) {
    return { type: 'LIMIT', timeInForce: 'GTC', postOnly: true };
  }
  if (type === 'LIMIT') {
    if (timeInForce === 'GTC' || timeInForce === 'IOC') return { type, timeInForce, postOnly: false };
    if (timeInForce === 'GTX' && isFuture) return { type, timeInForce: 'GTC', postOnly: true };
  }
  throw new WrongRequest(`an order of type ${type} with time in force ${String(timeInForce)}`);
}
