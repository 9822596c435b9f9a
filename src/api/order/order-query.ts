import type { Venue } from '../../domain/exchange.js';
import type { ClientOrderId, OrderId } from '../../domain/ids.js';
import {
  FIND_HORIZON_MS,
  FIND_ORDERS_DEFAULT,
  FIND_ORDERS_MAX,
  INSTANT_MS_MAX,
  QUERY_IDS_MAX,
} from '../../domain/limits/clients.js';
import { isRejected, reject, type OrRejection } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { DetailsWanted, OrderNames } from '../../domain/query.js';
import { shown } from '../field/json-value.js';
import { isClientOrderId } from '../field/field-value.js';
import { arrayValues, flagValue, integerValue, type Query, subaccountValue, venueValue } from '../field/query.js';

/** Orders created within [fromMs, toMs], service time; empty when fromMs is above toMs. */
export interface OrderSearch {
  readonly fromMs: EpochMs;
  readonly toMs: EpochMs;
  readonly limit: number;
}

export interface TradeSearch {
  readonly venue: Venue;
  /** null: every subaccount. */
  readonly subaccount: string | null;
  readonly names: OrderNames;
}

const ORDER_ID = /^[1-9]\d{0,15}$/;

/** Reads orderIds and clientOrderIds; at least one must be given. */
export function parseNames(query: Query): OrRejection<OrderNames> {
  const idTexts = arrayValues(query, 'orderIds');
  const clientOrderIds = arrayValues(query, 'clientOrderIds');
  const count = idTexts.length + clientOrderIds.length;
  if (count === 0) return reject('INVALID_PARAM', 'orderIds and clientOrderIds are missing: give at least one');
  if (count > QUERY_IDS_MAX)
    return reject('INVALID_PARAM', `${count} orders are requested, more than ${QUERY_IDS_MAX}`);
  const orderIds: OrderId[] = [];
  for (const text of idTexts) {
    const orderId = parseOrderId(text);
    if (orderId === null) return reject('INVALID_PARAM', `orderIds: ${shown(text)} is not an order id`);
    orderIds.push(orderId);
  }
  for (const text of clientOrderIds) {
    if (!isClientOrderId(text))
      return reject('INVALID_PARAM', `clientOrderIds: ${shown(text)} is not a client order id`);
  }
  return { orderIds, clientOrderIds: clientOrderIds as readonly ClientOrderId[] };
}

/** Reads a positive integer below 2^53; null when the text is something else. */
export function parseOrderId(text: string): OrderId | null {
  const value = ORDER_ID.test(text) ? Number(text) : 0;
  return value > 0 && Number.isSafeInteger(value) ? (value as OrderId) : null;
}

/** Reads include_trades, include_fees and include_params. */
export function parseWanted(query: Query): OrRejection<DetailsWanted> {
  const withTrades = flagValue(query, 'include_trades');
  if (isRejected(withTrades)) return withTrades;
  const withFees = flagValue(query, 'include_fees');
  if (isRejected(withFees)) return withFees;
  const withParams = flagValue(query, 'include_params');
  return isRejected(withParams) ? withParams : { withTrades, withFees, withParams };
}

/** Reads startMs, endMs and limit. Clips a window that starts before the horizon. */
export function parseSearch(query: Query, nowMs: EpochMs): OrRejection<OrderSearch> {
  const startMs = integerValue(query, 'startMs', 0, INSTANT_MS_MAX);
  if (isRejected(startMs)) return startMs;
  const endMs = integerValue(query, 'endMs', 0, INSTANT_MS_MAX);
  if (isRejected(endMs)) return endMs;
  if (startMs !== null && endMs !== null && startMs > endMs) {
    return reject('INVALID_PARAM', `startMs ${startMs} is after endMs ${endMs}`);
  }
  const limit = integerValue(query, 'limit', 1, FIND_ORDERS_MAX);
  if (isRejected(limit)) return limit;
  const horizonMs = nowMs - FIND_HORIZON_MS;
  return {
    fromMs: Math.max(startMs ?? horizonMs, horizonMs) as EpochMs,
    toMs: (endMs ?? nowMs) as EpochMs,
    limit: limit ?? FIND_ORDERS_DEFAULT,
  };
}

/** Reads exchange, subaccount, orderIds and clientOrderIds. */
export function parseTradeSearch(query: Query): OrRejection<TradeSearch> {
  const venue = venueValue(query);
  if (isRejected(venue)) return venue;
  const subaccount = subaccountValue(query);
  if (isRejected(subaccount)) return subaccount;
  const names = parseNames(query);
  return isRejected(names) ? names : { venue, subaccount, names };
}
