import type { StrategyView, VolumeProfile } from '../model/intent.js';
import { DURATION_SECONDS_MAX, PARTICIPATION_STEP_MS } from '../model/limits.js';
import { endOf } from '../model/order.js';
import type { Lots } from '../model/quantity.js';
import { slicesOf, type Outline } from './outline.js';
import { leastOf, rateOf, shareOf } from './pov.js';
import { forecastVolume } from './volume-forecast.js';

const DAY_MS = 24 * 3600 * 1000;
const HORIZON_MS_MAX = DURATION_SECONDS_MAX * 1000;
/** How much longer than at the usual pace of the market is looked ahead: its quiet hours may come first. */
const LOOK_AHEAD = 2;

/**
 * Its share of the volume that is expected, from the start until all is done. What that volume does not allow for until
 * the end stands in the last slice: the order may end with it undone. Without a forecast all of it stands in one slice.
 */
export function povOutline(view: StrategyView, pointsMax: number): Outline {
  const { order, startedAtMs } = view.state;
  const { quantity } = order;
  const { nowMs, profile } = view;
  const endMs = endOf(order, startedAtMs);
  const childCount = Math.max(1, Math.floor(quantity / leastOf(view)));
  if (profile === undefined) return { slices: [{ atMs: nowMs, quantity }], childCount: 1, endMs };
  const rate = rateOf(order.clip);
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

/** How long the order takes on an average day. */
function usualMs({ dailyVolume }: VolumeProfile, rate: number, quantity: Lots): number {
  return Math.max(PARTICIPATION_STEP_MS, (quantity / shareOf(rate, dailyVolume)) * DAY_MS);
}
