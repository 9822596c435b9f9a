import type { StrategyDecision, StrategyView } from '../domain/intent.js';
import { CROSSING_MS_MIN, DWELL_MS_MAX, REFILL_MS_MAX, REFILL_MS_MIN, REPOST_MS } from '../domain/limits/trading.js';
import { endOf } from '../domain/order-state.js';
import type { Lots, Ticks } from '../domain/quantity.js';
import { assert } from '../domain/rejection.js';
import { type IcebergMemory, type Pacing, INITIAL_PACING } from '../domain/strategy-memory.js';
import type { DurationMs, EpochMs } from '../domain/time.js';
import { placeAll, QUIET, waitFor } from './placement/all-at-once.js';
import { nextRung, rungsOf } from './scale.js';
import { type Outline, slicesOf } from './outline.js';
import { maximumAt, minimumAt, nearTouch, whenTakeable, withinLimit } from './placement/child.js';
import { pegOf } from './placement/peg.js';
import { placeToward, type Placement } from './placement/placement.js';
import { clipOf, closingAtMs } from './schedule/slots.js';
import { wakeAt } from './placement/pacing.js';
import { newScratch, type Scratch, type Strategy } from './strategy.js';

/** Largest difference of a randomised clip from the usual clip, as a fraction of it. */
const SPREAD = 0.2;
/**
 * Bounds of an automatic clip, as divisors of the order's quantity. Within them it is half of the near touch's
 * quantity.
 */
const LEAST_PART = 50;
const MOST_PART = 5;
/** Lag behind an even schedule, in clips, above which a HYBRID order crosses. */
const BAND_CLIPS = 1.5;
const NEVER_MS = Number.MAX_SAFE_INTEGER as EpochMs;

/**
 * Shows one child at a time. The child rests at the next rung of the ladder, or at the limit price, or else at the near
 * touch in the order's style. Without ladder and limit price, an end time forces completion in the deadline window.
 */
export const ICEBERG: Strategy = {
  name: 'ICEBERG',
  begin,
  work: (view, scratch = newScratch()) => work(view, scratch),
};

function begin(view: StrategyView): IcebergMemory {
  return { kind: 'ICEBERG', ...INITIAL_PACING, usualClip: usualClip(view), timedAfter: 0 };
}

function usualClip(view: StrategyView): Lots {
  const leg = view.state.order.legs[0];
  const minimum = minimumAt(view.instrument, withinLimit(leg, nearTouch(leg.side, view.market)));
  const resting = leg.side === 'BUY' ? view.market.bidQuantity : view.market.askQuantity;
  const automatic = Math.max(leg.quantity / LEAST_PART, Math.min(leg.quantity / MOST_PART, resting / 2));
  return Math.max(minimum, Math.ceil(clipOf({ ...leg, randomizeQuantity: false }) ?? automatic)) as Lots;
}

function work(view: StrategyView, scratch: Scratch): StrategyDecision {
  const leg = view.state.order.legs[0];
  const { memory, children, childCount } = view.state.legs[0];
  assert(memory?.kind === 'ICEBERG', 'an ICEBERG has begun before it is worked');
  const isShowing = children.length > 0;
  // A refill right after the last fill reveals the iceberg. In the deadline window there is no time for a delay.
  const isTimed = leg.randomizeQuantity && view.nowMs < closingMs(view);
  if (isTimed && !isShowing && childCount > memory.timedAfter) return waitToRefill(view, memory);
  const spread = leg.randomizeQuantity ? SPREAD * (2 * view.random(2 * childCount) - 1) : 0;
  const clip = Math.max(1, Math.round(memory.usualClip * (1 + spread))) as Lots;
  const decision = shown(view, memory, clip, scratch);
  if (decision.pacing !== null) decision.memory = remembered(memory, decision.pacing, memory.timedAfter);
  return decision;
}

function remembered({ gates, usualClip: usual }: IcebergMemory, pacing: Pacing, timedAfter: number): IcebergMemory {
  return { kind: 'ICEBERG', pacing, gates, usualClip: usual, timedAfter };
}

function waitToRefill(view: StrategyView, memory: IcebergMemory): StrategyDecision {
  const { childCount } = view.state.legs[0];
  const delayMs = REFILL_MS_MIN + (REFILL_MS_MAX - REFILL_MS_MIN) * view.random(2 * childCount + 1);
  const heldUntilMs = Math.ceil(view.nowMs + delayMs) as EpochMs;
  const delayed = remembered(memory, { ...memory.pacing, heldUntilMs }, childCount);
  return { ...QUIET, memory: delayed, wake: wakeAt(view.nowMs, heldUntilMs) };
}

function shown(view: StrategyView, memory: IcebergMemory, clip: Lots, scratch: Scratch): Placement {
  const leg = view.state.order.legs[0];
  const { progress, children } = view.state.legs[0];
  if (leg.ladder === null && leg.limitPrice === null) {
    return join(view, memory, ofOneChild(view, lowestPrice(view), clip), scratch);
  }
  if (children.length > 0) return QUIET;
  if (leg.ladder === null) return showAt(view, memory, leg.limitPrice as Ticks, clip);
  const rung = nextRung(leg, leg.ladder, view.instrument, progress.filled);
  return rung === null ? QUIET : showAt(view, memory, rung.price, rung.quantity);
}

/** Places the next clip at `price`, once the venue accepts this price. */
function showAt(view: StrategyView, memory: IcebergMemory, price: Ticks, clip: Lots): Placement {
  const takeable = whenTakeable(view, price);
  if (takeable !== null) return waitFor(view, memory.pacing, 'BEYOND_BAND', takeable);
  const most = ofOneChild(view, price, clip);
  return placeAll(view, memory.pacing, { kind: 'rest', price, code: 'SHOW_CLIP', holdMs: 0 as DurationMs, most });
}

/** Lowest price of a child without limit price: the order's own level, or the bid, from which a SELL takes. */
function lowestPrice(view: StrategyView): Ticks {
  const { bid } = view.market;
  return Math.min(bid, pegOf(view) ?? bid) as Ticks;
}

/**
 * Raises a clip to the venue's minimum, because a smaller one can never be placed. Limits it to one child, and leaves
 * room in it for a rest below the minimum. An empty book has no price and no minimum.
 */
function ofOneChild({ instrument }: StrategyView, price: Ticks, clip: Lots): Lots {
  if (price === 0) return clip;
  const minimum = minimumAt(instrument, price);
  return Math.min(Math.max(clip, minimum), Math.max(minimum, maximumAt(instrument, price) - minimum)) as Lots;
}

/**
 * Joins the near touch with one clip. The target is what is filled plus one clip, so a partly filled clip is not topped
 * up.
 */
function join(view: StrategyView, memory: IcebergMemory, clip: Lots, { target }: Scratch): Placement {
  const { order, startedAtMs, plannedAtMs } = view.state;
  const leg = order.legs[0];
  const { progress, plannedFilled, children } = view.state.legs[0];
  const startMs = plannedAtMs ?? view.nowMs;
  const endMs = endOf(order, startedAtMs ?? view.nowMs) ?? NEVER_MS;
  const isClosing = view.nowMs >= closingMs(view);
  const rest = leg.quantity - plannedFilled;
  const due = (rest * (view.nowMs - startMs)) / (endMs - startMs) - (progress.filled - plannedFilled);
  const isLate = leg.style === 'HYBRID' && due > BAND_CLIPS * clip;
  const visible = progress.filled + Math.max(1, children.length > 0 ? view.working : clip);
  target.pacing = memory.pacing;
  target.wanted = (isClosing ? leg.quantity : Math.min(leg.quantity, visible)) as Lots;
  target.quantity = target.wanted;
  target.ahead = 0;
  target.slice = Math.max(clip, view.working);
  target.clip = null;
  target.startMs = startMs;
  target.endMs = endMs;
  target.dueAtMs = view.nowMs;
  target.intervalMs = 0 as DurationMs;
  target.isClosing = isClosing;
  target.nextAtMs = isClosing || endMs === NEVER_MS ? null : closingMs(view);
  target.dwellMs = DWELL_MS_MAX as DurationMs;
  target.holdMs = (isClosing ? CROSSING_MS_MIN : REPOST_MS) as DurationMs;
  target.style = isLate ? 'AGGRESSIVE' : leg.style;
  // A withdrawn rest goes into the next clip, also when the rest is below the minimum.
  return placeToward(view, target, clip);
}

/** Returns the opening time of the deadline window; NEVER_MS for an order without end time. */
function closingMs({ state, nowMs }: StrategyView): EpochMs {
  const startMs = state.plannedAtMs ?? nowMs;
  const endMs = endOf(state.order, state.startedAtMs ?? nowMs);
  return endMs === null ? NEVER_MS : closingAtMs({ startMs, endMs });
}

/**
 * Outlines an ICEBERG: a clip, or a rung of the ladder, each `clipMs`, and faster when the end time requires it. An
 * AGGRESSIVE order without limit price places a clip each REPOST_MS.
 */
export function icebergOutline(view: StrategyView, clipMs: number, pointsMax: number): Outline {
  const { order, startedAtMs } = view.state;
  const leg = order.legs[0];
  const endMs = endOf(order, startedAtMs);
  const after = leg.ladder === null ? afterClips(view) : afterRungs(view);
  const count = after.count;
  const usualMs = leg.style === 'AGGRESSIVE' && leg.limitPrice === null ? REPOST_MS : clipMs;
  const stepMs = endMs === null ? usualMs : Math.min(usualMs, (endMs - view.nowMs) / count);
  const course = { startMs: view.nowMs, stepMs, stepCount: count, after: after.done };
  return { slices: slicesOf(course, pointsMax), childCount: count, endMs };
}

interface Clips {
  readonly count: number;
  readonly done: (clips: number) => Lots;
}

function afterClips(view: StrategyView): Clips {
  const { quantity } = view.state.order.legs[0];
  const clip = usualClip(view);
  return { count: Math.ceil(quantity / clip), done: (clips) => Math.min(quantity, clips * clip) as Lots };
}

function afterRungs({ state, instrument }: StrategyView): Clips {
  const leg = state.order.legs[0];
  const rungs = leg.ladder === null ? [] : rungsOf(leg, leg.ladder, instrument);
  const sums = [0];
  for (const { quantity } of rungs) sums.push((sums.at(-1) ?? 0) + quantity);
  return { count: rungs.length, done: (clips) => (sums[clips] ?? leg.quantity) as Lots };
}
