import { bandText, crossesBand, crossingText, minimumRefusal } from '../domain/exchange-rules.js';
import { currentTwiceMid } from '../domain/market.js';
import type { Leg, ParentOrder } from '../domain/order.js';
import { formatLots, formatTicks, type Ticks } from '../domain/quantity.js';
import type { Rejection } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import type { AdmissionGrounds } from './decision.js';

/*
 * Rules of the exchange that admission and preview check for each leg. null: the exchange takes the leg, as far as
 * known.
 */

/** Refuses an order that is under the minimum of the exchange as a whole. */
export function sizeRefusal(
  leg: Leg,
  _order: ParentOrder,
  { instrument, market }: AdmissionGrounds,
  nowMs: EpochMs,
): Rejection | null {
  return minimumRefusal(leg, leg.quantity, instrument, currentTwiceMid(market, nowMs));
}

/**
 * Refuses an order whose own price the exchange takes for an error: it would cross the market by more than its price
 * band. A price that lies too far on the own side waits for the market instead.
 */
export function bandRefusal(
  leg: Leg,
  order: ParentOrder,
  { instrument, market }: AdmissionGrounds,
  nowMs: EpochMs,
): Rejection | null {
  const price = isStartingLater(leg, order, nowMs) ? null : restingPriceOf(leg, order);
  const twiceMid = price === null ? null : currentTwiceMid(market, nowMs);
  if (price === null || twiceMid === null || !crossesBand(leg.side, price, instrument, twiceMid / 2)) return null;
  const field = leg.ladder === null ? 'limit_price' : 'params: ladder price';
  const message = `${field} ${formatTicks(price, instrument)}: ${bandText(leg.side, instrument, twiceMid / 2)}`;
  return { code: 'INVALID_ORDER', message };
}

/** The own price at which the first child rests. null: the children follow the market. */
function restingPriceOf({ strategy, limitPrice, ladder, side }: Leg, { pair }: ParentOrder): Ticks | null {
  if (pair !== null) return null;
  if (ladder !== null) {
    return (side === 'BUY' ? Math.max(ladder.start, ladder.end) : Math.min(ladder.start, ladder.end)) as Ticks;
  }
  return strategy === 'LIMIT' || strategy === 'ICEBERG' ? limitPrice : null;
}

/** Refuses a post-only order that would trade at once. Its strategy would repeat the same child. */
export function crossingRefusal(
  leg: Leg,
  order: ParentOrder,
  { instrument, market }: AdmissionGrounds,
  nowMs: EpochMs,
): Rejection | null {
  const { side, strategy, limitPrice } = leg;
  if (!order.postOnly || strategy !== 'LIMIT' || limitPrice === null || isStartingLater(leg, order, nowMs)) return null;
  if (currentTwiceMid(market, nowMs) === null) return null;
  const isCrossing = side === 'BUY' ? limitPrice >= market.ask : limitPrice <= market.bid;
  return isCrossing ? { code: 'INVALID_ORDER', message: crossingText(limitPrice, instrument) } : null;
}

/** Refuses an order that may only reduce a position and finds none, or whose single child would exceed it. */
export function reductionRefusal(
  leg: Leg,
  order: ParentOrder,
  { instrument, reducible }: AdmissionGrounds,
  nowMs: EpochMs,
): Rejection | null {
  if (!order.reduceOnly || reducible === null || isStartingLater(leg, order, nowMs)) return null;
  const isWhole = leg.strategy === 'MARKET' || leg.strategy === 'LIMIT';
  if (reducible > 0 && (!isWhole || leg.quantity <= reducible)) return null;
  const [wanted, possible] = [formatLots(leg.quantity, instrument), formatLots(reducible, instrument)];
  const message = `params.reduce_only: quantity ${wanted} exceeds ${possible}, the quantity left to reduce`;
  return { code: 'INVALID_ORDER', message };
}

/** The market and the position may change before the order starts. */
function isStartingLater({ trigger }: Leg, { startAtMs, createdAtMs }: ParentOrder, nowMs: EpochMs): boolean {
  // The clock of the thread that made the order may be a little ahead.
  return trigger !== null || startAtMs > Math.max(nowMs, createdAtMs);
}
