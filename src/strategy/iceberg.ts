import type { Strategy, StrategyDecision, StrategyView } from '../model/intent.js';
import { CROSSING_MS_MIN, DWELL_MS_MAX, REFILL_MS_MAX, REFILL_MS_MIN, REPOST_MS } from '../model/limits.js';
import { endOf, type StrategyMemory } from '../model/order.js';
import type { Lots, Ticks } from '../model/quantity.js';
import type { DurationMs, EpochMs } from '../model/time.js';
import { placeAll, QUIET, waitFor } from './all-at-once.js';
import { closingAtMs } from './deadline.js';
import { nextRung } from './ladder.js';
import { maximumAt, minimumAt, nearTouch, whenTakeable, withinLimit } from './placement.js';
import { pursue } from './pursuit.js';
import { clipOf } from './schedule.js';
import { afterHolding, RELAXED_NUMBERS, STANCE_NUMBERS, wakeAt } from './stance.js';

/** A shown clip differs from the usual one by at most this part of it. */
const SPREAD = 0.2;
/** An automatic clip is half of what stands at the best price, and this part of the order at least and at most. */
const LEAST_PART = 50;
const MOST_PART = 5;
/** How many clips behind an even schedule a HYBRID order may be before it crosses. */
const BAND_CLIPS = 1.5;
/** Where its numbers stand, from the first of them. */
const USUAL_AT = STANCE_NUMBERS;
const TIMED_AT = USUAL_AT + 1;
const NEVER_MS = Number.MAX_SAFE_INTEGER as EpochMs;

/**
 * One visible child after the other: down its ladder when it has one, at its limit price when it has one, else at the
 * near touch in the order's style, and then with an end time not behind an even schedule in the end.
 * Memory: stance, the usual clip, the count of children after which a refill was last timed.
 */
export const ICEBERG: Strategy = { name: 'ICEBERG', begin, work };

function begin(view: StrategyView): StrategyMemory {
  return RELAXED_NUMBERS.concat(usualClip(view), 0);
}

export function usualClip(view: StrategyView): Lots {
  const { order } = view.state;
  const minimum = minimumAt(view.instrument, withinLimit(order, nearTouch(order.side, view.market)));
  const standing = order.side === 'BUY' ? view.market.bidQuantity : view.market.askQuantity;
  const automatic = Math.max(order.quantity / LEAST_PART, Math.min(order.quantity / MOST_PART, standing / 2));
  return Math.max(minimum, Math.ceil(clipOf({ ...order, randomizeQuantity: false }) ?? automatic)) as Lots;
}

function work(view: StrategyView): StrategyDecision {
  const { order, memory, children, childCount } = view.state;
  const from = view.memoryFrom ?? 0;
  const usual = memory[from + USUAL_AT] ?? 1;
  const timedAfter = memory[from + TIMED_AT] ?? 0;
  const isShowing = children.length > 0;
  // A refill that follows the last fill at once tells what it is; near its end the order has no time for that.
  const isTimed = order.randomizeQuantity && view.nowMs < closingMs(view);
  if (isTimed && !isShowing && childCount > timedAfter) return waitToRefill(view);
  const spread = order.randomizeQuantity ? SPREAD * (2 * view.random(2 * childCount) - 1) : 0;
  const clip = Math.max(1, Math.round(usual * (1 + spread))) as Lots;
  return shown(view, clip, isShowing);
}

function waitToRefill(view: StrategyView): StrategyDecision {
  const { childCount } = view.state;
  const from = view.memoryFrom ?? 0;
  const delayMs = REFILL_MS_MIN + (REFILL_MS_MAX - REFILL_MS_MIN) * view.random(2 * childCount + 1);
  const holdUntilMs = Math.ceil(view.nowMs + delayMs) as EpochMs;
  const memory = afterHolding(view, from, holdUntilMs);
  memory[from + TIMED_AT] = childCount;
  return { ...QUIET, memory, wake: wakeAt(view.nowMs, holdUntilMs) };
}

function shown(view: StrategyView, clip: Lots, isShowing: boolean): StrategyDecision {
  const { order, progress } = view.state;
  if (order.ladder === null && order.limitPrice === null) {
    return join(view, ofOneChild(view, nearTouch(order.side, view.market), clip), isShowing);
  }
  if (isShowing) return QUIET;
  if (order.ladder === null) return showAt(view, order.limitPrice as Ticks, clip);
  const rung = nextRung(order, order.ladder, view.instrument, progress.filled);
  return rung === null ? QUIET : showAt(view, rung.price, rung.quantity);
}

/** The next clip at a price of its own, as soon as the venue takes such a price. */
function showAt(view: StrategyView, price: Ticks, clip: Lots): StrategyDecision {
  const takeable = whenTakeable(view, price);
  if (takeable !== null) return waitFor(view, 'BEYOND_BAND', takeable);
  return placeAll(view, { kind: 'rest', price }, 'SHOW_CLIP', 0 as DurationMs, ofOneChild(view, price, clip));
}

/** No more than the venue takes as one child, together with a rest below its minimum that is to go along. */
function ofOneChild({ instrument }: StrategyView, price: Ticks, clip: Lots): Lots {
  const minimum = minimumAt(instrument, price);
  return Math.min(clip, Math.max(minimum, maximumAt(instrument, price) - minimum)) as Lots;
}

/** One clip more than is filled is the goal, so that nothing is added to a clip that is partly filled. */
function join(view: StrategyView, clip: Lots, isShowing: boolean): StrategyDecision {
  const { order, progress, startedAtMs, plannedAtMs, plannedFilled } = view.state;
  const startMs = plannedAtMs ?? view.nowMs;
  const endMs = endOf(order, startedAtMs ?? view.nowMs) ?? NEVER_MS;
  const isClosing = view.nowMs >= closingMs(view);
  const rest = order.quantity - plannedFilled;
  const due = (rest * (view.nowMs - startMs)) / (endMs - startMs) - (progress.filled - plannedFilled);
  const isLate = order.style === 'HYBRID' && due > BAND_CLIPS * clip;
  const shown = progress.filled + Math.max(1, isShowing ? view.working : clip);
  const target = (isClosing ? order.quantity : Math.min(order.quantity, shown)) as Lots;
  const goal = {
    wanted: target,
    target,
    slice: Math.max(clip, view.working),
    clip: null,
    startMs,
    endMs,
    dueAtMs: view.nowMs,
    intervalMs: 0 as DurationMs,
    isClosing,
    nextAtMs: isClosing || endMs === NEVER_MS ? null : closingMs(view),
    dwellMs: DWELL_MS_MAX as DurationMs,
    holdMs: (isClosing ? CROSSING_MS_MIN : REPOST_MS) as DurationMs,
    style: isLate ? ('AGGRESSIVE' as const) : order.style,
    stanceAt: view.memoryFrom ?? 0,
  };
  return pursue(view, goal);
}

/** When the deadline window opens; never for an order that is worked until it is filled. */
function closingMs({ state, nowMs }: StrategyView): EpochMs {
  const startMs = state.plannedAtMs ?? nowMs;
  const endMs = endOf(state.order, state.startedAtMs ?? nowMs);
  return endMs === null ? NEVER_MS : closingAtMs({ startMs, endMs });
}
