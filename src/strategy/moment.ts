import type { StrategyView } from '../model/intent.js';
import { fieldOf, type MarketCondition } from '../model/market.js';
import type { EpochMs } from '../model/time.js';
import { passedPart, type Goal } from './goal.js';

/**
 * Which share of what stands at the best prices the own side must have for the price to be about to leave, in each
 * quarter of the time that a slice has. In the last one nothing is waited for.
 */
const SHARES = [0.9, 0.75, 0.5] as const;

/** True when it is time to take: the next move is likely to go away from the order, or the slice has waited enough. */
export function isMoment(view: StrategyView, goal: Goal): boolean {
  const bound = boundOf(view, goal);
  if (bound === undefined) return true;
  const share = fieldOf(fieldFor(view), view.market);
  return share === null || share >= bound;
}

/** When the next quarter begins. */
export function momentAtMs(view: StrategyView, goal: Goal): EpochMs {
  const passed = Math.floor(quartersOf(view, goal)) + 1;
  return Math.ceil(goal.dueAtMs - goal.intervalMs * (1 - passed / (SHARES.length + 1))) as EpochMs;
}

/** Met when it is time to take. */
export function whenMoment(view: StrategyView, goal: Goal): MarketCondition {
  return { field: fieldFor(view), at: 'or above', bound: boundOf(view, goal) ?? 0 };
}

function boundOf(view: StrategyView, goal: Goal): number | undefined {
  return SHARES[Math.floor(quartersOf(view, goal))];
}

function quartersOf({ nowMs }: StrategyView, goal: Goal): number {
  return passedPart(goal, nowMs) * (SHARES.length + 1);
}

function fieldFor({ state }: StrategyView): 'bidShare' | 'askShare' {
  return state.order.side === 'BUY' ? 'bidShare' : 'askShare';
}
