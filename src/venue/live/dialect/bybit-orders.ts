import type { SelfTradePrevention } from '../../../domain/instrument.js';
import { formatLots, formatTicks } from '../../../domain/quantity.js';
import type { ChildSubmission } from '../../../domain/venue-message.js';
import { type TradedInstrument, WrongRequest, type WrittenOrder } from '../wire-guard.js';

/*
 * Orders of Bybit's V5 API for spot and for USDT perpetuals as request fields. REST writes the fields of a change as a
 * JSON body in this order; the socket for orders takes the same fields.
 */

/** Fields of a request, in the order in which they are written. */
export type BybitFields = Readonly<Record<string, string | number | boolean>>;

/** How long after its timestamp Bybit still carries a request out. */
export const BYBIT_RECV_WINDOW_MS = 2_000;

/** Longest pages of the lists. */
const ORDERS_PER_PAGE = '50';
const EXECUTIONS_PER_PAGE = '100';

export type BybitCategory = 'spot' | 'linear';

export function bybitCategory({ isFuture }: Pick<TradedInstrument, 'isFuture'>): BybitCategory {
  return isFuture ? 'linear' : 'spot';
}

const SIDES = { BUY: 'Buy', SELL: 'Sell' } as const;
const TYPES = { LIMIT: 'Limit', MARKET: 'Market' } as const;
const PREVENTIONS: Readonly<Record<Exclude<SelfTradePrevention, 'DECREMENT'>, string>> = {
  NONE: 'None',
  EXPIRE_TAKER: 'CancelTaker',
  EXPIRE_MAKER: 'CancelMaker',
  EXPIRE_BOTH: 'CancelBoth',
};

/** The fields that place a child. Throws WrongRequest for a child that the product has no order for. */
export function placeFields(child: ChildSubmission, clientId: string, to: TradedInstrument): BybitFields {
  const { side, type, timeInForce, limitPrice, postOnly, reduceOnly, selfTradePrevention } = child;
  if (reduceOnly && !to.isFuture) throw new WrongRequest('spot has no reduce-only orders');
  if (postOnly && (type !== 'LIMIT' || timeInForce !== 'GTC')) throw new WrongRequest('a post-only order rests');
  if ((type === 'LIMIT') !== (limitPrice !== null)) throw new WrongRequest('a limit order, and only it, has a price');
  if (type === 'MARKET' && timeInForce !== 'IOC') throw new WrongRequest('a market order does not rest');
  if (selfTradePrevention === 'DECREMENT') throw new WrongRequest('Bybit has no self-trade prevention by decrement');
  const fields: Record<string, string | number | boolean> = {
    category: bybitCategory(to),
    symbol: to.exchangeSymbol,
    side: SIDES[side],
    orderType: TYPES[type],
    qty: formatLots(child.quantity, to),
  };
  if (limitPrice !== null) fields['price'] = formatTicks(limitPrice, to);
  fields['timeInForce'] = postOnly ? 'PostOnly' : timeInForce;
  if (to.isFuture) {
    // One-way mode: one position for both sides.
    fields['positionIdx'] = 0;
    fields['reduceOnly'] = reduceOnly;
  } else {
    // A spot market order to buy would count its quantity in the quote coin; borrowing must never begin by itself.
    if (type === 'MARKET') fields['marketUnit'] = 'baseCoin';
    fields['isLeverage'] = 0;
  }
  fields['orderLinkId'] = clientId;
  fields['smpType'] = PREVENTIONS[selfTradePrevention];
  return fields;
}

/** The fields that cancel an order by its client id. */
export function cancelFields(clientId: string, to: TradedInstrument): BybitFields {
  return { category: bybitCategory(to), symbol: to.exchangeSymbol, orderLinkId: clientId };
}

/** The fields that look an order up by its client id: in order/realtime, then in order/history. */
export function lookUpFields(clientId: string, to: TradedInstrument): BybitFields {
  return cancelFields(clientId, to);
}

/** A period of at most 7 days, which is the longest that a list takes. */
export interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

/** One page of the executions of an order. `cursor`: of the page before; null: the first page. */
export function executionsFields(
  clientId: string,
  to: TradedInstrument,
  { period, cursor }: { period: Period; cursor: string | null },
): BybitFields {
  return {
    ...lookUpFields(clientId, to),
    startTime: String(period.fromMs),
    endTime: String(period.toMs),
    limit: EXECUTIONS_PER_PAGE,
    ...(cursor !== null && { cursor }),
  };
}

/** One page of the ended orders of an instrument in a period. */
export function historyFields(
  to: TradedInstrument,
  { period, cursor }: { period: Period; cursor: string | null },
): BybitFields {
  return {
    category: bybitCategory(to),
    symbol: to.exchangeSymbol,
    startTime: String(Math.round(period.fromMs)),
    endTime: String(Math.round(period.toMs)),
    limit: ORDERS_PER_PAGE,
    ...(cursor !== null && { cursor }),
  };
}

/** A list of open orders: one for spot, and one for each coin in which perpetuals are settled. */
export interface OrderList {
  readonly category: BybitCategory;
  readonly settleCoin: string | null;
}

export const ORDER_LISTS: readonly OrderList[] = [
  { category: 'spot', settleCoin: null },
  { category: 'linear', settleCoin: 'USDT' },
  { category: 'linear', settleCoin: 'USDC' },
];

/** One page of a list of open orders. */
export function openOrdersFields({ category, settleCoin }: OrderList, cursor: string | null): BybitFields {
  return {
    category,
    ...(settleCoin !== null && { settleCoin }),
    openOnly: '0',
    limit: ORDERS_PER_PAGE,
    ...(cursor !== null && { cursor }),
  };
}

const SPOT_FIELDS = ['marketUnit', 'isLeverage'];
const LINEAR_FIELDS = ['positionIdx', 'reduceOnly'];
const COMMON_FIELDS = [
  'category',
  'symbol',
  'side',
  'orderType',
  'qty',
  'price',
  'timeInForce',
  'orderLinkId',
  'smpType',
];

/**
 * Reads the fields of an outgoing placement back. Throws WrongRequest for a field or value that no placement of ours
 * has: a trigger price, a take-profit, borrowing, or a position of hedge mode.
 */
export function readPlacement(
  fields: Readonly<Record<string, unknown>>,
  { isFuture }: Pick<TradedInstrument, 'isFuture'>,
): WrittenOrder {
  const known = new Set([...COMMON_FIELDS, ...(isFuture ? LINEAR_FIELDS : SPOT_FIELDS)]);
  for (const name of Object.keys(fields)) {
    if (!known.has(name)) throw new WrongRequest(`an unknown field ${name}`);
  }
  const text = (name: string): string => {
    const value = fields[name];
    if (typeof value === 'string' && value !== '') return value;
    throw new WrongRequest(`the field ${name} is missing or no text`);
  };
  const demand = (name: string, value: unknown): void => {
    if (fields[name] !== value)
      throw new WrongRequest(`${name} is ${String(fields[name])} instead of ${String(value)}`);
  };
  const kind = kindOf(text('orderType'), text('timeInForce'));
  demand('category', isFuture ? 'linear' : 'spot');
  if (isFuture) demand('positionIdx', 0);
  else {
    demand('isLeverage', 0);
    demand('marketUnit', kind.type === 'MARKET' ? 'baseCoin' : undefined);
  }
  const reduceOnly = isFuture ? fields['reduceOnly'] : false;
  if (typeof reduceOnly !== 'boolean') throw new WrongRequest('reduceOnly is no boolean');
  return {
    ...kind,
    symbol: text('symbol'),
    side: keyOf(SIDES, 'side', text('side')),
    reduceOnly,
    quantity: text('qty'),
    price: fields['price'] === undefined ? null : text('price'),
    clientId: text('orderLinkId'),
    selfTradePrevention: keyOf(PREVENTIONS, 'smpType', text('smpType')),
  };
}

type Kind = Pick<WrittenOrder, 'type' | 'timeInForce' | 'postOnly'>;

function kindOf(orderType: string, timeInForce: string): Kind {
  const type = keyOf(TYPES, 'orderType', orderType);
  if (type === 'LIMIT' && timeInForce === 'PostOnly') return { type, timeInForce: 'GTC', postOnly: true };
  if (timeInForce === 'IOC' || (type === 'LIMIT' && timeInForce === 'GTC'))
    return { type, timeInForce, postOnly: false };
  throw new WrongRequest(`an order of type ${orderType} with time in force ${timeInForce}`);
}

/** The name of the model for a word of the exchange. */
function keyOf<Key extends string>(table: Readonly<Record<Key, string>>, name: string, word: string): Key {
  for (const key of Object.keys(table) as Key[]) if (table[key] === word) return key;
  throw new WrongRequest(`${name} ${word} is none of ours`);
}
