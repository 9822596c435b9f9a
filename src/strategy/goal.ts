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

/** Part of the slice's time that has passed, 0..1. */
export function passedPart({ dueAtMs, intervalMs }: Goal, atMs: EpochMs): number {
  if (intervalMs === 0) return 1;
  return Math.max(0, Math.min(1, 1 - (dueAtMs - atMs) / intervalMs));
}
