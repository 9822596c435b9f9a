import type { TradingStyle } from '../model/order.js';
import type { Lots } from '../model/quantity.js';
import type { DurationMs, EpochMs } from '../model/time.js';

/** Where the order should be by now, whatever curve says so. */
export interface Goal {
  /** Cumulative quantity that the curve wants by now. */
  readonly wanted: Lots;
  /** As much of it as may be worked now: a late slice is bounded. */
  readonly target: Lots;
  /** A planned slice. */
  readonly slice: number;
  /** Largest child; null for the instrument's own bound. */
  readonly clip: Lots | null;
  readonly startMs: EpochMs;
  readonly endMs: EpochMs;
  /** The latest slice comes due evenly over `intervalMs`, and all of it at this instant. */
  readonly dueAtMs: EpochMs;
  /** Time in which a slice is to be done; 0 when it is due as soon as it is wanted. */
  readonly intervalMs: DurationMs;
  /** In the deadline window, where every style crosses. */
  readonly isClosing: boolean;
  /** When the goal changes next; null when it does not. */
  readonly nextAtMs: EpochMs | null;
  /** A resting child that was left behind stays at least so long. */
  readonly dwellMs: DurationMs;
  /** Wait between two placements, so that the book can refill. */
  readonly holdMs: DurationMs;
  /** As the order asks for, or as it must by now. */
  readonly style: TradingStyle;
  /** Where in the memory the stance is. */
  readonly stanceAt: number;
}

/**
 * The goal of the decision that is being made. Each look at the market needs one, and no longer than it lasts: so each
 * fills this one anew, and nothing of it is in what the decision returns. A half says that a field holds fractions: V8
 * writes these in place then, and would make each anew had the field begun with a small integer.
 */
export const GOAL: { -readonly [Key in keyof Goal]: Goal[Key] } = {
  wanted: 0 as Lots,
  target: 0 as Lots,
  slice: 0.5,
  clip: null,
  startMs: 0.5 as EpochMs,
  endMs: 0.5 as EpochMs,
  dueAtMs: 0.5 as EpochMs,
  intervalMs: 0.5 as DurationMs,
  isClosing: false,
  nextAtMs: null,
  dwellMs: 0.5 as DurationMs,
  holdMs: 0 as DurationMs,
  style: 'PASSIVE',
  stanceAt: 0,
};

/** Part of the slice's time that has passed, 0..1. */
export function passedPart({ dueAtMs, intervalMs }: Goal, atMs: EpochMs): number {
  if (intervalMs === 0) return 1;
  return Math.max(0, Math.min(1, 1 - (dueAtMs - atMs) / intervalMs));
}
