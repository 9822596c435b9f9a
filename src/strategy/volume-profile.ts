import { assert } from '../model/assert.js';
import { CANDLE_INTERVAL_MS } from '../model/candle.js';
import type { VolumeProfile } from '../model/intent.js';
import type { Lots } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import { VolumeDay } from './volume-day.js';

const BIN_MS = CANDLE_INTERVAL_MS.FIVE_MINUTE;
/** Candles of 5 minutes in a day: the bins of a profile. */
export const BINS_PER_DAY = CANDLE_INTERVAL_MS.ONE_DAY / BIN_MS;
/** A bin's volume counts up to this quantile of them all: a single huge trade does not bend the curve. */
const CAP_QUANTILE = 0.99;
/** A bin is averaged with so many before it and after it. */
const SMOOTHING_BINS = 6;
/** No bin has less than this part of an even share. */
const SHARE_FLOOR = 0.2;

/**
 * How trading was spread over full days: `volumes` has 288 numbers a day from 00:00 UTC, in lots, the days one after the
 * other. null without a day on which anything was traded.
 *
 * The shares of the days are averaged and not their volumes: otherwise one busy day would be the profile. The day is a
 * circle, so that the smoothing goes on round midnight.
 */
export function volumeProfileOf(volumes: Float64Array): VolumeProfile | null {
  const dayCount = volumes.length / BINS_PER_DAY;
  assert(Number.isInteger(dayCount), 'a volume profile is learnt from full days');
  const shares = meanShares(volumes);
  if (shares === null) return null;
  return {
    shares: [...floored(smoothed(shares))],
    dailyVolume: Math.max(1, Math.round(sum(volumes) / dayCount)) as Lots,
  };
}

/**
 * The profile with what the last hours say: `volumes` are those of the bins that end at `untilMs`, one after the other.
 */
export function withRecent(profile: VolumeProfile, volumes: Float64Array, untilMs: EpochMs): VolumeProfile {
  const share = VolumeDay.of(profile).between(untilMs - volumes.length * BIN_MS, untilMs);
  return { ...profile, recentDailyVolume: Math.max(1, Math.round(sum(volumes) / share)) as Lots };
}

/** The mean of the days' shares, days without trades left out; null when there is no other. */
function meanShares(volumes: Float64Array): Float64Array | null {
  const cap = capOf(volumes);
  const shares = new Float64Array(BINS_PER_DAY);
  for (let from = 0; from < volumes.length; from += BINS_PER_DAY) {
    const day = volumes.subarray(from, from + BINS_PER_DAY).map((volume) => Math.min(volume, cap));
    const total = sum(day);
    if (total > 0) day.forEach((volume, bin) => (shares[bin]! += volume / total));
  }
  const tradedDays = sum(shares);
  return tradedDays > 0 ? shares.map((share) => share / tradedDays) : null;
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

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0);
}
