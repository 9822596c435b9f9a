import type { StrategyDecision, StrategyView, VolumeProfile } from '../../domain/intent.js';
import {
  CATCH_UP_SLICES_MAX,
  CROSSING_MS_MIN,
  DURATION_SECONDS_MAX,
  DWELL_MS_MAX,
  PARTICIPATION_PPM_OF_PERCENT_DEFAULT,
  PARTICIPATION_PPM_OF_PERCENT_MAX,
  PARTICIPATION_STEP_MS,
} from '../../domain/limits/trading.js';
import type { MarketCondition } from '../../domain/market.js';
import { type Clip, WHOLE_PPM_OF_PERCENT } from '../../domain/order.js';
import { endOf } from '../../domain/order-state.js';
import type { Lots } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import { type PovMemory, INITIAL_PACING } from '../../domain/strategy-memory.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import { newScratch, type Scratch, type Strategy } from '../strategy.js';
import { type Outline, slicesOf } from '../outline.js';
import { minimumAt, withinLimit } from '../placement/child.js';
import { placeToward } from '../placement/placement.js';
import { forecastVolume } from '../volume/course.js';
import { clipOf, closingAtMs, type Span } from './slots.js';

const DAY_MS = 24 * 3600 * 1000;
const NEVER_MS = Number.MAX_SAFE_INTEGER as EpochMs;
/** Largest pace that the order follows, as a multiple of the usual pace. It works off a busier market later. */
const PEAK_PACES = 5;
/** Largest pace without a known usual one, as a multiple of the pace since the start: enough to catch up slowly. */
const PACES_WITHOUT_PROFILE = 1.25;
/**
 * Shortest time over which a pace is measured, or this part of the order's time if that is shorter. A single large
 * trade is not a pace.
 */
const PACE_MS_MIN = 60_000;
const PACE_PART = 1 / 4;

/**
 * Trades a share of all volume, its own included: x = rate / (1 - rate) × the volume of others. It follows the volume
 * and works off a single large trade in steps of at most three slices.
 */
export const POV: Strategy = {
  name: 'POV',
  needs: { depth: false, profile: true },
  begin,
  work: (view, scratch = newScratch()) => work(view, scratch),
};

function begin({ market, state }: StrategyView): PovMemory {
  const volumeThen = market.volume - state.legs[0].progress.filled;
  return { kind: 'POV', ...INITIAL_PACING, step: 0, ceiling: 0 as Lots, volumeThen, usualPace: 0 };
}

/** Wanted share of all volume, above 0 and up to 0.5. */
export function rateOf(clip: Clip): number {
  const wanted = clip.type === 'PERCENTAGE' ? clip.ppmOfPercent : PARTICIPATION_PPM_OF_PERCENT_DEFAULT;
  return Math.min(wanted, PARTICIPATION_PPM_OF_PERCENT_MAX) / WHOLE_PPM_OF_PERCENT;
}

/** Quantity that the order wants to have filled after others have traded `ofOthers`. */
export function shareOf(rate: number, ofOthers: number): number {
  return (ofOthers * rate) / (1 - rate);
}

/** Volume of others of which the order wants this quantity: the inverse of `shareOf`. */
function ofOthersAt(rate: number, wanted: number): number {
  return wanted / (rate / (1 - rate));
}

function work(view: StrategyView, { target }: Scratch): StrategyDecision {
  const { order, startedAtMs, plannedAtMs } = view.state;
  const leg = order.legs[0];
  const { memory: before, progress, plannedFilled } = view.state.legs[0];
  assert(before?.kind === 'POV', 'a POV has begun before it is worked');
  const startMs = plannedAtMs ?? view.nowMs;
  const endMs = endOf(order, startedAtMs ?? view.nowMs) ?? NEVER_MS;
  const rate = rateOf(leg.clip);
  const memory = countedAnew(view, before, rate);
  const ofOthers = Math.max(0, view.market.volume - memory.volumeThen - progress.filled);
  const market = marketPaceOf(view, memory, { startMs, endMs }, ofOthers);
  const slice = sliceOf(view, rate, market.pace);
  const step = Math.floor((view.nowMs - startMs) / PARTICIPATION_STEP_MS) + 1;
  const most = progress.filled + Math.floor(Math.min(CATCH_UP_SLICES_MAX * slice, peakOf(view, rate, market)));
  const ceiling = (step === memory.step ? memory.ceiling : Math.min(leg.quantity, most)) as Lots;
  const wanted = Math.min(leg.quantity, plannedFilled + Math.floor(shareOf(rate, ofOthers)));
  target.pacing = memory.pacing;
  target.wanted = wanted as Lots;
  target.quantity = Math.max(progress.filled, Math.min(wanted, ceiling)) as Lots;
  target.ahead = 0;
  target.slice = slice;
  target.clip = leg.clip.type === 'PERCENTAGE' ? null : clipOf(leg);
  target.startMs = startMs;
  target.endMs = endMs;
  target.dueAtMs = (startMs + step * PARTICIPATION_STEP_MS) as EpochMs;
  target.intervalMs = PARTICIPATION_STEP_MS as DurationMs;
  target.isClosing = view.nowMs >= closingAtMs({ startMs, endMs });
  target.nextAtMs = wanted > ceiling ? target.dueAtMs : null;
  target.dwellMs = DWELL_MS_MAX as DurationMs;
  target.holdMs = CROSSING_MS_MIN as DurationMs;
  target.style = leg.style;
  const decision = placeToward(view, target);
  const { pacing, wake } = decision;
  if (pacing !== null) {
    const { gates, volumeThen } = memory;
    decision.memory = { kind: 'POV', pacing, gates, step, ceiling, volumeThen, usualPace: market.usual };
  } else if (memory !== before) decision.memory = memory;
  const changes = [whenNext(view, memory, rate, slice), whenFallen(view, memory)];
  wake.when = wake.when.length === 0 ? changes : wake.when.concat(changes);
  return decision;
}

/**
 * The memory with another start of the count when the market's volume has fallen below its value at the start: a venue
 * that starts again may count from a later day. What the order has filled since then shows how much others have traded.
 * Volume that it had not followed yet is lost.
 */
function countedAnew({ market, state }: StrategyView, memory: PovMemory, rate: number): PovMemory {
  const { plannedFilled, progress } = state.legs[0];
  // The trades of own fills may be counted late, so only a volume below that of the start has fallen for certain.
  if (market.volume >= volumeAtStart(state, memory)) return memory;
  const ofOthers = ofOthersAt(rate, progress.filled - plannedFilled);
  return { ...memory, volumeThen: market.volume - progress.filled - ofOthers };
}

/** Volume of the market at the start, the order's own fills before it included. */
function volumeAtStart({ legs }: StrategyView['state'], { volumeThen }: PovMemory): number {
  return volumeThen + legs[0].plannedFilled;
}

/** Pace of other traders since the start, in lots per day. */
interface MarketPace {
  /** Mean since the start. */
  readonly pace: number;
  /** Mean over the order's first minute; 0 before its end. */
  readonly usual: number;
}

function marketPaceOf(
  { nowMs }: StrategyView,
  { usualPace: before }: PovMemory,
  { startMs, endMs }: Span,
  ofOthers: number,
): MarketPace {
  const elapsedMs = nowMs - startMs;
  const leastMs = Math.min(PACE_MS_MIN, Math.max(PARTICIPATION_STEP_MS, (endMs - startMs) * PACE_PART));
  const pace = Math.ceil((ofOthers * DAY_MS) / Math.max(leastMs, elapsedMs));
  return { pace, usual: before === 0 && elapsedMs >= leastMs ? pace : before };
}

/**
 * Largest quantity of one step. Two orders of 50 % each on one side count each other's trades as market volume. Without
 * this bound they would accelerate each other without end. The usual pace comes from the volume profile, or else from
 * the order's first minute. During that minute the bound is PACES_WITHOUT_PROFILE times the mean pace.
 */
function peakOf(view: StrategyView, rate: number, { pace, usual }: MarketPace): number {
  const { profile } = view;
  const peak =
    profile === undefined
      ? Math.max(PEAK_PACES * usual, PACES_WITHOUT_PROFILE * pace)
      : PEAK_PACES * Math.max(profile.dailyVolume, profile.recentDailyVolume ?? 0);
  return Math.max(shareOf(rate, ofStep(peak)), leastOf(view));
}

/** Expected quantity of one step at the wanted share, and at least the quantity that can be placed. */
function sliceOf(view: StrategyView, rate: number, pace: number): number {
  const expected = shareOf(rate, ofStep(Math.max(view.profile?.dailyVolume ?? 0, pace)));
  return Math.max(expected, leastOf(view));
}

function ofStep(lotsOfDay: number): number {
  return (lotsOfDay * PARTICIPATION_STEP_MS) / DAY_MS;
}

function leastOf({ instrument, market, state }: StrategyView): Lots {
  return minimumAt(instrument, withinLimit(state.order.legs[0], market.bid > 0 ? market.bid : market.last));
}

/** Met at the volume at which one more slice is wanted. */
function whenNext(view: StrategyView, { volumeThen }: PovMemory, rate: number, slice: number): MarketCondition {
  const { plannedFilled, progress } = view.state.legs[0];
  const { filled } = progress;
  const next = filled - plannedFilled + view.working + slice;
  return { field: 'volume', at: 'or above', bound: Math.ceil(volumeThen + filled + ofOthersAt(rate, next)) };
}

/** Met at a volume below that of the start: it must be counted anew. */
function whenFallen({ state }: StrategyView, memory: PovMemory): MarketCondition {
  return { field: 'volume', at: 'or below', bound: Math.ceil(volumeAtStart(state, memory)) - 1 };
}

const HORIZON_MS_MAX = DURATION_SECONDS_MAX * 1000;
/** Length of the outline, as a multiple of the time that the order takes at the market's usual pace. */
const LOOK_AHEAD = 2;

/**
 * Outlines a POV: its share of the expected volume until all is done. Quantity that the expected volume does not allow
 * for is in the last slice: the order may end without it. Without a forecast the whole quantity is one slice.
 */
export function povOutline(view: StrategyView, pointsMax: number): Outline {
  const { order, startedAtMs } = view.state;
  const { quantity, clip } = order.legs[0];
  const { nowMs, profile } = view;
  const endMs = endOf(order, startedAtMs);
  const childCount = Math.max(1, Math.floor(quantity / leastOf(view)));
  if (profile === undefined) return { slices: [{ atMs: nowMs, quantity }], childCount: 1, endMs };
  const rate = rateOf(clip);
  const spanMs = Math.min(LOOK_AHEAD * usualMs(profile, rate, quantity), (endMs ?? Infinity) - nowMs, HORIZON_MS_MAX);
  const stepCount = Math.max(1, Math.min(pointsMax, Math.floor(spanMs / PARTICIPATION_STEP_MS)));
  const stepMs = spanMs / stepCount;
  const after = (steps: number): Lots => {
    const ofOthers = forecastVolume(profile, nowMs, nowMs + steps * stepMs);
    return steps >= stepCount ? quantity : (Math.min(quantity, Math.floor(shareOf(rate, ofOthers))) as Lots);
  };
  const slices = slicesOf({ startMs: nowMs, stepMs, stepCount, after }, pointsMax);
  const workedMs = Math.max(PARTICIPATION_STEP_MS, (slices.at(-1)?.atMs ?? nowMs) - nowMs);
  return { slices, childCount: Math.min(childCount, Math.ceil(workedMs / PARTICIPATION_STEP_MS)), endMs };
}

/** Time that the order takes on an average day, in ms. */
function usualMs({ dailyVolume }: VolumeProfile, rate: number, quantity: Lots): number {
  return Math.max(PARTICIPATION_STEP_MS, (quantity / shareOf(rate, dailyVolume)) * DAY_MS);
}
