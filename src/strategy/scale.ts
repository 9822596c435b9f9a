import type { Instrument } from '../domain/instrument.js';
import type { StrategyIntent, StrategyView } from '../domain/intent.js';
import {
  LADDER_RUNGS_DEFAULT,
  LADDER_RUNGS_MAX,
  LADDER_RUNGS_MIN,
  LIVE_CHILDREN_MAX,
  PLACEMENTS_COUNT_MAX,
  REPOST_MS,
} from '../domain/limits/trading.js';
import type { MarketCondition } from '../domain/market.js';
import { type LiveChild, restOf, endOf } from '../domain/order-state.js';
import { childCountOf, type Clip, type Ladder, type Leg, type Side } from '../domain/order.js';
import type { Lots, Ticks } from '../domain/quantity.js';
import { assert } from '../domain/rejection.js';
import { type PlainMemory, INITIAL_PACING } from '../domain/strategy-memory.js';
import type { DurationMs, EpochMs } from '../domain/time.js';
import { endOfRest, QUIET, waitWhileHeld } from './placement/all-at-once.js';
import {
  circumstances,
  isAsAggressive,
  minimumAt,
  partCount,
  partOf,
  placeableOf,
  placement,
  unplaced,
  unplacedBeside,
  whenTakeable,
} from './placement/child.js';
import { afterPlacing, NO_CONDITIONS, wakeAt } from './placement/pacing.js';
import { plainMemory, withPacing } from './market-limit.js';
import type { Placement } from './placement/placement.js';
import type { Strategy } from './strategy.js';
import type { Outline } from './outline.js';

const PPM = 1_000_000;

interface Rung {
  readonly price: Ticks;
  readonly quantity: Lots;
}

/**
 * Number of rungs of a ladder: from the clip, or LADDER_RUNGS_DEFAULT when the clip is automatic. At least
 * LADDER_RUNGS_MIN, at most LADDER_RUNGS_MAX.
 */
function rungCount(clip: Clip, quantity: Lots): number {
  const wanted = childCountOf(clip, quantity) ?? LADDER_RUNGS_DEFAULT;
  return Math.max(LADDER_RUNGS_MIN, Math.min(LADDER_RUNGS_MAX, wanted));
}

/**
 * Lays out the order from the ladder's start to its end. Prices are evenly spaced and rounded away from the far touch.
 * Sizes are linear, from weight 1 at the start to the skew at the end. Running sums are cut to lots, and the last rung
 * gets the remainder. A rung below the venue's minimum is added to the next rung, or to the previous one at the end.
 */
export function rungsOf(leg: Leg, ladder: Ladder, instrument: Instrument): Rung[] {
  const { side, quantity, clip } = leg;
  const count = rungCount(clip, quantity);
  const skew = ladder.skewPpm / PPM;
  const weightOf = (index: number): number => index + ((skew - 1) * index * (index - 1)) / (2 * (count - 1));
  const whole = weightOf(count);
  const rungs: Rung[] = [];
  let laid = 0;
  for (let index = 0; index < count; index += 1) {
    const until = index === count - 1 ? quantity : Math.floor((quantity / whole) * weightOf(index + 1));
    const price = priceOf(side, ladder, index / (count - 1));
    if (until - laid < minimumAt(instrument, price)) continue;
    const last = rungs.at(-1);
    // A ladder with more rungs than ticks has several rungs at one price.
    if (last?.price === price) rungs.pop();
    rungs.push({ price, quantity: (until - laid + (last?.price === price ? last.quantity : 0)) as Lots });
    laid = until;
  }
  return withRest(rungs, (quantity - laid) as Lots, ladder.end);
}

function withRest(rungs: Rung[], rest: Lots, end: Ticks): Rung[] {
  const last = rungs.pop();
  if (rest === 0) return last === undefined ? [] : [...rungs, last];
  return [...rungs, { price: last?.price ?? end, quantity: ((last?.quantity ?? 0) + rest) as Lots }];
}

function priceOf(side: Side, { start, end }: Ladder, share: number): Ticks {
  const price = start + (end - start) * share;
  // Rounds away from the far touch. Ignores float errors of prices that are on the grid.
  const nearest = Math.round(price);
  if (Math.abs(price - nearest) < 1e-6) return nearest as Ticks;
  return (side === 'BUY' ? Math.floor(price) : Math.ceil(price)) as Ticks;
}

/** Rungs by order. They depend only on the terms and each decision needs them. */
const RUNGS_BY_LEG = new WeakMap<Leg, readonly Rung[]>();

/** Returns all rungs of a leg. The rungs nearest the market, which trade first, come first. */
function nearestFirst(leg: Leg, ladder: Ladder, instrument: Instrument): readonly Rung[] {
  const known = RUNGS_BY_LEG.get(leg);
  if (known !== undefined) return known;
  const rungs = rungsOf(leg, ladder, instrument).toSorted((left, right) =>
    left.price === right.price ? 0 : isAsAggressive(leg.side, left.price, right.price) ? -1 : 1,
  );
  RUNGS_BY_LEG.set(leg, rungs);
  return rungs;
}

/**
 * Returns the rung that trades next after `filled` lots, with its remaining quantity; null when all rungs are filled.
 */
export function nextRung(leg: Leg, ladder: Ladder, instrument: Instrument, filled: Lots): Rung | null {
  let done: number = filled;
  for (const { price, quantity } of nearestFirst(leg, ladder, instrument)) {
    if (done < quantity) return { price, quantity: (quantity - done) as Lots };
    done -= quantity;
  }
  return null;
}

/** Rests a ladder of children, as far as the exchange accepts the prices. Replaces children that the exchange ends. */
export const SCALE: Strategy = {
  name: 'SCALE',
  begin: () => ({ kind: 'SCALE', ...INITIAL_PACING }),
  work: (view) => {
    const memory = plainMemory(view);
    return withPacing(memory, work(view, memory));
  },
};

function work(view: StrategyView, memory: PlainMemory): Placement {
  if (unplaced(view) === 0) return QUIET;
  const leg = view.state.order.legs[0];
  const { children, progress } = view.state.legs[0];
  assert(leg.ladder !== null, 'a SCALE has a ladder');
  const pause = waitWhileHeld(view, memory.pacing);
  if (pause !== null) return pause;
  const { intents, isComplete, when } = fill(view, nearestFirst(leg, leg.ladder, view.instrument));
  if (intents.length > 0) {
    // An incomplete ladder continues with the next report. A complete one gives the venue time.
    const holdMs = (isComplete ? REPOST_MS : 0) as DurationMs;
    const wake = wakeAt(view.nowMs, (view.nowMs + holdMs) as EpochMs, null, when);
    return { ...QUIET, intents, pacing: afterPlacing(view, holdMs), wake };
  }
  if (when.length > 0 || children.length > 0) return { ...QUIET, wake: { atMs: null, when } };
  const next = nextRung(leg, leg.ladder, view.instrument, progress.filled);
  return endOfRest(view, next?.price ?? leg.ladder.end);
}

interface Filling {
  readonly intents: StrategyIntent[];
  /** False when the rungs lack more children than one decision may place. */
  readonly isComplete: boolean;
  /** Conditions under which the venue accepts the remaining rungs. */
  readonly when: readonly MarketCondition[];
}

/** Places the missing quantity of the rungs, those nearest the market first. */
function fill(view: StrategyView, rungs: readonly Rung[]): Filling {
  const { state, instrument } = view;
  const intents: StrategyIntent[] = [];
  const { children, progress } = state.legs[0];
  const resting = restingByPrice(children);
  const roomCount = Math.min(PLACEMENTS_COUNT_MAX, LIVE_CHILDREN_MAX - children.length);
  const reason = { code: 'RUNG', detail: '', figures: circumstances(view, null) } as const;
  const shape = { kind: 'rest' as const, price: 0 as Ticks };
  let { working } = view;
  let traded: number = progress.filled;
  for (const { price, quantity } of rungs) {
    const lacking = quantity - Math.min(quantity, traded) - (resting.get(price) ?? 0);
    traded = Math.max(0, traded - quantity);
    if (lacking <= 0) continue;
    const takeable = whenTakeable(view, price);
    if (takeable !== null) return { intents, isComplete: true, when: [takeable] };
    if (roomCount === 0) return { intents, isComplete: false, when: NO_CONDITIONS };
    const placing = placeableOf(unplacedBeside(view, working), lacking, instrument, price);
    if (placing === 0) continue;
    shape.price = price;
    const count = partCount(instrument, placing, shape);
    for (let part = 0; part < count; part += 1) {
      intents.push(placement(view, partOf(placing, count, part), shape, reason));
      // One rung may need several children, and more than the limit leaves.
      if (intents.length >= roomCount) return { intents, isComplete: false, when: NO_CONDITIONS };
    }
    working = (working + placing) as Lots;
  }
  return { intents, isComplete: true, when: NO_CONDITIONS };
}

const NO_RESTING_LOTS: ReadonlyMap<Ticks | null, number> = new Map();

function restingByPrice(children: readonly LiveChild[]): ReadonlyMap<Ticks | null, number> {
  if (children.length === 0) return NO_RESTING_LOTS;
  const resting = new Map<Ticks | null, number>();
  for (const child of children) {
    const price = child.order.limitPrice;
    resting.set(price, (resting.get(price) ?? 0) + restOf(child));
  }
  return resting;
}

/** Outlines a SCALE: all rungs at the beginning. */
export function ladderOutline({ state: { order, startedAtMs }, instrument, nowMs }: StrategyView): Outline {
  const leg = order.legs[0];
  const rungs = leg.ladder === null ? [] : rungsOf(leg, leg.ladder, instrument);
  return {
    slices: rungs.map(({ quantity }) => ({ atMs: nowMs, quantity })),
    childCount: rungs.length,
    endMs: endOf(order, startedAtMs),
  };
}
