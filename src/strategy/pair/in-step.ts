import type { StrategyDecision, StrategyView } from '../../model/intent.js';
import { HEDGE_WATCH_MS, PAIR_LEAD_PPM_MAX } from '../../model/limits.js';
import type { ParentState } from '../../model/order.js';
import type { EpochMs } from '../../model/time.js';
import { QUIET } from '../all-at-once.js';
import { cancel, circumstances, restingChildren } from '../placement.js';
import { wakeAt } from '../stance.js';
import { followerOrder } from './leg-state.js';
import { nominalClip } from './unhedged.js';

const PPM = 1_000_000;

/**
 * Where neither leg of a pair leads: the one that has filled so much more of its quantity than the other that it must wait,
 * which is by more than a clip, and more than 2 %. null: both go on.
 */
export function aheadOf(state: ParentState): 'lead' | 'follower' | null {
  const { order, progress, follower } = state;
  if (order.pair === null || order.pair.isLed || follower === null) return null;
  const other = followerOrder(order);
  const lead = PPM * (progress.filled / order.quantity - follower.progress.filled / other.quantity);
  const clip = lead > 0 ? nominalClip(order) / order.quantity : nominalClip(other) / other.quantity;
  if (Math.abs(lead) <= Math.max(PPM * clip, PAIR_LEAD_PPM_MAX)) return null;
  return lead > 0 ? 'lead' : 'follower';
}

/** A leg that is ahead does nothing of its strategy's word but end the order, and is withdrawn until the other has come up. */
export function inStep(word: StrategyDecision, view: StrategyView, isAhead: boolean): StrategyDecision {
  if (!isAhead || word.end !== null) return word;
  const wake = wakeAt(view.nowMs, (view.nowMs + HEDGE_WATCH_MS) as EpochMs);
  const reason = { code: 'AHEAD', detail: circumstances(view, null) };
  return { ...QUIET, intents: cancel(restingChildren(view), reason), wake };
}
