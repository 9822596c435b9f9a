import { CANDLE_INTERVAL_MS } from '../model/candle.js';
import type { VolumeProfile } from '../model/intent.js';
import { PROFILE_RECENT_MS } from '../model/limits.js';
import type { Lots } from '../model/quantity.js';
import { levelShare, shapeShare, type VolumeCourse } from './volume-course.js';
import { VolumeDay } from './volume-day.js';
import { BINS_PER_DAY, commonShape, sum, summed } from './volume-shape.js';

const BIN_MS = CANDLE_INTERVAL_MS.FIVE_MINUTE;
const HOUR_BINS = 12;
const RECENT_BINS = PROFILE_RECENT_MS / BIN_MS;
/** Courses of each length begin so often, and each is looked at so many times. */
const START_BINS = 4 * HOUR_BINS;
const LOOKS_COUNT = 12;
const LENGTHS_BINS = [HOUR_BINS, 4 * HOUR_BINS, 12 * HOUR_BINS, 24 * HOUR_BINS] as const;
/** The two days that a course may touch are left out of what it is judged by, and one at least is left. */
const DAYS_MIN = 3;
const WEIGHTS = Array.from({ length: 21 }, (_, step) => step / 20);

/**
 * The weight in 0..1 of the day's shape, the rest being that of the level, with which orders of these days would have
 * missed the average price by least; null while there are too few days to tell. `days` are their shares.
 *
 * An order that is e(t) of itself ahead of the market's volume misses the average price by the sum of e(t) × how the price
 * moves at t: for prices that wander evenly that is proportional, in the mean, to the root of the sum of e². So volumes
 * alone tell the weight, and no price that may have risen by chance does. Each day is judged by what the others say.
 */
export function shapeWeightOf(volumes: Float64Array, days: readonly Float64Array[]): number | null {
  if (days.length < DAYS_MIN) return null;
  const guides = new Guides(volumes, days);
  const misses = WEIGHTS.map(() => 0);
  for (const length of LENGTHS_BINS) {
    const starts = startsOf(volumes, length);
    for (const from of starts) {
      const profile = guides.without(dayOf(from), dayOf(from + length - 1));
      if (profile === null) continue;
      const apart = apartOf(volumes, from, length, profile);
      WEIGHTS.forEach((weight, index) => (misses[index]! += missOf(apart, weight) / starts.length));
    }
  }
  return WEIGHTS[misses.indexOf(Math.min(...misses))] ?? null;
}

function startsOf({ length: end }: Float64Array, length: number): number[] {
  const starts: number[] = [];
  for (let from = RECENT_BINS; from + length <= end; from += START_BINS) starts.push(from);
  return starts;
}

function dayOf(bin: number): number {
  return Math.floor(bin / BINS_PER_DAY);
}

/** What the days say of one another. */
class Guides {
  readonly #days: readonly Float64Array[];
  readonly #shareSums: Float64Array;
  readonly #totals: readonly number[];
  readonly #known = new Map<number, VolumeProfile | null>();

  constructor(volumes: Float64Array, days: readonly Float64Array[]) {
    this.#days = days;
    this.#shareSums = summed(days);
    this.#totals = days.map((_, day) => sum(volumes.subarray(day * BINS_PER_DAY, (day + 1) * BINS_PER_DAY)));
  }

  /** The profile by all days but those from `first` to `last`; null when nothing was traded on them. */
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

/** Mean squares and product over a course: how far the level's forecast is off, and how far the shape's is from it. */
interface Apart {
  readonly level: number;
  readonly shape: number;
  readonly both: number;
}

function apartOf(volumes: Float64Array, from: number, length: number, profile: VolumeProfile): Apart {
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

/** Root of the mean square by which a mix of both forecasts is off. */
function missOf({ level, shape, both }: Apart, weight: number): number {
  return Math.sqrt(Math.max(0, level + 2 * weight * both + weight * weight * shape));
}
