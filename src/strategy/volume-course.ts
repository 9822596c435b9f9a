import type { VolumeProfile } from '../model/intent.js';
import { PROFILE_RECENT_MS } from '../model/limits.js';
import { VolumeDay } from './volume-day.js';

/** Weight of the day's shape where too few days are known to tell a better one. */
const SHAPE_WEIGHT = 0.5;

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
 * the level of the volume that comes. Together they miss by less than the better one; how much each is to say is learnt
 * with the profile (`shapeWeightOf`).
 */
export function shareDue(course: VolumeCourse, seen: VolumeSeen, untilMs: number): number {
  const weight = course.profile.shapeWeight ?? SHAPE_WEIGHT;
  return weight * shapeShare(course, untilMs) + (1 - weight) * levelShare(course, seen, untilMs);
}

/** The volume that has come ÷ (the same + what is expected until the end at the present level). */
export function levelShare(course: VolumeCourse, { nowMs, realised }: VolumeSeen, untilMs: number): number {
  const { startMs, endMs, profile } = course;
  const day = VolumeDay.of(profile);
  const average = profile.dailyVolume;
  const level = levelOf(course, day.between(startMs, nowMs), realised, nowMs - startMs);
  const ahead = level - average;
  const whole = realised + average * day.between(nowMs, endMs) + ahead * day.betweenFading(nowMs, endMs);
  if (whole <= 0) return shapeShare(course, untilMs);
  const until = realised + average * day.between(nowMs, untilMs) + ahead * day.betweenFading(nowMs, untilMs);
  return Math.max(0, Math.min(1, until / whole));
}

/** Lots a day at the pace of the last hours, of which those before the start are known as a whole. */
function levelOf({ levelBefore }: VolumeCourse, share: number, realised: number, elapsedMs: number): number {
  if (share <= 0) return levelBefore;
  const known = Math.min(1, elapsedMs / PROFILE_RECENT_MS);
  return known * (realised / share) + (1 - known) * levelBefore;
}
