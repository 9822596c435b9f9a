import { CROSSING_MS_MAX, CROSSING_MS_MIN, DEADLINE_MS_MIN, DEADLINE_PPM } from '../model/limits.js';
import type { DurationMs, EpochMs } from '../model/time.js';

/** A stretch of time with an end. */
export interface Span {
  readonly startMs: EpochMs;
  readonly endMs: EpochMs;
}

/** When the deadline window opens: the last 2 s, or 2 % of the time when that is more. */
export function closingAtMs({ startMs, endMs }: Span): EpochMs {
  const windowMs = Math.max(DEADLINE_MS_MIN, ((endMs - startMs) * DEADLINE_PPM) / 1_000_000);
  return Math.max(startMs, Math.floor(endMs - windowMs)) as EpochMs;
}

/** Wait between two attempts of `attempts` that fit into a stretch of time. */
export function attemptEachMs(stretchMs: number, attempts: number): DurationMs {
  return Math.max(CROSSING_MS_MIN, Math.min(CROSSING_MS_MAX, Math.floor(stretchMs / attempts))) as DurationMs;
}
