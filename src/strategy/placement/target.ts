import type { StrategyView } from '../../domain/intent.js';
import { CATCH_UP_SLICES_MAX, SLOT_INTERVAL_MS, TIP_FALL_PPM } from '../../domain/limits/trading.js';
import { fieldOf, type MarketCondition } from '../../domain/market.js';
import type { TradingStyle } from '../../domain/order.js';
import type { Lots } from '../../domain/quantity.js';
import type { Pacing } from '../../domain/strategy-memory.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import { minimumAt, nearTouch, reached } from './child.js';
import { patienceMs } from './peg.js';

/** The progress that a strategy wants from its placement now. */
export interface Target {
  /** Pacing of the order before this decision. */
  readonly pacing: Pacing;
  /** Cumulative quantity that the schedule wants now. */
  readonly wanted: Lots;
  /** The part of `wanted` that may be worked now: catching up with late slices is bounded. */
  readonly quantity: Lots;
  /** Lots of the next slices, which may rest before they are due. They never cross. */
  readonly ahead: number;
  /** The planned slice, in lots. */
  readonly slice: number;
  /** Largest quantity of a child; null: only the instrument's bound applies. */
  readonly clip: Lots | null;
  readonly startMs: EpochMs;
  readonly endMs: EpochMs;
  /** Time at which the latest slice is fully due. It becomes due evenly over the `intervalMs` before. */
  readonly dueAtMs: EpochMs;
  /** Time to work a slice; 0 when it is due at once. */
  readonly intervalMs: DurationMs;
  /** True in the deadline window, where every style crosses. */
  readonly isClosing: boolean;
  /** Time of the target's next change; null when it does not change. */
  readonly nextAtMs: EpochMs | null;
  /** Minimum time that a resting child stays in the book after the touch has moved away. */
  readonly dwellMs: DurationMs;
  /** Wait between two placements, so that the book can refill. */
  readonly holdMs: DurationMs;
  /** The order's style, or AGGRESSIVE where the strategy requires it. */
  readonly style: TradingStyle;
}

/** Elapsed part of the slice's time, 0..1. */
function passedPart({ dueAtMs, intervalMs }: Target, atMs: EpochMs): number {
  if (intervalMs === 0) return 1;
  return Math.max(0, Math.min(1, 1 - (dueAtMs - atMs) / intervalMs));
}

/* The lag band: the lag behind its schedule that a HYBRID order may have before it crosses. */

/** Bounds of the band's width at the start, in slices. */
export const SLICES_MIN = 1.5;
const SLICES_MAX = CATCH_UP_SLICES_MAX;

/** True when the late quantity of a HYBRID order exceeds its band. The band closes with time. */
export function isBehind(view: StrategyView, target: Target): boolean {
  const lag = lagOf(view, target);
  return target.style === 'HYBRID' && lag > 0 && excess(view, target, lag, view.nowMs) >= 0;
}

/**
 * Lots to cross: those that are due and late. In the deadline window, and for an order that never rests, the whole lag.
 */
export function crossable(view: StrategyView, target: Target, lag: number, least: Lots): number {
  if (target.style !== 'HYBRID' || target.isClosing) return lag;
  return Math.min(lag, Math.max(Math.ceil(lateAt(target, lagOf(view, target), view.nowMs)), least));
}

/** Returns the time at which the band closes on the present lag; null when it has closed already, or never does. */
export function bandClosesAtMs(view: StrategyView, target: Target): EpochMs | null {
  const lag = lagOf(view, target);
  if (target.style !== 'HYBRID' || lag <= 0 || isBehind(view, target)) return null;
  const { startMs, endMs, dueAtMs } = target;
  if (dueAtMs > view.nowMs && excess(view, target, lag, dueAtMs) >= 0) return closingBefore(view, target, lag);
  const elapsed = Math.max(0, 1 - lag / widthOf(view, target)) ** 0.25;
  return Math.ceil(startMs + elapsed * (endMs - startMs)) as EpochMs;
}

/** Finds the time at which the growing late quantity reaches the closing band, by bisection to the millisecond. */
function closingBefore(view: StrategyView, target: Target, lag: number): EpochMs {
  let before: number = view.nowMs;
  let after: number = target.dueAtMs;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (excess(view, target, lag, middle as EpochMs) >= 0) after = middle;
    else before = middle;
  }
  return after as EpochMs;
}

/** Lots behind the whole wanted quantity, including the part that may not be worked yet. */
function lagOf({ state }: StrategyView, { wanted }: Target): number {
  return wanted - state.legs[0].progress.filled;
}

/** Late lots beyond the band; negative within the band. Grows with time. */
function excess(view: StrategyView, target: Target, lag: number, atMs: EpochMs): number {
  return lateAt(target, lag, atMs) - bandAt(view, target, atMs);
}

/** Lots of the lag that are due; negative while the order is ahead. */
function lateAt(target: Target, lag: number, atMs: EpochMs): number {
  return lag - target.slice * (1 - passedPart(target, atMs));
}

function bandAt(view: StrategyView, target: Target, atMs: EpochMs): number {
  const elapsed = (atMs - target.startMs) / (target.endMs - target.startMs);
  return widthOf(view, target) * (1 - elapsed ** 4);
}

function widthOf(view: StrategyView, { slice, intervalMs }: Target): number {
  return slice * bandSlices(view, intervalMs);
}

/**
 * Width of the band in slices: those that become due while waiting is cheaper than taking, but no more than can be
 * caught up at once. For slices closer together than SLOT_INTERVAL_MS: no more than become due within that interval.
 */
export function bandSlices(view: StrategyView, intervalMs: number): number {
  const waitMs = patienceMs(view);
  if (intervalMs === 0 || waitMs === null) return SLICES_MIN;
  const most = Math.max(SLICES_MAX, SLOT_INTERVAL_MS / intervalMs);
  return Math.max(SLICES_MIN, Math.min(most, waitMs / intervalMs));
}

/* Take timing: when an order takes its slice, an AGGRESSIVE one or a HYBRID one that does not rest. */

/**
 * Lots that a HYBRID order rests while it waits to take. They may remain as the rest of the order, so they must exceed
 * the minimum at lower prices as well.
 */
export function tipOf({ state, instrument, market }: StrategyView): Lots {
  return minimumAt(instrument, reached('SELL', nearTouch(state.order.legs[0].side, market), TIP_FALL_PPM));
}

/**
 * Share of the quantity at the best prices that the own side must have, in the first three quarters of the slice's
 * time. A high share predicts that the price moves away from the order. In the last quarter the order does not wait.
 */
const SHARES = [0.9, 0.75, 0.5] as const;

/**
 * True while an AGGRESSIVE order waits to take its slice. It does not wait with its first slice nor with late ones, nor
 * with its last: an exchange that does not answer then would leave no time to ask.
 */
export function isWaitingToTake(view: StrategyView, target: Target, lag: number): boolean {
  const { style, isClosing, intervalMs, startMs, endMs, dueAtMs, slice } = target;
  const isAtOnce = isClosing || intervalMs === 0 || dueAtMs <= startMs + intervalMs || dueAtMs >= endMs;
  if (style !== 'AGGRESSIVE' || isAtOnce) return false;
  return lag > view.working && lag <= slice && !isTimeToTake(view, target);
}

/** True when the price is likely to move away from the order, or when the slice has waited long enough. */
export function isTimeToTake(view: StrategyView, target: Target): boolean {
  const bound = boundOf(view, target);
  if (bound === undefined) return true;
  const share = fieldOf(fieldFor(view), view.market);
  return share === null || share >= bound;
}

/** Start of the next quarter of the slice's time. */
export function nextQuarterAtMs(view: StrategyView, target: Target): EpochMs {
  const passed = Math.floor(quartersOf(view, target)) + 1;
  return Math.ceil(target.dueAtMs - target.intervalMs * (1 - passed / (SHARES.length + 1))) as EpochMs;
}

/** Met when it is time to take. */
export function whenTimeToTake(view: StrategyView, target: Target): MarketCondition {
  return { field: fieldFor(view), at: 'or above', bound: boundOf(view, target) ?? 0 };
}

function boundOf(view: StrategyView, target: Target): number | undefined {
  return SHARES[Math.floor(quartersOf(view, target))];
}

function quartersOf({ nowMs }: StrategyView, target: Target): number {
  return passedPart(target, nowMs) * (SHARES.length + 1);
}

function fieldFor({ state }: StrategyView): 'bidShare' | 'askShare' {
  return state.order.legs[0].side === 'BUY' ? 'bidShare' : 'askShare';
}
