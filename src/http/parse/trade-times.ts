import {
  DURATION_SECONDS_MAX,
  END_AFTER_START_MS_MAX,
  START_AHEAD_MS_MAX,
  START_BEHIND_MS_MAX,
} from '../../model/limits.js';
import { reject, type OrRejection, type Rejection } from '../../model/rejection.js';
import type { DurationMs, EpochMs } from '../../model/time.js';
import { isAbsent, shown, stepsOf } from './json-field.js';

/** The times of a request as given; null where it says nothing. */
export interface RequestedTimes {
  readonly startAtMs: EpochMs | null;
  readonly endAtMs: EpochMs | null;
  readonly durationMs: DurationMs | null;
}

/** ISO 8601 in UTC: seconds and their fraction may be left out. */
const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?(?:\.(\d{1,9}))?Z$/;

/** Instants are kept to the millisecond; finer digits are cut off. null when the text is no instant of the calendar. */
function parseInstant(value: unknown): EpochMs | null {
  const match = typeof value === 'string' ? INSTANT.exec(value) : null;
  if (match === null) return null;
  const [, year, month, day, hour, minute, second = 0, fraction = ''] = match;
  const [dayOfMonth, milliseconds] = [Number(day), Number(fraction.slice(0, 3).padEnd(3, '0'))];
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const midnight = new Date(0);
  midnight.setUTCFullYear(Number(year), Number(month) - 1, dayOfMonth);
  // A day or month that the calendar has not rolls over into the next.
  if (midnight.getUTCDate() !== dayOfMonth || midnight.getUTCMonth() !== Number(month) - 1) return null;
  const seconds = (Number(hour) * 60 + Number(minute)) * 60 + Number(second);
  return (midnight.getTime() + seconds * 1000 + milliseconds) as EpochMs;
}

export function parseStart(value: unknown): OrRejection<EpochMs | null> {
  if (isAbsent(value)) return null;
  return (
    parseInstant(value) ?? reject('INVALID_TRADE_TIME', `start_time ${shown(value)} is not ISO 8601 in UTC with Z`)
  );
}

export function parseEnd(value: unknown): OrRejection<EpochMs | null> {
  if (isAbsent(value)) return null;
  return parseInstant(value) ?? reject('INVALID_END_TIME', `end_time ${shown(value)} is not ISO 8601 in UTC with Z`);
}

/** 1 to DURATION_SECONDS_MAX seconds, to the millisecond. */
export function parseDuration(value: unknown): OrRejection<DurationMs | null> {
  if (isAbsent(value)) return null;
  const durationMs = stepsOf(value, 3);
  if (typeof durationMs === 'number' && durationMs >= 1000 && durationMs <= DURATION_SECONDS_MAX * 1000) {
    return durationMs as DurationMs;
  }
  const rule = `a number of seconds from 1 to ${DURATION_SECONDS_MAX}`;
  return reject('INVALID_PARAM', `params.duration_seconds ${shown(value)} is not ${rule}`);
}

/** When trading may start: at once when nothing was asked for or it lies a little behind. */
export function startOf({ startAtMs }: RequestedTimes, nowMs: EpochMs): EpochMs {
  return startAtMs === null || startAtMs < nowMs ? nowMs : startAtMs;
}

/** The earlier of end_time and start + duration; null when neither was given. */
export function endOf({ endAtMs, durationMs }: RequestedTimes, startAtMs: EpochMs): EpochMs | null {
  if (durationMs === null) return endAtMs;
  const elapsedAtMs = (startAtMs + durationMs) as EpochMs;
  return endAtMs === null || elapsedAtMs < endAtMs ? elapsedAtMs : endAtMs;
}

/**
 * What the clock has against the requested times. Judged apart from the form of the request: a request that is sent
 * again later is still the same request, and its first order answers for it.
 */
export function untimelinessOf(times: RequestedTimes, nowMs: EpochMs): Rejection | null {
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
  return startAtMs === null ? remoteness(nowMs, endAtMs) : null;
}

/** An end too far after the start. */
function remoteness(startAtMs: EpochMs, endAtMs: EpochMs | null): Rejection | null {
  if (endAtMs === null || endAtMs <= startAtMs + END_AFTER_START_MS_MAX) return null;
  const rule = `over ${END_AFTER_START_MS_MAX / 86_400_000} days after the start, ${instant(startAtMs)}`;
  return { code: 'INVALID_END_TIME', message: `end_time ${instant(endAtMs)} is ${rule}` };
}

/** An end at or before the start, or too far after it, is wrong at any time. */
export function disorderOf({ startAtMs, endAtMs }: RequestedTimes): Rejection | null {
  if (startAtMs === null || endAtMs === null) return null;
  if (endAtMs > startAtMs) return remoteness(startAtMs, endAtMs);
  const message = `end_time ${instant(endAtMs)} is not after start_time ${instant(startAtMs)}`;
  return { code: 'INVALID_END_TIME', message };
}

function instant(atMs: EpochMs): string {
  return new Date(atMs).toISOString();
}
