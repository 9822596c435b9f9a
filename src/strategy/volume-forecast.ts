import type { VolumeProfile } from '../model/intent.js';
import { VolumeDay } from './volume-day.js';

/** Lots that are expected to be traded between two instants: the day's shape, and what the present level differs from it, fading. */
export function forecastVolume(profile: VolumeProfile, fromMs: number, toMs: number): number {
  const { dailyVolume, recentDailyVolume = dailyVolume } = profile;
  const day = VolumeDay.of(profile);
  return dailyVolume * day.between(fromMs, toMs) + (recentDailyVolume - dailyVolume) * day.betweenFading(fromMs, toMs);
}
