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
import type { MarketCondition } from '../model/market.js';
import { endOf, type Clip, type StrategyMemory } from '../model/order.js';
import type { Lots } from '../model/quantity.js';
import type { DurationMs, EpochMs } from '../model/time.js';
import { closingAtMs, type Span } from './deadline.js';
import { GOAL } from './goal.js';
import { minimumAt, withinLimit } from './placement.js';
import { pursue } from './pursuit.js';
import { clipOf } from './schedule.js';
import { RELAXED_NUMBERS, STANCE_NUMBERS } from './stance.js';

const DAY_MS = 24 * 3600 * 1000;
const NEVER_MS = Number.MAX_SAFE_INTEGER as EpochMs;
const STEP_AT = 1;
const CEILING_AT = 2;
const STANCE_AT = 3;
const USUAL_AT = STANCE_AT + STANCE_NUMBERS;
/** How many times the usual volume is followed: one that is busier is worked off later. */
const PEAK_PACES = 5;
/** How many times the volume since the start is followed where no usual one is known: enough to catch up, slowly. */
const FEELING_PACES = 1.25;
/** A pace is measured over so long at least, or this part of the order's time: one giant print is none. */
const PACE_MS_MIN = 60_000;
const PACE_PART = 1 / 4;

/**
 * A share of everything that is traded, the order's own part included: x = rate / (1 - rate) × what others trade. It
 * follows the volume, and a giant print is worked off in steps of at most three slices.
 * Memory: what others had traded at the start, the step in which it last placed, what it may have filled by its end,
 * stance, the pace of its first minute in lots a day (0: not known).
 */
export const POV: Strategy = { name: 'POV', needs: { depth: false, profile: true }, begin, work };

function begin({ market, state }: StrategyView): StrategyMemory {
  return [market.volume - state.progress.filled, 0, 0].concat(RELAXED_NUMBERS, 0);
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
  const from = view.memoryFrom ?? 0;
  const volumeThen = memory[from] ?? 0;
  const startMs = plannedAtMs ?? view.nowMs;
  const endMs = endOf(order, startedAtMs ?? view.nowMs) ?? NEVER_MS;
  const rate = rateOf(order.clip);
  const ofOthers = Math.max(0, view.market.volume - volumeThen - progress.filled);
  const tape = tapeOf(view, { startMs, endMs }, ofOthers);
  const slice = sliceOf(view, rate, tape.pace);
  const step = Math.floor((view.nowMs - startMs) / PARTICIPATION_STEP_MS) + 1;
  const most = progress.filled + Math.floor(Math.min(CATCH_UP_SLICES_MAX * slice, peakOf(view, rate, tape)));
  const known = step === memory[from + STEP_AT] ? memory[from + CEILING_AT] : undefined;
  const ceiling = known ?? Math.min(order.quantity, most);
  const wanted = Math.min(order.quantity, plannedFilled + Math.floor(shareOf(rate, ofOthers)));
  GOAL.wanted = wanted as Lots;
  GOAL.target = Math.max(progress.filled, Math.min(wanted, ceiling)) as Lots;
  GOAL.slice = slice;
  GOAL.clip = order.clip.type === 'PERCENTAGE' ? null : clipOf(order);
  GOAL.startMs = startMs;
  GOAL.endMs = endMs;
  GOAL.dueAtMs = (startMs + step * PARTICIPATION_STEP_MS) as EpochMs;
  GOAL.intervalMs = PARTICIPATION_STEP_MS as DurationMs;
  GOAL.isClosing = view.nowMs >= closingAtMs({ startMs, endMs });
  GOAL.nextAtMs = wanted > ceiling ? GOAL.dueAtMs : null;
  GOAL.dwellMs = DWELL_MS_MAX as DurationMs;
  GOAL.holdMs = CROSSING_MS_MIN as DurationMs;
  GOAL.style = order.style;
  GOAL.stanceAt = from + STANCE_AT;
  const decision = pursue(view, GOAL);
  if (decision.memory !== null) {
    decision.memory[from + STEP_AT] = step;
    decision.memory[from + CEILING_AT] = ceiling;
    decision.memory[from + USUAL_AT] = tape.usual;
  }
  const { wake } = decision;
  const next = whenNext(view, rate, slice);
  wake.when = wake.when.length === 0 ? [next] : wake.when.concat(next);
  return decision;
}

/** What the tape tells since the start, in lots a day. */
interface Tape {
  /** How fast others trade. */
  readonly pace: number;
  /** How fast they did in the order's first minute; 0 while that is not over. */
  readonly usual: number;
}

function tapeOf({ state, nowMs, memoryFrom = 0 }: StrategyView, { startMs, endMs }: Span, ofOthers: number): Tape {
  const elapsedMs = nowMs - startMs;
  const leastMs = Math.min(PACE_MS_MIN, Math.max(PARTICIPATION_STEP_MS, (endMs - startMs) * PACE_PART));
  const pace = Math.ceil((ofOthers * DAY_MS) / Math.max(leastMs, elapsedMs));
  const before = state.memory[memoryFrom + USUAL_AT] ?? 0;
  return { pace, usual: before === 0 && elapsedMs >= leastMs ? pace : before };
}

/**
 * The most of a step: two orders of a half each on one side would else take each other's trades for those of others, and
 * drive each other without end. Where no history tells what is usual, the order's first minute does: it follows no faster
 * than others trade in the mean until it is over, and then little more where that turns out to have been a quiet one.
 */
function peakOf(view: StrategyView, rate: number, { pace, usual }: Tape): number {
  const { profile } = view;
  const peak =
    profile === undefined
      ? Math.max(PEAK_PACES * usual, FEELING_PACES * pace)
      : PEAK_PACES * Math.max(profile.dailyVolume, profile.recentDailyVolume ?? 0);
  return Math.max(shareOf(rate, ofStep(peak)), leastOf(view));
}

/** What the rate makes of a step's volume, as far as that is known, and never below what can be placed. */
function sliceOf(view: StrategyView, rate: number, pace: number): number {
  const expected = shareOf(rate, ofStep(Math.max(view.profile?.dailyVolume ?? 0, pace)));
  return Math.max(expected, leastOf(view));
}

function ofStep(lotsOfDay: number): number {
  return (lotsOfDay * PARTICIPATION_STEP_MS) / DAY_MS;
}

export function leastOf({ instrument, market, state }: StrategyView): Lots {
  return minimumAt(instrument, withinLimit(state.order, market.bid > 0 ? market.bid : market.last));
}

/** Met at the volume at which there is a slice more to do. */
function whenNext(view: StrategyView, rate: number, slice: number): MarketCondition {
  const { plannedFilled, progress, memory } = view.state;
  const { filled } = progress;
  const next = filled - plannedFilled + view.working + slice;
  const volumeThen = memory[view.memoryFrom ?? 0] ?? 0;
  return { field: 'volume', at: 'or above', bound: Math.ceil(volumeThen + filled + next / (rate / (1 - rate))) };
}
