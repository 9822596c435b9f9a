import type { StrategyView, VolumeProfile } from '../domain/intent.js';
import { CATCH_UP_SLICES_MAX, PARTICIPATION_STEP_MS, REPOST_MS } from '../domain/limits/trading.js';
import type { EpochMs } from '../domain/time.js';
import type { Outline, OutlinedSlice } from '../strategy/outline.js';
import { isTakingBetter } from '../strategy/placement/peg.js';
import { bandSlices, SLICES_MIN, tipOf } from '../strategy/placement/target.js';
import { closingAtMs } from '../strategy/schedule/slots.js';
import { forecastVolume } from '../strategy/volume/course.js';
import { QUEUE_SCALE, THROUGH_OF_MOVES } from './preview-fit.js';
import { clipsFilled, fillProbability, meanFillMs, shareBeforeCrossing, type TouchQueue } from './touch-queue.js';

/** How an order that follows the market rests. */
export interface RestingForecast {
  /** Expected maker share of its fills, 0..1. */
  readonly makerShare: number;
  /** Mean time in which a resting child fills, in ms; null while the volume is unknown, and when it never rests. */
  readonly fillMs: number | null;
  /** The slices at the times at which they are expected to fill. */
  readonly fills: readonly OutlinedSlice[];
  /** Time in which each slice waits for a favourable moment to be taken, in ms; 0 when it does not wait. */
  readonly timingMs: number;
}

/** Maker share of an order that rests while the volume is unknown: neither likely nor unlikely. */
const UNKNOWN_SHARE = 0.5;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** Time over which the expected volume is counted, at least. */
const VOLUME_MS_MIN = 60_000;
/** Strategies that follow a schedule. In style HYBRID they rest up to a slice ahead of it. */
const SCHEDULED = new Set(['TWAP', 'VWAP', 'IS']);
/** Steps of its pace that a POV without a profile has in the book at most (`strategy/schedule/pov`). */
const STEPS_WITHOUT_PROFILE = 1.25;

/**
 * Forecasts the maker share of an order from the state of its market: the queue, the spread, the volatility, the volume
 * and the fees.
 */
export function restingForecast(view: StrategyView, volume: VolumeProfile | null, outline: Outline): RestingForecast {
  const { slices, childCount, endMs } = outline;
  const leg = view.state.order.legs[0];
  const { nowMs } = view;
  const untilMs = endMs ?? slices.at(-1)?.atMs ?? nowMs;
  const intervalMs =
    leg.strategy === 'POV' ? PARTICIPATION_STEP_MS : Math.max(1, (untilMs - nowMs) / Math.max(1, childCount));
  if (leg.style === 'AGGRESSIVE') {
    // The first and the last slice do not wait. The gain grows with the root of the time.
    const part = leg.strategy === 'ICEBERG' ? 0 : Math.max(0, childCount - 2) / Math.max(1, childCount);
    return { makerShare: 0, fillMs: null, fills: slices, timingMs: part ** 2 * intervalMs };
  }
  const queue = volume === null ? null : touchQueueOf(view, volume, untilMs);
  if (queue === null) return { makerShare: UNKNOWN_SHARE, fillMs: null, fills: slices, timingMs: 0 };
  const size = leg.quantity / Math.max(1, childCount);
  const fillMs = meanFillMs(queue, size);
  const closingMs = endMs === null ? Number.MAX_SAFE_INTEGER : closingAtMs({ startMs: nowMs, endMs });
  const aheadMs = leg.style === 'HYBRID' && SCHEDULED.has(leg.strategy) ? intervalMs : 0;
  const rest: Rest = { view, outline, queue, size, fillMs, closingMs, aheadMs };
  if (leg.strategy === 'ICEBERG') {
    return { makerShare: clipShare(rest), fillMs, fills: filledAt(rest, Infinity, 1), timingMs: 0 };
  }
  if (leg.style === 'HYBRID' && isTakingBetter(view)) {
    const tip = Math.min(1, tipOf(view) / size);
    const makerShare = tip * fillProbability(queue, 0, intervalMs / 2);
    return { makerShare, fillMs, fills: slices, timingMs: intervalMs };
  }
  const bandMs = leg.style === 'HYBRID' ? intervalMs * bandSlices(view, intervalMs) : Infinity;
  const spanMs = Math.max(intervalMs, (slices.at(-1)?.atMs ?? nowMs) - nowMs);
  // So much of its schedule rests at once; the rest waits for a fill.
  const steps = leg.strategy === 'POV' && view.profile === undefined ? STEPS_WITHOUT_PROFILE : CATCH_UP_SLICES_MAX;
  const rounds = spanMs / (steps * intervalMs);
  const makerShare = Math.min(scheduleShare(rest, bandMs), clipsFilled(rounds, (closingMs - nowMs) / fillMs));
  const stretch = Math.max(1, (rounds * fillMs) / spanMs);
  return { makerShare, fillMs, fills: filledAt(rest, bandMs, stretch), timingMs: 0 };
}

/** An order whose children rest at the touch. */
interface Rest {
  readonly view: StrategyView;
  readonly outline: Outline;
  readonly queue: TouchQueue;
  /** Lots of a child. */
  readonly size: number;
  readonly fillMs: number;
  /** When every style crosses. */
  readonly closingMs: number;
  /** Time for which a slice may rest before it is due. */
  readonly aheadMs: number;
}

/** Maker share of an order whose slices rest until they are filled, until they are late, or until the closing. */
function scheduleShare({ view, outline, queue, size, fillMs, closingMs, aheadMs }: Rest, bandMs: number): number {
  const { nowMs, state } = view;
  const { slices, endMs } = outline;
  let share = 0;
  for (const { atMs, quantity } of slices) {
    const earlierMs = Math.min(aheadMs, atMs - nowMs);
    const inTime = fillProbability(queue, size, closingMs - atMs + earlierMs);
    const elapsed = endMs === null ? 0 : (atMs - nowMs) / (endMs - nowMs);
    const inBand = shareBeforeCrossing((bandMs * (1 - elapsed ** 4) + earlierMs) / fillMs);
    share += (quantity / state.order.legs[0].quantity) * Math.min(inTime, inBand);
  }
  return share;
}

/**
 * Slices at their mean times of execution: they wait for a fill, for the end of the band, or for the closing.
 * `stretch`, 1 or more: how much longer the course takes than planned.
 */
function filledAt(
  { view, outline, fillMs, closingMs, aheadMs }: Rest,
  bandMs: number,
  stretch: number,
): OutlinedSlice[] {
  const { nowMs } = view;
  return outline.slices.map(({ atMs, quantity }) => {
    const dueMs = Math.min(Math.max(atMs, closingMs), nowMs + stretch * (atMs - nowMs));
    const fromMs = Math.max(nowMs, dueMs - aheadMs);
    const mostMs = Math.max(0, Math.min(dueMs + bandMs, closingMs) - fromMs);
    // E[min(t, most)] of an exponential time.
    return { atMs: (fromMs - fillMs * Math.expm1(-mostMs / fillMs)) as EpochMs, quantity };
  });
}

/**
 * Returns the queue at the near touch. The volume trades at both sides equally. A new touch holds the geometric mean of
 * both sides' quantities. The mid leaves a range of one spread on either side in (spread ÷ σ)² on average, half the
 * times away from the order (exit time of a Brownian motion). Where a second's move is many spreads, levels are thin,
 * and the price passes them: at a fitted part of that number. null without volume.
 */
function touchQueueOf(view: StrategyView, volume: VolumeProfile, untilMs: number): TouchQueue | null {
  const { market, nowMs, state } = view;
  const { bid, ask, bidQuantity, askQuantity, volatility } = market;
  const overMs = Math.max(VOLUME_MS_MIN, untilMs - nowMs);
  const perMs = forecastVolume(volume, nowMs, nowMs + overMs) / overMs / 2;
  if (!(perMs > 0)) return null;
  // A crossed market counts as one with the least spread.
  const spread = (2 * Math.max(1, ask - bid)) / (ask + bid);
  const shown = state.order.legs[0].side === 'BUY' ? bidQuantity : askQuantity;
  return {
    shown: QUEUE_SCALE * Math.max(1, shown),
    usual: QUEUE_SCALE * Math.max(1, Math.sqrt(bidQuantity * askQuantity)),
    perMs,
    movesPerMs: (volatility / spread) ** 2 / MINUTE_MS / 2,
    throughPerMs: (THROUGH_OF_MOVES * (volatility / spread) * Math.sqrt(SECOND_MS / MINUTE_MS)) / SECOND_MS,
  };
}

/** Maker share of an ICEBERG: its clips rest one after another. A HYBRID one takes a clip when it is late. */
function clipShare({ view, outline, fillMs, closingMs }: Rest): number {
  const clips = outline.childCount;
  const restsMs = closingMs - view.nowMs;
  const passive = clipsFilled(clips, restsMs / (fillMs + REPOST_MS));
  const isPassive = view.state.order.legs[0].style === 'PASSIVE';
  return isPassive ? passive : passive * -Math.expm1((-SLICES_MIN * restsMs) / clips / fillMs);
}
