import { assert } from '../model/assert.js';
import type { Strategy, StrategyDecision, StrategyIntent, StrategyView } from '../model/intent.js';
import { LIVE_CHILDREN_MAX, PLACEMENTS_COUNT_MAX, REPOST_MS } from '../model/limits.js';
import type { MarketCondition } from '../model/market.js';
import type { LiveChild } from '../model/order.js';
import type { Lots, Ticks } from '../model/quantity.js';
import type { DurationMs, EpochMs } from '../model/time.js';
import { endOfRest, QUIET, waitWhileHeld } from './all-at-once.js';
import { nearestFirst, nextRung, type Rung } from './ladder.js';
import {
  circumstances,
  partCount,
  partOf,
  placeableOf,
  placement,
  restOf,
  unplaced,
  unplacedBeside,
  whenTakeable,
} from './placement.js';
import { afterPlacing, NO_CONDITIONS, RELAXED_NUMBERS, wakeAt } from './stance.js';

/**
 * A ladder of resting children, all of it in the book as far as the venue takes such prices; what the venue ended is
 * placed again. Memory: its stance.
 */
export const SCALE: Strategy = { name: 'SCALE', begin: () => RELAXED_NUMBERS, work };

function work(view: StrategyView): StrategyDecision {
  if (unplaced(view) === 0) return QUIET;
  const { order, progress } = view.state;
  assert(order.ladder !== null, 'a SCALE has a ladder');
  const pause = waitWhileHeld(view);
  if (pause !== null) return pause;
  const { intents, isComplete, when } = fill(view, nearestFirst(order, order.ladder, view.instrument));
  if (intents.length > 0) {
    // A ladder that was cut short goes on with the next report; one that stands gives the venue time.
    const holdMs = (isComplete ? REPOST_MS : 0) as DurationMs;
    const memory = afterPlacing(view, view.memoryFrom ?? 0, holdMs);
    return { ...QUIET, intents, memory, wake: wakeAt(view.nowMs, (view.nowMs + holdMs) as EpochMs, null, when) };
  }
  if (when.length > 0 || view.state.children.length > 0) return { ...QUIET, wake: { atMs: null, when } };
  const next = nextRung(order, order.ladder, view.instrument, progress.filled);
  return endOfRest(view, next?.price ?? order.ladder.end);
}

interface Filling {
  readonly intents: StrategyIntent[];
  /** False when more rungs are to be placed than one look may. */
  readonly isComplete: boolean;
  /** What the market must come to before the venue takes the rest. */
  readonly when: readonly MarketCondition[];
}

/** Places what the rungs lack, those nearest the market first. */
function fill(view: StrategyView, rungs: readonly Rung[]): Filling {
  const { state, instrument } = view;
  const intents: StrategyIntent[] = [];
  const standing = standingByPrice(state.children);
  const roomCount = Math.min(PLACEMENTS_COUNT_MAX, LIVE_CHILDREN_MAX - state.children.length);
  const reason = { code: 'RUNG', detail: circumstances(view, null) };
  const shape = { kind: 'rest' as const, price: 0 as Ticks };
  let { working } = view;
  let traded: number = state.progress.filled;
  for (const { price, quantity } of rungs) {
    const lacking = quantity - Math.min(quantity, traded) - (standing.get(price) ?? 0);
    traded = Math.max(0, traded - quantity);
    if (lacking <= 0) continue;
    const takeable = whenTakeable(view, price);
    if (takeable !== null) return { intents, isComplete: true, when: [takeable] };
    if (roomCount === 0) return { intents, isComplete: false, when: NO_CONDITIONS };
    const placing = placeableOf(unplacedBeside(view, working), lacking, instrument, price);
    if (placing === 0) continue;
    shape.price = price;
    const count = partCount(instrument, placing, null, shape);
    for (let part = 0; part < count; part += 1) {
      intents.push(placement(view, partOf(placing, count, part), shape, reason));
      // A rung that the venue takes in several children only may have more of them than there is room for.
      if (intents.length >= roomCount) return { intents, isComplete: false, when: NO_CONDITIONS };
    }
    working = (working + placing) as Lots;
  }
  return { intents, isComplete: true, when: NO_CONDITIONS };
}

const NOTHING_STANDS: ReadonlyMap<Ticks | null, number> = new Map();

function standingByPrice(children: readonly LiveChild[]): ReadonlyMap<Ticks | null, number> {
  if (children.length === 0) return NOTHING_STANDS;
  const standing = new Map<Ticks | null, number>();
  for (const child of children) {
    const price = child.order.limitPrice;
    standing.set(price, (standing.get(price) ?? 0) + restOf(child));
  }
  return standing;
}
