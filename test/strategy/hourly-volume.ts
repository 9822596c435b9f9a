import { expect } from 'vitest';
import type { VolumeProfile } from '../../src/domain/intent.js';
import { volumeProfileOf } from '../../src/strategy/volume/profile.js';

/** Days of the recording below. */
export const DAYS = 20;
const BINS_PER_HOUR = 12;

/** Percent of the volume in each hour UTC of a BTC perpetual in January 2022: the mean of twenty days' shares. */
export const HOURLY_PERCENT = [
  3.82, 2.52, 2.35, 3.0, 3.15, 2.53, 2.08, 2.46, 3.4, 3.31, 3.44, 3.64, 3.78, 5.6, 7.76, 7.25, 6.69, 6.03, 5.47, 4.79,
  4.82, 4.63, 3.88, 3.59,
];
/** Volume that smoothing and the cap on bins move between hours, in percent of the day. */
const SMOOTHING_PERCENT = 0.45;

export function hourOf(bin: number): number {
  return Math.floor(bin / BINS_PER_HOUR);
}

export function learn(volumes: Float64Array): VolumeProfile {
  const profile = volumeProfileOf(volumes);
  if (profile === null) throw new Error('there is a profile');
  return profile;
}

function hourlyPercent({ shares }: VolumeProfile): number[] {
  return HOURLY_PERCENT.map((_, hour) => 100 * sum(shares.slice(hour * BINS_PER_HOUR, (hour + 1) * BINS_PER_HOUR)));
}

export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** A part of the day's volume as a profile of some days has it: drawn towards an equal part (adr/0018). */
export function drawn(share: number, equal: number, known: number): number {
  return (known * share + 4 * equal) / (known + 4);
}

/** Checks the shares of the hours in a profile of days as in the recording. */
export function expectHourly(profile: VolumeProfile): void {
  const deviations = hourlyPercent(profile).map((percent, hour) =>
    Math.abs(percent - drawn(HOURLY_PERCENT[hour]!, 100 / 24, DAYS)),
  );
  expect(Math.max(...deviations)).toBeLessThan(SMOOTHING_PERCENT);
}
