import type { VolumeProfile } from '../model/intent.js';
import { VolumeDay } from './volume-day.js';

const HOUR_MS = 3600 * 1000;
/** An order of this horizon or longer follows the day's shape alone; a shorter one by so much of it. */
const SHAPE_ALONE_MS = 24 * HOUR_MS;
/** Over how long the present level of volume is measured, and how fast it is expected to go back to the average. */
const LEVEL_MS = 4 * HOUR_MS;
const DECAY_MS = 8 * HOUR_MS;

/** The volume that an order goes along with. */
export interface VolumeCourse {
  readonly startMs: number;
  readonly endMs: number;
  readonly profile: VolumeProfile;
  /** Lots a day at the pace of the hours before the start. */
  readonly levelBefore: number;
}

/** Where the course has come to. */
export interface VolumeSeen {
  readonly nowMs: number;
  /** Lots that others have traded since the start. */
  readonly realised: number;
}

/** Share of the course's volume that the day's shape has until then, from 0 at the start to 1 at the end. */
export function shapeShare({ startMs, endMs, profile }: VolumeCourse, untilMs: number): number {
  if (untilMs >= endMs) return 1;
  const day = VolumeDay.of(profile);
  return day.between(startMs, untilMs) / day.between(startMs, endMs);
}

/**
 * Share of an order that is to be done by `untilMs`, from 0 to 1, by two forecasts of the same thing: the day's shape, and
 * the volume that has come ÷ (the same + what is expected until the end at the present level). Over hours the level says
 * more, over a day the shape; together they miss by less than the better one (`bench -- vwap`).
 */
export function shareDue(course: VolumeCourse, seen: VolumeSeen, untilMs: number): number {
  const shape = shapeShare(course, untilMs);
  const weight = Math.min(1, (course.endMs - course.startMs) / SHAPE_ALONE_MS);
  return weight === 1 ? shape : weight * shape + (1 - weight) * levelShare(course, seen, untilMs);
}

function levelShare(course: VolumeCourse, { nowMs, realised }: VolumeSeen, untilMs: number): number {
  const { startMs, endMs, profile } = course;
  const day = VolumeDay.of(profile);
  const average = profile.dailyVolume;
  const level = levelOf(course, day.between(startMs, nowMs), realised, nowMs - startMs);
  const expected = (toMs: number): number =>
    average * day.between(nowMs, toMs) + (level - average) * day.betweenFading(nowMs, toMs, DECAY_MS);
  const whole = realised + expected(endMs);
  if (whole <= 0) return shapeShare(course, untilMs);
  return Math.max(0, Math.min(1, (realised + expected(Math.max(nowMs, untilMs))) / whole));
}

/** Lots a day at the pace of the last hours, of which those before the start are known as a whole. */
function levelOf({ levelBefore }: VolumeCourse, share: number, realised: number, elapsedMs: number): number {
  if (share <= 0) return levelBefore;
  const known = Math.min(1, elapsedMs / LEVEL_MS);
  return known * (realised / share) + (1 - known) * levelBefore;
}
