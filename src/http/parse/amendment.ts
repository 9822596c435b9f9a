import type { InstrumentCatalogue } from '../../model/instrument.js';
import type { ParentOrder, ParentState } from '../../model/order.js';
import { formatLots, formatTicks } from '../../model/quantity.js';
import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
import { isAbsent, isJsonObject, present, shown, type JsonObject } from './json-field.js';
import { parseOrderRequest, type OrderRequest } from './order-request.js';
import { amendedPair } from './pair-amendment.js';
import { PAIR_PARAMS } from './pair-params.js';
import { echoOf, requestOfEcho } from './request-echo.js';
import { endOf } from './trade-times.js';

/** What an AmendOrderRequest asks for besides naming an order: members as they were sent. */
export type Amendment = JsonObject;

const TERMS = ['quantity', 'limit_price', 'end_time', 'params'];
/** What an order is as long as it lives. */
const FIXED_PARAMS = new Set([
  'start_ladder_price',
  'end_ladder_price',
  'ladder_direction',
  'ladder_profile',
  'size_skew',
  'reduce_only',
  'post_only',
]);
const NOT_OF_PAIRS = ['is_leading', 'ob_imbalance_cancel', 'ob_imbalance_threshold', 'price_lock_bps'];

export function parseAmendment(body: unknown): OrRejection<Amendment> {
  if (!isJsonObject(body)) return reject('INVALID_REQUEST', `the request is ${shown(body)}, not an object`);
  const amendment = present(body, TERMS);
  if (Object.keys(amendment).length > 0) return amendment;
  return reject('INVALID_REQUEST', `${TERMS.join(', ')} are missing: give at least one`);
}

/**
 * The order with the terms that the amendment leaves as they are and those that it sets, judged as one create of them
 * all would be. `end_time` and `duration_seconds` go together: what is given of the two replaces both.
 */
export function amendedOrder(
  amendment: Amendment,
  { order, amendment: wanted }: ParentState,
  catalogue: InstrumentCatalogue,
): OrRejection<ParentOrder> {
  const before = wanted ?? order;
  const params = amendment['params'];
  const given = isJsonObject(params) ? Object.keys(present(params, Object.keys(params))) : [];
  const fixed = given.find((name) => FIXED_PARAMS.has(name));
  if (fixed !== undefined) return reject('INVALID_PARAM', `params.${fixed} cannot be amended`);
  const foreign = given.find((name) => (before.pair === null ? PAIR_PARAMS : NOT_OF_PAIRS).includes(name));
  if (foreign !== undefined) {
    const what = before.pair === null ? 'an order of one leg' : 'a multi-leg order';
    return reject('INVALID_PARAM', `params.${foreign} cannot be amended of ${what}`);
  }
  if (before.pair !== null) return amendedPair(amendment, before, catalogue, order.revision + 1);
  const request = parseOrderRequest(requestOf(before, amendment), catalogue);
  return isRejected(request) ? request : withTerms(before, request, order.revision + 1);
}

function withTerms(before: ParentOrder, request: OrderRequest, revision: number): ParentOrder {
  const { terms, times, params } = request;
  return {
    ...before,
    ...params,
    quantity: terms.quantity,
    limitPrice: terms.limitPrice,
    endAtMs: params.trigger === null ? endOf(times, before.startAtMs) : times.endAtMs,
    requestEcho: echoOf(request),
    revision,
  };
}

/** The create that would ask for the order with its new terms. */
function requestOf(order: ParentOrder, amendment: Amendment): JsonObject {
  const { quantity, limitPrice, startAtMs, endAtMs } = order;
  const { params: echoed, ...clip } = requestOfEcho(order.requestEcho);
  const given = amendment['params'];
  const params = { ...echoed, ...(isJsonObject(given) ? present(given, Object.keys(given)) : {}) };
  const isTimed = 'end_time' in amendment || (isJsonObject(given) && !isAbsent(given['duration_seconds']));
  if (isTimed && (!isJsonObject(given) || isAbsent(given['duration_seconds']))) delete params['duration_seconds'];
  return {
    exchange: order.venue,
    symbol: order.symbol,
    asset_category: order.assetCategory,
    side: order.side,
    quantity: formatLots(quantity, order),
    strategy: order.strategy,
    limit_price: limitPrice === null ? null : formatTicks(limitPrice, order),
    start_time: new Date(startAtMs).toISOString(),
    end_time: endAtMs === null || isTimed ? null : new Date(endAtMs).toISOString(),
    ...clip,
    ...amendment,
    params: given === undefined || isJsonObject(given) ? params : given,
  };
}
