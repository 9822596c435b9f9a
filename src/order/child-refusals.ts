import { leadingIndexOf, leadingLeg } from '../domain/order-legs.js';
import { legAt, type LegIndex, otherLeg } from '../domain/pair.js';
import { isPassing, type Rejection } from '../domain/rejection.js';
import type { ParentOrder, StrategyName } from '../domain/order.js';
import { type ParentState, endsAtMs } from '../domain/order-state.js';
import { PASSING_REFUSALS_MAX, REFUSALS_MAX } from '../domain/limits/trading.js';

/** Strategies that would repeat the same child: the first rejection by the venue is final. */
const UNSCHEDULED: ReadonlySet<StrategyName> = new Set(['MARKET', 'LIMIT']);

/**
 * True when the venue has refused so many children in a row that the order must end. It stays true, whatever the last
 * children still report.
 */
export function isGivenUp(state: ParentState): boolean {
  return givenUpLeg(state) !== null;
}

/**
 * The leg whose refusals end the order; null: none. In a pair with a leading leg it is that leg only, because the hedge
 * has a time limit of its own.
 */
function givenUpLeg(state: ParentState): LegIndex | null {
  const { order } = state;
  const leading = leadingIndexOf(order);
  if (isLegGivenUp(state, leading)) return leading;
  const other = otherLeg(leading);
  return isLeaderless(order) && isLegGivenUp(state, other) ? other : null;
}

function isLegGivenUp(state: ParentState, leg: LegIndex): boolean {
  const { order } = state;
  const { refusals, lastRefusal } = legAt(state.legs, leg);
  if (refusals === 0 || lastRefusal === null) return false;
  // Our own request throttle was full. The order may try again.
  if (lastRefusal.code === 'SYSTEM_BUSY') return false;
  const isUnscheduled = UNSCHEDULED.has(strategyOf(order, leg));
  // A post-only child would have crossed. The next price may rest.
  if (order.postOnly && lastRefusal.code === 'INVALID_ORDER' && !isUnscheduled) return false;
  // The end time ends an order whose venue does not come back.
  if (isPassing(lastRefusal)) return endsAtMs(state) === null && refusals >= PASSING_REFUSALS_MAX;
  return isUnscheduled || refusals >= REFUSALS_MAX;
}

/** The strategy that repeats the refused children of a leg. A pair with a leading leg counts as that leg's strategy. */
function strategyOf(order: ParentOrder, leg: LegIndex): StrategyName {
  return (isLeaderless(order) ? legAt(order.legs, leg) : leadingLeg(order)).strategy;
}

/** True for a pair in which each leg works by its own strategy. */
function isLeaderless({ pair }: ParentOrder): boolean {
  return pair !== null && !pair.isLed;
}

/**
 * Returns the venue's rejection of a child of the leg as the order counts it. For a strategy that repeats the same
 * child, INVALID_ORDER is final and has no retry time.
 */
export function judgementOf({ order }: ParentState, leg: LegIndex, rejection: Rejection): Rejection {
  const { code, message } = rejection;
  return UNSCHEDULED.has(strategyOf(order, leg)) && code === 'INVALID_ORDER' ? { code, message } : rejection;
}

/** The last refusal of the leg that ends the order; for a pair without a leading leg it names the leg. */
export function finalRefusalOf(state: ParentState): Rejection | null {
  const leg = givenUpLeg(state);
  const refusal = leg === null ? null : legAt(state.legs, leg).lastRefusal;
  if (refusal === null || !isLeaderless(state.order)) return refusal;
  return { ...refusal, message: `legs[${leg}]: ${refusal.message}` };
}
