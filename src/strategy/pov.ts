import { WHOLE_PPM_OF_PERCENT } from '../model/clip.js';
import type { Strategy, StrategyDecision, StrategyView } from '../model/intent.js';
import {
  CATCH_UP_SLICES_MAX,
  CROSSING_MS_MIN,
  DWELL_MS_MAX,
  PARTICIPATION_PPM_OF_PERCENT_DEFAULT,
  PARTICIPATION_PPM_OF_PERCENT_MAX,
  PARTICIPATION_STEP_MS,
} from '../model/limits.js';
import { endOf, type Clip, type StrategyMemory } from '../model/order.js';
import type { Lots } from '../model/quantity.js';
import type { DurationMs, EpochMs } from '../model/time.js';
import { closingAtMs } from './deadline.js';
import { minimumAt, withinLimit } from './placement.js';
import { pursue } from './pursuit.js';
import { clipOf } from './schedule.js';
import { numbersOf, RELAXED_NUMBERS, stanceOf, wakeAt } from './stance.js';

const DAY_MS = 24 * 3600 * 1000;
const NEVER_MS = Number.MAX_SAFE_INTEGER as EpochMs;
const STANCE_AT = 3;
/** How many times the usual volume is followed: one that is busier is worked off later. */
const PEAK_PACES = 5;
/** A pace is measured over so long at least: one giant print is none. */
const PACE_MS_MIN = 60_000;

/**
 * A share of everything that is traded, the order's own part included: x = rate / (1 - rate) × what others trade. It
 * follows the volume, and a giant print is worked off in steps of at most three slices.
 * Memory: what others had traded at the start, the step in which it last placed, what it may have filled by its end, stance.
 */
export const POV: Strategy = { name: 'POV', needs: { depth: false, profile: true }, begin, work };

function begin({ market, state }: StrategyView): StrategyMemory {
  return [market.volume - state.progress.filled, 0, 0].concat(RELAXED_NUMBERS);
}

/** The share of all volume that the order wants to be, above 0 and up to 0.5. */
export function rateOf(clip: Clip): number {
  const wanted = clip.type === 'PERCENTAGE' ? clip.ppmOfPercent : PARTICIPATION_PPM_OF_PERCENT_DEFAULT;
  return Math.min(wanted, PARTICIPATION_PPM_OF_PERCENT_MAX) / WHOLE_PPM_OF_PERCENT;
}

/** What the order wants to have done when others have traded so much. */
export function shareOf(rate: number, ofOthers: number): number {
  return (ofOthers * rate) / (1 - rate);
}

function work(view: StrategyView): StrategyDecision {
  const { order, memory, progress, startedAtMs, plannedAtMs, plannedFilled } = view.state;
  const [volumeThen = 0, lastStep, lastCeiling] = memory;
  const startMs = plannedAtMs ?? view.nowMs;
  const endMs = endOf(order, startedAtMs ?? view.nowMs) ?? NEVER_MS;
  const rate = rateOf(order.clip);
  const ofOthers = Math.max(0, view.market.volume - volumeThen - progress.filled);
  const slice = sliceOf(view, rate, ofOthers / Math.max(PACE_MS_MIN, view.nowMs - startMs));
  const step = Math.floor((view.nowMs - startMs) / PARTICIPATION_STEP_MS) + 1;
  const most = progress.filled + Math.floor(Math.min(CATCH_UP_SLICES_MAX * slice, peakOf(view, rate, leastOf(view))));
  const ceiling = (step === lastStep ? lastCeiling : undefined) ?? Math.min(order.quantity, most);
  const wanted = Math.min(order.quantity, plannedFilled + Math.floor(shareOf(rate, ofOthers)));
  const isHeldBack = wanted > ceiling;
  const isClosing = view.nowMs >= closingAtMs({ startMs, endMs });
  const goal = {
    wanted: wanted as Lots,
    target: Math.max(progress.filled, Math.min(wanted, ceiling)) as Lots,
    slice,
    clip: order.clip.type === 'PERCENTAGE' ? null : clipOf(order),
    startMs,
    endMs,
    dueAtMs: (startMs + step * PARTICIPATION_STEP_MS) as EpochMs,
    intervalMs: PARTICIPATION_STEP_MS as DurationMs,
    isClosing,
    nextAtMs: isHeldBack ? ((startMs + step * PARTICIPATION_STEP_MS) as EpochMs) : null,
    dwellMs: DWELL_MS_MAX as DurationMs,
    holdMs: CROSSING_MS_MIN as DurationMs,
  };
  const { intents, stance, note, wake } = pursue(view, goal, stanceOf(memory, STANCE_AT));
  const next = stance === null ? null : [volumeThen, step, ceiling].concat(numbersOf(stance));
  return { intents, memory: next, note, end: null, wake: untilNext(view, wake, { rate, slice, volumeThen }) };
}

/**
 * The most of a step: two orders of a half each on one side would else take each other's trades for those of others, and
 * drive each other without end. Unbounded while nothing is known of the usual volume.
 */
function peakOf({ profile }: StrategyView, rate: number, least: Lots): number {
  if (profile === undefined) return Infinity;
  const { dailyVolume, recentDailyVolume = 0 } = profile;
  const usual = shareOf(rate, (Math.max(dailyVolume, recentDailyVolume) / DAY_MS) * PARTICIPATION_STEP_MS);
  return Math.max(PEAK_PACES * usual, least);
}

/** What the rate makes of a step's volume, as far as that is known, and never below what can be placed. */
function sliceOf(view: StrategyView, rate: number, ofOthersPerMs: number): number {
  const { profile } = view;
  const known = profile === undefined ? 0 : profile.dailyVolume / DAY_MS;
  const expected = shareOf(rate, Math.max(known, ofOthersPerMs) * PARTICIPATION_STEP_MS);
  return Math.max(expected, leastOf(view));
}

function leastOf({ instrument, market, state }: StrategyView): Lots {
  return minimumAt(instrument, withinLimit(state.order, market.bid > 0 ? market.bid : market.last));
}

interface Pace {
  readonly rate: number;
  readonly slice: number;
  readonly volumeThen: number;
}

/** Besides what the pursuit waits for: the volume at which there is a slice more to do. */
function untilNext(view: StrategyView, wake: StrategyDecision['wake'], { rate, slice, volumeThen }: Pace) {
  const { plannedFilled, progress } = view.state;
  const { filled } = progress;
  const next = filled - plannedFilled + view.working + slice;
  const bound = Math.ceil(volumeThen + filled + next / (rate / (1 - rate)));
  return wakeAt(view.nowMs, [wake.atMs], [...wake.when, { field: 'volume', at: 'or above', bound }]);
}
