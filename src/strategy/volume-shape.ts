import { CANDLE_INTERVAL_MS } from '../model/candle.js';

/** Candles of 5 minutes in a day: the bins of a profile. */
export const BINS_PER_DAY = CANDLE_INTERVAL_MS.ONE_DAY / CANDLE_INTERVAL_MS.FIVE_MINUTE;
/** A bin's volume counts up to this quantile of them all: a single huge trade does not bend the curve. */
const CAP_QUANTILE = 0.99;
/** A bin is averaged with so many before it and after it. */
const SMOOTHING_BINS = 6;
/** No bin has less than this part of an even share. */
const SHARE_FLOOR = 0.2;

/**
 * The shares of each day, one after the other: 288 numbers that add up to 1, or are all 0 for a day without trades.
 * `volumes` has 288 numbers a day.
 */
export function dailyShares(volumes: Float64Array): Float64Array[] {
  const cap = capOf(volumes);
  const days: Float64Array[] = [];
  for (let from = 0; from < volumes.length; from += BINS_PER_DAY) {
    const day = volumes.subarray(from, from + BINS_PER_DAY).map((volume) => Math.min(volume, cap));
    const total = sum(day);
    days.push(total > 0 ? day.map((volume) => volume / total) : day);
  }
  return days;
}

/** The shares of all days, bin by bin. */
export function summed(days: readonly Float64Array[]): Float64Array {
  const sums = new Float64Array(BINS_PER_DAY);
  for (const day of days) for (let bin = 0; bin < BINS_PER_DAY; bin += 1) sums[bin]! += day[bin]!;
  return sums;
}

/**
 * The shape that days have in common whose shares add up to these: their mean, smoothed, none below a floor; null when
 * nothing was traded on any of them. The shares are averaged and not the volumes: otherwise one busy day would be the
 * shape. The day is a circle, so that the smoothing goes on round midnight.
 */
export function commonShape(shareSums: Float64Array): Float64Array | null {
  // A day counts 1 or nothing, but for rounding.
  const tradedDays = sum(shareSums);
  return tradedDays > 0.5 ? floored(smoothed(shareSums.map((share) => share / tradedDays))) : null;
}

/** The volume that CAP_QUANTILE of the bins do not exceed, at least a lot. */
function capOf(volumes: Float64Array): number {
  const rank = Math.ceil(CAP_QUANTILE * volumes.length);
  return Math.max(1, volumes.toSorted()[rank - 1] ?? 0);
}

/** Each bin with its neighbours, by a sum that moves on. */
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

/** No share below the floor, and all of them 1 together. */
function floored(shares: Float64Array): Float64Array {
  const least = SHARE_FLOOR / BINS_PER_DAY;
  const raised = shares.map((share) => Math.max(share, least));
  const total = sum(raised);
  return raised.map((share) => share / total);
}

export function sum(values: Float64Array): number {
  let total = 0;
  for (let index = 0; index < values.length; index += 1) total += values[index]!;
  return total;
}
