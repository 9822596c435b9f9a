import { END_AFTER_START_MS_MAX, START_AHEAD_MS_MAX, START_BEHIND_MS_MAX } from '../../domain/limits/trading.js';
import type { Rejection } from '../../domain/rejection.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';

/** Times of a request as given. null: absent in the request. */
export interface RequestedTimes {
  readonly startAtMs: EpochMs | null;
  readonly endAtMs: EpochMs | null;
  readonly durationMs: DurationMs | null;
}

/** When trading may start: now when the request has no start or one in the past. */
export function startOf({ startAtMs }: RequestedTimes, nowMs: EpochMs): EpochMs {
  return startAtMs === null || startAtMs < nowMs ? nowMs : startAtMs;
}

/** The earlier of end_time and start + duration; null when both are absent. */
export function endOf({ endAtMs, durationMs }: RequestedTimes, startAtMs: EpochMs): EpochMs | null {
  if (durationMs === null) return endAtMs;
  const elapsedAtMs = (startAtMs + durationMs) as EpochMs;
  return endAtMs === null || elapsedAtMs < endAtMs ? elapsedAtMs : endAtMs;
}

/**
 * Checks the requested times against the clock. The parser does not do this, because a request that is repeated later
 * must still be answered with its first order.
 */
export function checkClock(times: RequestedTimes, nowMs: EpochMs): Rejection | null {
  const { startAtMs, endAtMs } = times;
  if (startAtMs !== null && startAtMs < nowMs - START_BEHIND_MS_MAX) {
    const rule = `over ${START_BEHIND_MS_MAX / 1000} seconds in the past`;
    return { code: 'INVALID_TRADE_TIME', message: `start_time ${instant(startAtMs)} is ${rule} of ${instant(nowMs)}` };
  }
  if (startAtMs !== null && startAtMs > nowMs + START_AHEAD_MS_MAX) {
    const rule = `over ${START_AHEAD_MS_MAX / 86_400_000} days ahead`;
    return { code: 'INVALID_TRADE_TIME', message: `start_time ${instant(startAtMs)} is ${rule} of ${instant(nowMs)}` };
  }
  if (endAtMs !== null && endAtMs <= nowMs) {
    return { code: 'INVALID_END_TIME', message: `end_time ${instant(endAtMs)} is not after ${instant(nowMs)}` };
  }
  return startAtMs === null ? checkEndDistance(nowMs, endAtMs) : null;
}

/** The end is at most END_AFTER_START_MS_MAX after the start. */
function checkEndDistance(startAtMs: EpochMs, endAtMs: EpochMs | null): Rejection | null {
  if (endAtMs === null || endAtMs <= startAtMs + END_AFTER_START_MS_MAX) return null;
  const rule = `over ${END_AFTER_START_MS_MAX / 86_400_000} days after the start, ${instant(startAtMs)}`;
  return { code: 'INVALID_END_TIME', message: `end_time ${instant(endAtMs)} is ${rule}` };
}

/** The end is after the start, and not too far. This does not depend on the clock. */
export function checkTimeOrder({ startAtMs, endAtMs }: RequestedTimes): Rejection | null {
  if (startAtMs === null || endAtMs === null) return null;
  if (endAtMs > startAtMs) return checkEndDistance(startAtMs, endAtMs);
  const message = `end_time ${instant(endAtMs)} is not after start_time ${instant(startAtMs)}`;
  return { code: 'INVALID_END_TIME', message };
}

function instant(atMs: EpochMs): string {
  return new Date(atMs).toISOString();
}
