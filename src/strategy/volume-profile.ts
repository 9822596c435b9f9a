import { assert } from '../model/assert.js';
import { CANDLE_INTERVAL_MS } from '../model/candle.js';
import type { VolumeProfile } from '../model/intent.js';
import type { Lots } from '../model/quantity.js';
import { VolumeDay } from './volume-day.js';
import { BINS_PER_DAY, commonShape, dailyShares, sum, summed } from './volume-shape.js';
import { shapeWeightOf } from './volume-weight.js';

/**
 * How trading was spread over full days, and how far that is a guide to another day: `volumes` has 288 numbers a day from
 * 00:00 UTC, in lots, the days one after the other. null without a day on which anything was traded.
 */
export function volumeProfileOf(volumes: Float64Array): VolumeProfile | null {
  const dayCount = volumes.length / BINS_PER_DAY;
  assert(Number.isInteger(dayCount), 'a volume profile is learnt from full days');
  const days = dailyShares(volumes);
  const shape = commonShape(summed(days));
  if (shape === null) return null;
  const shapeWeight = shapeWeightOf(volumes, days);
  return {
    shares: [...shape],
    dailyVolume: lotsOf(sum(volumes) / dayCount),
    ...(shapeWeight !== null && { shapeWeight }),
  };
}

/**
 * The profile with what the last hours say: `volumes` are those of the bins that end at `untilMs`, one after the other.
 */
export function withRecent(profile: VolumeProfile, volumes: Float64Array, untilMs: number): VolumeProfile {
  const fromMs = untilMs - volumes.length * CANDLE_INTERVAL_MS.FIVE_MINUTE;
  const share = VolumeDay.of(profile).between(fromMs, untilMs);
  return { ...profile, recentDailyVolume: lotsOf(sum(volumes) / share) };
}

function lotsOf(volume: number): Lots {
  return Math.max(1, Math.round(volume)) as Lots;
}
