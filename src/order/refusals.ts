import { PASSING_REFUSALS_MAX, REFUSALS_MAX } from '../model/limits.js';
import type { ParentState, StrategyName } from '../model/order.js';
import { isPassing, type Rejection } from '../model/rejection.js';
import { endsAtMs } from './amendment.js';

/** Strategies that place the same child again and again: the venue's first judgement of it is final. */
const UNSCHEDULED: ReadonlySet<StrategyName> = new Set(['MARKET', 'LIMIT']);

/**
 * True once the venue has refused so many children in a row that the order must end. It stays true: what the last
 * children still report does not bring the order back.
 */
export function isGivenUp(state: ParentState): boolean {
  const { order, refusals, lastRefusal } = state;
  if (refusals === 0 || lastRefusal === null) return false;
  // Our own orders are in each other's way: each gets its turn, and none is worth less for having waited.
  if (lastRefusal.code === 'SYSTEM_BUSY') return false;
  // A post-only child that would have crossed: the market moved first, and the next price may rest.
  if (order.postOnly && lastRefusal.code === 'INVALID_ORDER' && !UNSCHEDULED.has(order.strategy)) return false;
  // With an end time, time itself ends an order whose venue does not come back.
  if (isPassing(lastRefusal)) return endsAtMs(state) === null && refusals >= PASSING_REFUSALS_MAX;
  if (UNSCHEDULED.has(order.strategy)) return true;
  return refusals >= REFUSALS_MAX;
}

/**
 * What a venue's refusal of a child means for its order: where the same child would be placed again, it is no matter of
 * the moment that the child would have crossed.
 */
export function judgementOf({ order }: ParentState, rejection: Rejection): Rejection {
  const { code, message } = rejection;
  return UNSCHEDULED.has(order.strategy) && code === 'INVALID_ORDER' ? { code, message } : rejection;
}
