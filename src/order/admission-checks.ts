import { minimumRefusal } from '../domain/exchange-rules.js';
import { currentTwiceMid } from '../domain/market.js';
import type { Leg, ParentOrder } from '../domain/order.js';
import type { Rejection } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import type { AdmissionGrounds } from './decision.js';

/* Rules of the exchange that admission and preview check for each leg. null: the exchange takes the leg, as far as known. */

/** Refuses an order that is under the minimum of the exchange as a whole. */
export function sizeRefusal(
  leg: Leg,
  _order: ParentOrder,
  { instrument, market }: AdmissionGrounds,
  nowMs: EpochMs,
): Rejection | null {
  return minimumRefusal(leg, leg.quantity, instrument, currentTwiceMid(market, nowMs));
}
