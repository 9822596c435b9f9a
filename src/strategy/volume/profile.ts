import type { VolumeProfile } from '../../domain/intent.js';
import { PROFILE_RECENT_MS } from '../../domain/limits/trading.js';
import { CANDLE_INTERVAL_MS } from '../../domain/market-feed.js';
import type { Lots } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import { levelShare, shapeShare, type VolumeCourse, VolumeDay } from './course.js';

/** Number of bins of a profile: candles of 5 minutes in a day. */
export const BINS_PER_DAY = CANDLE_INTERVAL_MS.ONE_DAY / CANDLE_INTERVAL_MS.FIVE_MINUTE;
/**
 * Quantile of all bins at which a bin's volume is capped, so that a single very large trade does not distort the curve.
 */
const CAP_QUANTILE = 0.99;
/** Number of bins before and after each bin that smoothing averages. */
const SMOOTHING_BINS = 6;
/** Least share of a bin, as a part of an even share. */
const SHARE_FLOOR = 0.2;
/** Days at which the learnt shape and the flat day weigh the same (adr/0018). */
const FLAT_DAYS = 4;

/**
 * Returns the shares of each day: 288 numbers that add up to 1, or all 0 for a day without trades. `volumes` has 288
 * numbers a day. A bin counts up to `cap` lots.
 */
function dailyShares(volumes: Float64Array, cap: number): Float64Array[] {
  const days: Float64Array[] = [];
  for (let from = 0; from < volumes.length; from += BINS_PER_DAY) {
    const day = volumes.subarray(from, from + BINS_PER_DAY).map((volume) => Math.min(volume, cap));
    const total = sum(day);
    days.push(total > 0 ? day.map((volume) => volume / total) : day);
  }
  return days;
}

/** Adds up the shares of all days, bin by bin. */
function summed(days: readonly Float64Array[]): Float64Array {
  const sums = new Float64Array(BINS_PER_DAY);
  for (const day of days) for (let bin = 0; bin < BINS_PER_DAY; bin += 1) sums[bin]! += day[bin]!;
  return sums;
}

/**
 * Returns the common shape of days from the sum of their shares: their mean, smoothed, with a floor, and drawn towards
 * the flat day; null when no day had trades. It averages shares, not volumes, so that a busy day does not dominate.
 * Smoothing wraps around midnight.
 */
function commonShape(shareSums: Float64Array): Float64Array | null {
  // Each day adds 1, or 0 without trades, except for rounding.
  const tradedDays = sum(shareSums);
  if (tradedDays <= 0.5) return null;
  return flattened(floored(smoothed(shareSums.map((share) => share / tradedDays))), tradedDays);
}

/** Shrinks a shape towards equal shares: few days say little about the next one. */
function flattened(shape: Float64Array, days: number): Float64Array {
  const weight = days / (days + FLAT_DAYS);
  return shape.map((share) => weight * share + (1 - weight) / BINS_PER_DAY);
}

/** The CAP_QUANTILE quantile of the bins' volume; at least one lot. */
function capOf(volumes: Float64Array): number {
  const rank = Math.ceil(CAP_QUANTILE * volumes.length);
  return Math.max(1, volumes.toSorted()[rank - 1] ?? 0);
}

/** Averages each bin with its neighbours by a moving sum. */
function smoothed(shares: Float64Array): Float64Array {
  const at = (bin: number): number => shares[(bin + BINS_PER_DAY) % BINS_PER_DAY]!;
  const width = 2 * SMOOTHING_BINS + 1;
  let window = 0;
  for (let bin = -SMOOTHING_BINS; bin < SMOOTHING_BINS; bin += 1) window += at(bin);
  return shares.map((_, bin) => {
    window += at(bin + SMOOTHING_BINS);
    const mean = window / width;
    window -= at(bin - SMOOTHING_BINS);
    return mean;
  });
}

/** Raises shares to the floor and scales them to a sum of 1. */
function floored(shares: Float64Array): Float64Array {
  const least = SHARE_FLOOR / BINS_PER_DAY;
  const raised = shares.map((share) => Math.max(share, least));
  const total = sum(raised);
  return raised.map((share) => share / total);
}

function sum(values: Float64Array): number {
  let total = 0;
  for (let index = 0; index < values.length; index += 1) total += values[index]!;
  return total;
}

/**
 * Learns the distribution of volume over full days, and the weight of that shape in forecasts. Works in short steps, so
 * that a shard can learn between its turns. The result does not depend on the length of the steps. `volumes` has 288
 * numbers a day from 00:00 UTC, in lots, in order of time.
 */
export class ProfileLearning {
  readonly #volumes: Float64Array;
  /** Lots up to which a bin counts; null before the first step. */
  #cap: number | null = null;
  #weighing: ShapeWeighing | null = null;
  #profile: VolumeProfile | null = null;
  #isDone = false;

  constructor(volumes: Float64Array) {
    assert(Number.isInteger(volumes.length / BINS_PER_DAY), 'a volume profile is learnt from full days');
    this.#volumes = volumes;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** The learnt profile; null when no day had trades. Requires `isDone`. */
  get profile(): VolumeProfile | null {
    assert(this.#isDone, 'the volume profile is learnt');
    return this.#profile;
  }

  /** Does the next part of the work: the cap, the shape of the days, then at most `coursesMax` courses. */
  step(coursesMax: number): void {
    if (this.#isDone) return;
    if (this.#cap === null) this.#cap = capOf(this.#volumes);
    else if (this.#weighing === null) this.#learnShape(this.#cap);
    else this.#weigh(this.#weighing, coursesMax);
  }

  #learnShape(cap: number): void {
    const volumes = this.#volumes;
    const days = dailyShares(volumes, cap);
    const shape = commonShape(summed(days));
    this.#isDone = shape === null || days.length < DAYS_MIN;
    if (shape === null) return;
    this.#profile = { shares: [...shape], dailyVolume: lotsOf(sum(volumes) / days.length) };
    this.#weighing = new ShapeWeighing(volumes, days);
  }

  #weigh(weighing: ShapeWeighing, coursesMax: number): void {
    if (!weighing.step(coursesMax)) return;
    this.#isDone = true;
    const shapeWeight = weighing.best();
    if (this.#profile !== null && shapeWeight !== null) this.#profile = { ...this.#profile, shapeWeight };
  }
}

/** Learns a profile in one call. Takes tens of milliseconds for twenty days. */
export function volumeProfileOf(volumes: Float64Array): VolumeProfile | null {
  const learning = new ProfileLearning(volumes);
  while (!learning.isDone) learning.step(Infinity);
  return learning.profile;
}

/** Adds the present level of volume to a profile. `volumes` are the bins that end at `untilMs`, in order of time. */
export function withRecent(profile: VolumeProfile, volumes: Float64Array, untilMs: number): VolumeProfile {
  const fromMs = untilMs - volumes.length * CANDLE_INTERVAL_MS.FIVE_MINUTE;
  const share = VolumeDay.of(profile).between(fromMs, untilMs);
  return { ...profile, recentDailyVolume: lotsOf(sum(volumes) / share) };
}

function lotsOf(volume: number): Lots {
  return Math.max(1, Math.round(volume)) as Lots;
}

const BIN_MS = CANDLE_INTERVAL_MS.FIVE_MINUTE;
const HOUR_BINS = 12;
const RECENT_BINS = PROFILE_RECENT_MS / BIN_MS;
/** Distance between the starts of courses, in bins, and number of forecasts checked in each course. */
const START_BINS = 4 * HOUR_BINS;
const LOOKS_COUNT = 12;
const LENGTHS_BINS = [HOUR_BINS, 4 * HOUR_BINS, 12 * HOUR_BINS, 24 * HOUR_BINS] as const;
/** Least number of days: the two days that a course may touch are left out of its judgement, and one must remain. */
const DAYS_MIN = 3;
const WEIGHTS = Array.from({ length: 21 }, (_, step) => step / 20);

/**
 * Finds the weight of the day's shape, 0..1, that minimises the expected miss of the average price. The rest is the
 * weight of the level. `days` are shares, for at least DAYS_MIN days.
 *
 * An order that is ahead of the market's volume by e(t) of its quantity misses the average price by Σ e(t) × Δprice(t).
 * For a random walk this is proportional, on average, to √Σe². So the weight follows from volumes alone, without a
 * price that may have risen by chance. Each course is judged by the other days.
 */
class ShapeWeighing {
  readonly #volumes: Float64Array;
  readonly #profiles: ProfilesOfOtherDays;
  readonly #errors = WEIGHTS.map(() => 0);
  #lengthIndex = 0;
  #starts: readonly number[];
  #nextStart = 0;

  constructor(volumes: Float64Array, days: readonly Float64Array[]) {
    this.#volumes = volumes;
    this.#profiles = new ProfilesOfOtherDays(volumes, days);
    this.#starts = startsOf(volumes, LENGTHS_BINS[0]);
  }

  /** Judges at most `coursesMax` more courses. Returns true when all are judged. */
  step(coursesMax: number): boolean {
    for (let count = 0; count < coursesMax; count += 1) {
      while (this.#nextStart >= this.#starts.length) {
        this.#lengthIndex += 1;
        this.#nextStart = 0;
        const length = LENGTHS_BINS[this.#lengthIndex];
        if (length === undefined) return true;
        this.#starts = startsOf(this.#volumes, length);
      }
      this.#judge(this.#starts[this.#nextStart]!, LENGTHS_BINS[this.#lengthIndex]!);
      this.#nextStart += 1;
    }
    return false;
  }

  best(): number | null {
    return WEIGHTS[this.#errors.indexOf(Math.min(...this.#errors))] ?? null;
  }

  #judge(from: number, length: number): void {
    const profile = this.#profiles.without(dayOf(from), dayOf(from + length - 1));
    if (profile === null) return;
    const apart = forecastErrorsOf(this.#volumes, from, length, profile);
    WEIGHTS.forEach((weight, index) => (this.#errors[index]! += errorOfMix(apart, weight) / this.#starts.length));
  }
}

function startsOf({ length: end }: Float64Array, length: number): number[] {
  const starts: number[] = [];
  for (let from = RECENT_BINS; from + length <= end; from += START_BINS) starts.push(from);
  return starts;
}

function dayOf(bin: number): number {
  return Math.floor(bin / BINS_PER_DAY);
}

/** Profiles of the days without the days that a course touches. */
class ProfilesOfOtherDays {
  readonly #days: readonly Float64Array[];
  readonly #shareSums: Float64Array;
  readonly #totals: readonly number[];
  readonly #known = new Map<number, VolumeProfile | null>();

  constructor(volumes: Float64Array, days: readonly Float64Array[]) {
    this.#days = days;
    this.#shareSums = summed(days);
    this.#totals = days.map((_, day) => sum(volumes.subarray(day * BINS_PER_DAY, (day + 1) * BINS_PER_DAY)));
  }

  /** Returns the profile of all days except `first` to `last`; null when the others had no trades. */
  without(first: number, last: number): VolumeProfile | null {
    const key = first * this.#days.length + last;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const leftOut = summed(this.#days.slice(first, last + 1));
    const shape = commonShape(this.#shareSums.map((share, bin) => share - leftOut[bin]!));
    const totals = this.#totals.toSpliced(first, last + 1 - first);
    const dailyVolume = (totals.reduce((whole, total) => whole + total, 0) / totals.length) as Lots;
    const profile = shape === null ? null : { shares: [...shape], dailyVolume };
    this.#known.set(key, profile);
    return profile;
  }
}

/**
 * Means over a course: squared error of the level's forecast, squared difference of the shape's forecast from it, and
 * their product.
 */
interface ForecastErrors {
  readonly level: number;
  readonly shape: number;
  readonly both: number;
}

function forecastErrorsOf(volumes: Float64Array, from: number, length: number, profile: VolumeProfile): ForecastErrors {
  const whole = sum(volumes.subarray(from, from + length));
  let [level, shape, both] = [0, 0, 0];
  if (whole === 0) return { level, shape, both };
  const course = courseOf(volumes, from, length, profile);
  const step = length / LOOKS_COUNT;
  let realised = 0;
  for (let bin = from; bin < from + length; bin += step) {
    const nowMs = bin * BIN_MS;
    const byLevel = levelShare(course, { nowMs, realised }, nowMs + BIN_MS);
    const off = byLevel - (realised + volumes[bin]!) / whole;
    const apart = shapeShare(course, nowMs + BIN_MS) - byLevel;
    level += (off * off) / LOOKS_COUNT;
    shape += (apart * apart) / LOOKS_COUNT;
    both += (off * apart) / LOOKS_COUNT;
    for (let next = bin; next < bin + step; next += 1) realised += volumes[next]!;
  }
  return { level, shape, both };
}

function courseOf(volumes: Float64Array, from: number, length: number, profile: VolumeProfile): VolumeCourse {
  const startMs = from * BIN_MS;
  const before = sum(volumes.subarray(from - RECENT_BINS, from));
  const levelBefore = before / VolumeDay.of(profile).between(startMs - PROFILE_RECENT_MS, startMs);
  return { startMs, endMs: startMs + length * BIN_MS, profile, levelBefore };
}

/** Root mean square error of the weighted mean of both forecasts. */
function errorOfMix({ level, shape, both }: ForecastErrors, weight: number): number {
  return Math.sqrt(Math.max(0, level + 2 * weight * both + weight * weight * shape));
}
