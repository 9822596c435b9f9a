import type { FeeTotal, LiveChild, ParentOrder, ParentState, Progress, StrategyMemory } from './order.js';
import type { FollowerState } from './pair.js';
import { ZERO_LOTS, ZERO_NOTIONAL, type Ticks } from './quantity.js';

// Shared by every state, for most of 100,000 sleeping orders have none of these.
export const NO_PROGRESS: Progress = { filled: ZERO_LOTS, notional: ZERO_NOTIONAL };
export const NO_FEES: readonly FeeTotal[] = [];
export const NO_MEMORY: StrategyMemory = [];
export const NO_CHILDREN: readonly LiveChild[] = [];

const UNTRADED: FollowerState = {
  progress: NO_PROGRESS,
  makerFilled: ZERO_LOTS,
  lastQuantity: ZERO_LOTS,
  lastPrice: 0 as Ticks,
  fees: NO_FEES,
  childCount: 0,
  refusals: 0,
  lastRefusal: null,
  memory: NO_MEMORY,
};

/** The other leg of a new order; null when it has none. */
export function newFollower({ pair }: ParentOrder): FollowerState | null {
  return pair === null ? null : UNTRADED;
}

/** An order as its creation leaves it. */
export function newState(order: ParentOrder): ParentState {
  return {
    order,
    status: 'PENDING_NEW',
    progress: NO_PROGRESS,
    makerFilled: ZERO_LOTS,
    lastQuantity: ZERO_LOTS,
    lastPrice: 0 as Ticks,
    fees: NO_FEES,
    arrivalTwiceMid: null,
    startedAtMs: null,
    plannedAtMs: null,
    plannedFilled: ZERO_LOTS,
    amendment: null,
    endedAtMs: null,
    childCount: 0,
    epoch: 0,
    isReconciling: false,
    children: NO_CHILDREN,
    refusals: 0,
    lastRefusal: null,
    memory: NO_MEMORY,
    outcome: null,
    lateFills: 0,
    follower: newFollower(order),
    quarantine: null,
    contradictions: 0,
  };
}
