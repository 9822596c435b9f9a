import { assert } from '../model/assert.js';
import type { Strategy, StrategyDecision, StrategyIntent, StrategyView } from '../model/intent.js';
import { LIVE_CHILDREN_MAX, PLACEMENTS_COUNT_MAX, REPOST_MS } from '../model/limits.js';
import { isMet, type MarketCondition } from '../model/market.js';
import type { Lots, Ticks } from '../model/quantity.js';
import type { DurationMs } from '../model/time.js';
import { endOfRest, QUIET, waitAfterSetback } from './all-at-once.js';
import { remainingRungs, type Rung } from './ladder.js';
import { circumstances, place, placeable, restOf, unplaced, whenTakeable } from './placement.js';
import { afterPlacing, isHeld, numbersOf, RELAXED_NUMBERS, stanceOf, wakeAt } from './stance.js';

/**
 * A ladder of resting children, all of it in the book as far as the venue takes such prices; what the venue ended is
 * placed again. Memory: its stance.
 */
export const SCALE: Strategy = { name: 'SCALE', begin: () => RELAXED_NUMBERS, work };

function work(view: StrategyView): StrategyDecision {
  if (unplaced(view) === 0) return QUIET;
  const { order, progress, memory } = view.state;
  assert(order.ladder !== null, 'a SCALE has a ladder');
  const stance = stanceOf(memory, 0);
  const setback = waitAfterSetback(view, stance);
  if (setback !== null) return setback;
  if (isHeld(view, stance)) return { ...QUIET, wake: wakeAt(view.nowMs, [stance.holdUntilMs]) };
  const rungs = remainingRungs(order, order.ladder, view.instrument, progress.filled);
  const { intents, isComplete, when } = fill(view, rungs);
  if (intents.length > 0) {
    // A ladder that was cut short goes on with the next report; one that stands gives the venue time.
    const next = afterPlacing(view, (isComplete ? REPOST_MS : 0) as DurationMs);
    return { ...QUIET, intents, memory: numbersOf(next), wake: wakeAt(view.nowMs, [next.holdUntilMs], when) };
  }
  if (when.length > 0 || view.state.children.length > 0) return { ...QUIET, wake: { atMs: null, when } };
  return endOfRest(view, rungs[0]?.price ?? order.ladder.end);
}

interface Filling {
  readonly intents: StrategyIntent[];
  /** False when more rungs are to be placed than one look may. */
  readonly isComplete: boolean;
  /** What the market must come to before the venue takes the rest. */
  readonly when: readonly MarketCondition[];
}

/** Places what the rungs lack. */
function fill(view: StrategyView, rungs: readonly Rung[]): Filling {
  const intents: StrategyIntent[] = [];
  const standing = standingByPrice(view);
  const roomCount = Math.min(PLACEMENTS_COUNT_MAX, LIVE_CHILDREN_MAX - view.state.children.length);
  const reason = { code: 'RUNG', detail: circumstances(view, null) };
  let { working } = view;
  for (const { price, quantity } of rungs) {
    const lacking = quantity - (standing.get(price) ?? 0);
    if (lacking <= 0) continue;
    const takeable = whenTakeable(view.state.order.side, price, view.instrument);
    if (takeable !== null && !isMet(takeable, view.market)) return { intents, isComplete: true, when: [takeable] };
    if (roomCount === 0) return { intents, isComplete: false, when: [] };
    const left = { ...view, working };
    const placing = placeable(left, lacking, price);
    if (placing === 0) continue;
    for (const part of place(left, placing, null, { kind: 'rest', price }, reason)) {
      intents.push(part);
      // A rung that the venue takes in several children only may have more of them than there is room for.
      if (intents.length >= roomCount) return { intents, isComplete: false, when: [] };
    }
    working = (working + placing) as Lots;
  }
  return { intents, isComplete: true, when: [] };
}

function standingByPrice({ state }: StrategyView): Map<Ticks | null, number> {
  const standing = new Map<Ticks | null, number>();
  for (const child of state.children) {
    const price = child.order.limitPrice;
    standing.set(price, (standing.get(price) ?? 0) + restOf(child));
  }
  return standing;
}
