import type { StrategyView } from '../model/intent.js';
import { CATCH_UP_SLICES_MAX, SLOT_INTERVAL_MS } from '../model/limits.js';
import type { EpochMs } from '../model/time.js';
import { passedPart, type Goal } from './goal.js';
import { patienceMs } from './patience.js';

/** How many slices behind its schedule a HYBRID order may be at the start before it crosses, at least and at most. */
const SLICES_MIN = 1.5;
const SLICES_MAX = CATCH_UP_SLICES_MAX;

/** True when a HYBRID order is further behind what is due by now than its band, which closes with time, allows. */
export function isBehind(view: StrategyView, goal: Goal): boolean {
  const lag = lagOf(view, goal);
  return goal.style === 'HYBRID' && lag > 0 && excess(view, goal, lag, view.nowMs) >= 0;
}

/** When the band will have closed in on the lag, if nothing is filled until then; null when it has, or never does. */
export function bandClosesAtMs(view: StrategyView, goal: Goal): EpochMs | null {
  const lag = lagOf(view, goal);
  if (goal.style !== 'HYBRID' || lag <= 0 || isBehind(view, goal)) return null;
  const { startMs, endMs, dueAtMs } = goal;
  if (dueAtMs > view.nowMs && excess(view, goal, lag, dueAtMs) >= 0) return closingBefore(view, goal, lag);
  const elapsed = Math.max(0, 1 - lag / widthOf(view, goal)) ** 0.25;
  return Math.ceil(startMs + elapsed * (endMs - startMs)) as EpochMs;
}

/** The lag comes due while the band closes: to the millisecond, by halving. */
function closingBefore(view: StrategyView, goal: Goal, lag: number): EpochMs {
  let before: number = view.nowMs;
  let after: number = goal.dueAtMs;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (excess(view, goal, lag, middle as EpochMs) >= 0) after = middle;
    else before = middle;
  }
  return after as EpochMs;
}

/** Behind all that is wanted, however little of it may be worked at once. */
function lagOf({ state }: StrategyView, { wanted }: Goal): number {
  return wanted - state.progress.filled;
}

/** How much of the band is left, 0..1: 1 while nothing that is due is late, or nothing ever is. */
export function slackOf(view: StrategyView, goal: Goal): number {
  if (goal.intervalMs === 0) return 1;
  const band = bandAt(view, goal, view.nowMs);
  return band <= 0 ? 0 : Math.max(0, Math.min(1, 1 - lateAt(goal, lagOf(view, goal), view.nowMs) / band));
}

/** What is due of the lag, beyond the band. Grows with time. */
function excess(view: StrategyView, goal: Goal, lag: number, atMs: EpochMs): number {
  return lateAt(goal, lag, atMs) - bandAt(view, goal, atMs);
}

/** What is due of the lag; less than 0 while the order is ahead. */
function lateAt(goal: Goal, lag: number, atMs: EpochMs): number {
  return lag - goal.slice * (1 - passedPart(goal, atMs));
}

function bandAt(view: StrategyView, goal: Goal, atMs: EpochMs): number {
  const elapsed = (atMs - goal.startMs) / (goal.endMs - goal.startMs);
  return widthOf(view, goal) * (1 - elapsed ** 4);
}

/**
 * In lots: as many slices as come due while it is cheaper to wait than to take, and no more than can be caught up at
 * once; where slices come closer together than usual, no more than come due in the usual time of one.
 */
function widthOf(view: StrategyView, { slice, intervalMs }: Goal): number {
  const waitMs = patienceMs(view);
  if (intervalMs === 0 || waitMs === null) return SLICES_MIN * slice;
  const most = Math.max(SLICES_MAX, SLOT_INTERVAL_MS / intervalMs);
  return slice * Math.max(SLICES_MIN, Math.min(most, waitMs / intervalMs));
}
