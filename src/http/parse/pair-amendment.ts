import type { InstrumentCatalogue } from '../../model/instrument.js';
import type { ParentOrder } from '../../model/order.js';
import type { OrderLeg, Pair } from '../../model/pair.js';
import { withQuantity } from '../../model/pair-quantity.js';
import { formatLots, formatTicks } from '../../model/quantity.js';
import { isRejected, reject, type OrRejection, type Rejection } from '../../model/rejection.js';
import type { Amendment } from './amendment.js';
import { isAbsent, isJsonObject, present, type JsonObject } from './json-field.js';
import type { LegRequest } from './order-leg.js';
import { parseLots } from './order-terms.js';
import { PAIR_PARAMS, pairEcho } from './pair-params.js';
import { parsePairRequest, type PairRequest } from './pair-request.js';
import { echoOf, requestOfEcho } from './request-echo.js';
import { endOf } from './trade-times.js';

/** What an amendment of a pair is made from. */
interface Amended {
  /** For its new quantities already. */
  readonly order: ParentOrder;
  readonly pair: Pair;
  readonly amendment: Amendment;
  readonly params: JsonObject;
  /** It says when trading ends. */
  readonly isTimed: boolean;
}

/**
 * The pair with its new terms, judged as one create of them all would be. `quantity` is that of the leading leg, and the
 * other's changes in proportion; `limit_price`, and what of `params` a leg has, are of the leading leg; the rest of `params`
 * is of the order.
 */
export function amendedPair(
  amendment: Amendment,
  before: ParentOrder,
  catalogue: InstrumentCatalogue,
  revision: number,
): OrRejection<ParentOrder> {
  const { quantity, params } = amendment;
  const instrument = catalogue.at(before.instrument);
  const lots = isAbsent(quantity) ? before.quantity : parseLots(quantity, 'quantity', instrument);
  if (isRejected(lots)) return lots;
  const order = withQuantity(before, lots);
  if (order.pair === null) return order;
  const given = isJsonObject(params) ? present(params, Object.keys(params)) : {};
  const isTimed = 'end_time' in amendment || 'duration_seconds' in given;
  const amended = { order, pair: order.pair, amendment, params: given, isTimed };
  const request = parsePairRequest(requestOf(amended, catalogue), catalogue);
  return isRejected(request) ? asSent(request.rejection, order.pair) : { ...withTerms(amended, request), revision };
}

/** What is wrong with the leading leg is told of the field that the amendment has for it. */
function asSent({ code, message }: Rejection, { leadingIndex }: Pair): OrRejection<never> {
  const own = `legs[${leadingIndex}].`;
  if (!message.startsWith(own)) return reject(code, message);
  return reject(code, message.slice(own.length).replace(/^target_value/, 'quantity'));
}

function withTerms({ order, pair }: Amended, request: PairRequest): ParentOrder {
  const { legs, times, params } = request;
  const { leadingIndex } = pair;
  const leading = legs[leadingIndex];
  return {
    ...order,
    ...leading.params,
    limitPrice: leading.terms.limitPrice,
    endAtMs: leading.params.trigger === null ? endOf(times, order.startAtMs) : times.endAtMs,
    requestEcho: pairEcho(params),
    pair: { ...pair, ...params, legs: [legWith(pair.legs[0], legs[0]), legWith(pair.legs[1], legs[1])] },
  };
}

function legWith(leg: OrderLeg, request: LegRequest): OrderLeg {
  const { durationMs, style, urgency, randomizeQuantity, would, trigger, placement } = request.params;
  const working = { durationMs, style, urgency, randomizeQuantity, would, trigger, placement };
  return { ...leg, ...working, limitPrice: request.terms.limitPrice, requestEcho: echoOf(request) };
}

/** The create that would ask for the order with its new terms; its legs are to fill the quantities that they have. */
function requestOf(amended: Amended, catalogue: InstrumentCatalogue): JsonObject {
  const { order, pair, amendment, params, isTimed } = amended;
  const { startAtMs, endAtMs } = order;
  const own = amendment['params'];
  return {
    algo: 'PAIR',
    legs: pair.legs.map((leg, index) => legRequest(amended, leg, index, catalogue)),
    start_time: new Date(startAtMs).toISOString(),
    end_time: amendment['end_time'] ?? (endAtMs === null || isTimed ? null : new Date(endAtMs).toISOString()),
    params:
      own === undefined || isJsonObject(own)
        ? { ...requestOfEcho(order.requestEcho).params, ...present(params, PAIR_PARAMS) }
        : own,
  };
}

function legRequest(amended: Amended, leg: OrderLeg, index: number, catalogue: InstrumentCatalogue): JsonObject {
  const { pair, amendment, params, isTimed } = amended;
  const isLeading = index === pair.leadingIndex;
  const { params: echoed, ...clip } = requestOfEcho(leg.requestEcho);
  const kept: { [name: string]: unknown } = { ...echoed };
  // Where neither leads, both legs end with the order.
  if (isTimed && (isLeading || !pair.isLed)) kept['duration_seconds'] = params['duration_seconds'];
  const given = isLeading ? params : {};
  const limitPrice = leg.limitPrice === null ? null : formatTicks(leg.limitPrice, leg);
  return {
    exchange: leg.venue,
    symbol: leg.symbol,
    asset_category: leg.assetCategory,
    side: leg.side,
    target_value: formatLots(leg.quantity, leg),
    ccy: catalogue.at(leg.instrument).base,
    strategy: leg.strategy,
    limit_price: (isLeading ? amendment['limit_price'] : null) ?? limitPrice,
    ...clip,
    params: { ...kept, ...given, is_leading: pair.isLed && isLeading },
  };
}
