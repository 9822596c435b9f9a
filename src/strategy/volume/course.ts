import type { VolumeProfile } from '../../domain/intent.js';
import { PROFILE_RECENT_MS } from '../../domain/limits/trading.js';
const DAY_MS = 24 * 3600 * 1000;
/** Time in which a level of volume above or below the average fades to 1/e. */
const FADE_MS = 8 * 3600 * 1000;
/** Part of a level that is left after a day. */
const FADED_BY_DAY = Math.exp(-DAY_MS / FADE_MS);

/**
 * Expected volume over a day, the same every day: shares of equal parts of the day from 00:00 UTC, which add up to 1.
 */
export class VolumeDay {
  static readonly #known = new WeakMap<VolumeProfile['shares'], VolumeDay>();

  /** Returns the one instance for each array of shares. */
  static of({ shares }: VolumeProfile): VolumeDay {
    let day = VolumeDay.#known.get(shares);
    if (day === undefined) VolumeDay.#known.set(shares, (day = new VolumeDay(shares)));
    return day;
  }

  readonly #shares: readonly number[];
  /** Share of the day before each part. */
  readonly #before: readonly number[];
  /**
   * Share of the day before each part, with parts weighted by the fading since midnight. The last entry is the whole
   * day.
   */
  readonly #fadedBefore: readonly number[];
  readonly #partMs: number;

  constructor(shares: readonly number[]) {
    this.#shares = shares;
    this.#partMs = DAY_MS / shares.length;
    let sum = 0;
    this.#before = shares.map((share) => (sum += share) - share);
    const faded = [0];
    shares.forEach((share, part) => faded.push(faded[part]! + share * Math.exp((-part * this.#partMs) / FADE_MS)));
    this.#fadedBefore = faded;
  }

  /** Volume between two instants, in days of volume: 1 for any whole day. */
  between(fromMs: number, toMs: number): number {
    return toMs <= fromMs ? 0 : this.#until(toMs) - this.#until(fromMs);
  }

  /** Volume between two instants, in days of volume, with parts weighted by the fading since `fromMs`. */
  betweenFading(fromMs: number, toMs: number): number {
    if (toMs <= fromMs) return 0;
    const partMs = this.#partMs;
    const first = Math.floor(fromMs / partMs);
    const last = Math.floor(toMs / partMs);
    if (first === last) return (this.#share(first) * (toMs - fromMs)) / partMs;
    const head = this.#share(first) * (first + 1 - fromMs / partMs);
    const tail = this.#share(last) * (toMs / partMs - last) * Math.exp((fromMs - last * partMs) / FADE_MS);
    const day = Math.floor(first / this.#shares.length);
    const between = this.#fadedUntil(last, day) - this.#fadedUntil(first + 1, day);
    return head + between * Math.exp((fromMs - day * DAY_MS) / FADE_MS) + tail;
  }

  /**
   * Volume from midnight of `day` to `part`, in days of volume, with parts weighted by the fading since that midnight.
   */
  #fadedUntil(part: number, day: number): number {
    const count = this.#shares.length;
    const days = Math.floor(part / count) - day;
    const ofWhole = this.#fadedBefore[count] as number;
    const leftOver = FADED_BY_DAY ** days;
    const whole = (ofWhole * (1 - leftOver)) / (1 - FADED_BY_DAY);
    return whole + leftOver * (this.#fadedBefore[part - (day + days) * count] as number);
  }

  #share(part: number): number {
    return this.#shares[part % this.#shares.length] as number;
  }

  #until(atMs: number): number {
    const days = Math.floor(atMs / DAY_MS);
    const parts = (atMs - days * DAY_MS) / this.#partMs;
    const part = Math.floor(parts);
    return days + (this.#before[part] as number) + (this.#shares[part] as number) * (parts - part);
  }
}

/** Returns the lots expected between two instants: the day's shape, plus the fading difference of the present level. */
export function forecastVolume(profile: VolumeProfile, fromMs: number, toMs: number): number {
  const { dailyVolume, recentDailyVolume = dailyVolume } = profile;
  const day = VolumeDay.of(profile);
  return dailyVolume * day.between(fromMs, toMs) + (recentDailyVolume - dailyVolume) * day.betweenFading(fromMs, toMs);
}

/** Weight of the day's shape when too few days are known to learn one. */
const SHAPE_WEIGHT = 0.5;

/** The market volume that an order follows. */
export interface VolumeCourse {
  readonly startMs: number;
  readonly endMs: number;
  readonly profile: VolumeProfile;
  /** Lots per day at the pace of the hours before the start. */
  readonly levelBefore: number;
}

/** The volume traded so far. */
interface VolumeSeen {
  readonly nowMs: number;
  /** Lots that others have traded since the start. */
  readonly realised: number;
}

/** Share of the course's volume expected by `untilMs` from the day's shape: 0 at the start, 1 at the end. */
export function shapeShare({ startMs, endMs, profile }: VolumeCourse, untilMs: number): number {
  if (untilMs >= endMs) return 1;
  const day = VolumeDay.of(profile);
  return day.between(startMs, untilMs) / day.between(startMs, endMs);
}

/**
 * Share of an order due by `untilMs`, 0..1: the weighted mean of two forecasts, by the day's shape and by the present
 * level of volume. Together they are more accurate than the better one. `ShapeWeighing` learns the weight with the
 * profile.
 */
export function shareDue(course: VolumeCourse, seen: VolumeSeen, untilMs: number): number {
  const weight = course.profile.shapeWeight ?? SHAPE_WEIGHT;
  return weight * shapeShare(course, untilMs) + (1 - weight) * levelShare(course, seen, untilMs);
}

/** Share of the course's volume by `untilMs`: realised volume ÷ (realised + expected at the present level). */
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

/**
 * Present level in lots per day, over the last PROFILE_RECENT_MS. Includes the level before the start while the course
 * is shorter.
 */
function levelOf({ levelBefore }: VolumeCourse, share: number, realised: number, elapsedMs: number): number {
  // Instants are whole milliseconds. In a smaller part of one, a quotient would overflow.
  if (share <= 0 || elapsedMs < 1) return levelBefore;
  const known = Math.min(1, elapsedMs / PROFILE_RECENT_MS);
  return known * (realised / share) + (1 - known) * levelBefore;
}
