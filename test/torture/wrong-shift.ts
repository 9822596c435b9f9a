import { CLOCK_STOP_MS_MAX } from '../../src/domain/limits/process.js';

interface LastRun {
  /** How far its wall clock was wrong at its end. It has stored this clock, or the right one before a step. */
  readonly lastShiftMs: number;
  readonly hasRebooted: boolean;
}

/**
 * A shift that a start must refuse, whichever clock the last run has stored. After a reboot, a clock ahead by up to
 * CLOCK_STOP_MS_MAX is plausible.
 */
export function wrongShiftMs(byMs: number, { lastShiftMs, hasRebooted }: LastRun): number {
  if (byMs < 0) return Math.min(0, lastShiftMs) + byMs;
  return Math.max(0, lastShiftMs) + byMs + (hasRebooted ? CLOCK_STOP_MS_MAX : 0);
}
