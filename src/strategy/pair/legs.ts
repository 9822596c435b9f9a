import type { StrategyDecision, StrategyView } from '../../domain/intent.js';
import { HEDGE_WATCH_MS, PAIR_LEAD_PPM_MAX } from '../../domain/limits/trading.js';
import type { ParentState } from '../../domain/order-state.js';
import type { Leg, ParentOrder } from '../../domain/order.js';
import { legAt, type LegIndex } from '../../domain/pair.js';
import type { EpochMs } from '../../domain/time.js';
import { QUIET } from '../placement/all-at-once.js';
import { cancel, circumstances, restingChildren } from '../placement/child.js';
import { wakeAt } from '../placement/pacing.js';
import { nominalClip } from './headroom.js';

/** A leg for its strategy: the state of an order that has only this leg. */
export function legState(state: ParentState, leg: LegIndex): ParentState {
  if (state.order.pair === null) return state;
  return { ...state, order: legOrders(state.order)[leg], legs: [legAt(state.legs, leg)], hedge: null };
}

/** A leg of a pair as an order of its own. Its end may be earlier than that of the pair. */
interface LegOrder extends ParentOrder {
  readonly pairEndAtMs: EpochMs | null;
}

/** The end of the pair that the order is a leg of; null: the pair has no end, or the order is no leg of a pair. */
export function pairEndOf(order: ParentOrder | LegOrder): EpochMs | null {
  return 'pairEndAtMs' in order ? order.pairEndAtMs : null;
}

/** Orders of the legs by pair. Each decision needs one. */
const ORDERS = new WeakMap<ParentOrder, readonly [LegOrder, LegOrder]>();

/** The legs of a pair as orders of their own. */
function legOrders(order: ParentOrder): readonly [LegOrder, LegOrder] {
  const known = ORDERS.get(order);
  if (known !== undefined) return known;
  const orders = [legOrder(order, 0), legOrder(order, 1)] as const;
  ORDERS.set(order, orders);
  return orders;
}

function legOrder(order: ParentOrder, index: LegIndex): LegOrder {
  const leg = legAt(order.legs, index);
  return { ...order, endAtMs: endOf(order, leg), pairEndAtMs: order.endAtMs, legs: [leg], pair: null };
}

/** End time of a leg: that of the order, or earlier by the leg's duration. */
function endOf({ startAtMs, endAtMs }: ParentOrder, { durationMs, trigger }: Leg): EpochMs | null {
  if (durationMs === null || trigger !== null) return endAtMs;
  const ownMs = (startAtMs + durationMs) as EpochMs;
  return endAtMs === null || ownMs < endAtMs ? ownMs : endAtMs;
}

const PPM = 1_000_000;

/**
 * Returns the leg that must wait in a pair without a leading leg: its filled share exceeds the other's by more than a
 * clip and more than 2 %. null: both legs continue.
 */
export function aheadOf(state: ParentState): LegIndex | null {
  const { order, legs } = state;
  if (order.pair === null || order.pair.isLed) return null;
  const shareOf = (leg: LegIndex): number => legAt(legs, leg).progress.filled / legAt(order.legs, leg).quantity;
  const lead = PPM * (shareOf(0) - shareOf(1));
  const ahead = lead > 0 ? 0 : 1;
  const terms = legAt(order.legs, ahead);
  const clip = nominalClip(terms) / terms.quantity;
  return Math.abs(lead) <= Math.max(PPM * clip, PAIR_LEAD_PPM_MAX) ? null : ahead;
}

/** Decision of a leg. A leg that is ahead cancels its resting children and may only end the order. */
export function inStep(decision: StrategyDecision, view: StrategyView, isAhead: boolean): StrategyDecision {
  if (!isAhead || decision.end !== null) return decision;
  const wake = wakeAt(view.nowMs, (view.nowMs + HEDGE_WATCH_MS) as EpochMs);
  const reason = { code: 'AHEAD', detail: '', figures: circumstances(view, null) } as const;
  return { ...QUIET, intents: cancel(restingChildren(view), reason), wake };
}
