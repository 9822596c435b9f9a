import { isGated, type ParentOrder, type StrategyMemory } from '../model/order.js';
import type { EpochMs } from '../model/time.js';
import { GATE_NUMBERS } from './gates.js';
import { sharesDone } from './is.js';
import { slottedMemoryOf, type SlottedMemory } from './slotted.js';

/** What an order set out to do by the clock when its strategy began. */
export interface PlannedCurve {
  readonly endMs: EpochMs;
  /** Shares of what was left to do at equal steps of the time, 0 first and 1 last; null: by the volume of the market. */
  readonly shares: readonly number[] | null;
}

/** `memory` as it was journalled when the strategy began; null for a strategy without a schedule. */
export function plannedCurve(order: ParentOrder, memory: StrategyMemory, beganAtMs: EpochMs): PlannedCurve | null {
  const plan = slottedPlanOf(order, memory);
  if (plan === null) return null;
  const { endMs } = plan;
  if (order.strategy === 'VWAP') return { endMs, shares: null };
  return { endMs, shares: order.strategy === 'IS' ? sharesDone(plan, endMs - beganAtMs) : [0, 1] };
}

/** Gates keep numbers of their own before those of the strategy that they stand around. */
function slottedPlanOf(order: ParentOrder, memory: StrategyMemory): SlottedMemory | null {
  if (order.strategy !== 'TWAP' && order.strategy !== 'VWAP' && order.strategy !== 'IS') return null;
  return slottedMemoryOf(isGated(order) ? memory.slice(GATE_NUMBERS) : memory);
}
