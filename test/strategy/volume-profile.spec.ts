import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantViolation } from '../../src/domain/rejection.js';
import type { VolumeProfile } from '../../src/domain/intent.js';
import type { EpochMs } from '../../src/domain/time.js';
import { BINS_PER_DAY, volumeProfileOf, withRecent } from '../../src/strategy/volume/profile.js';

/* MARKET_DATA=… npx vitest run test/strategy/volume-profile also learns from recorded candles in that folder */
const RECORDED = join(process.env['MARKET_DATA'] ?? '', 'candles', 'ftx_BTC-PERP_1m_20211231-20220201.csv.gz');
const RECORDED_FROM_MS = Date.UTC(2022, 0, 1);
const DAYS = 20;
const BIN_MS = 300_000;
const BINS_PER_HOUR = 12;

/** Percent of the volume in each hour UTC of a BTC perpetual in January 2022: the mean of twenty days' shares. */
const HOURLY_PERCENT = [
  3.82, 2.52, 2.35, 3.0, 3.15, 2.53, 2.08, 2.46, 3.4, 3.31, 3.44, 3.64, 3.78, 5.6, 7.76, 7.25, 6.69, 6.03, 5.47, 4.79,
  4.82, 4.63, 3.88, 3.59,
];
/** Volume that smoothing and the cap on bins move between hours, in percent of the day. */
const SMOOTHING_PERCENT = 0.45;

function days(count: number, volumeOf: (bin: number, day: number) => number): Float64Array {
  return Float64Array.from({ length: count * BINS_PER_DAY }, (_, at) =>
    volumeOf(at % BINS_PER_DAY, Math.floor(at / BINS_PER_DAY)),
  );
}

function hourOf(bin: number): number {
  return Math.floor(bin / BINS_PER_HOUR);
}

function isMorning(bin: number): boolean {
  return bin < BINS_PER_DAY / 2;
}

function learn(volumes: Float64Array): VolumeProfile {
  const profile = volumeProfileOf(volumes);
  if (profile === null) throw new Error('there is a profile');
  return profile;
}

function hourlyPercent({ shares }: VolumeProfile): number[] {
  return HOURLY_PERCENT.map((_, hour) => 100 * sum(shares.slice(hour * BINS_PER_HOUR, (hour + 1) * BINS_PER_HOUR)));
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** A part of the day's volume as a profile of some days has it: drawn towards an equal part (adr/0069). */
function drawn(share: number, equal: number, known: number): number {
  return (known * share + 4 * equal) / (known + 4);
}

/** Volume before noon beyond one half, after days with most of it then. */
function lean(known: number): number {
  const { shares } = learn(days(known, (bin) => (isMorning(bin) ? 90 : 10)));
  return sum(shares.slice(0, BINS_PER_DAY / 2)) - 0.5;
}

function expectHourly(profile: VolumeProfile): void {
  const deviations = hourlyPercent(profile).map((percent, hour) =>
    Math.abs(percent - drawn(HOURLY_PERCENT[hour]!, 100 / 24, DAYS)),
  );
  expect(Math.max(...deviations)).toBeLessThan(SMOOTHING_PERCENT);
}

describe('a volume profile', () => {
  it('has the common shape of days with different totals', () => {
    expectHourly(learn(days(DAYS, (bin, day) => 1_000 * (1 + (day % 5)) * HOURLY_PERCENT[hourOf(bin)]!)));
  });

  it('averages shares: a day with a hundred times the volume has the same weight', () => {
    const [quiet, wild] = [
      { morning: 30, evening: 10 },
      { morning: 1_000, evening: 3_000 },
    ];
    const volumes = days(2, (bin, day) => (day === 0 ? quiet : wild)[isMorning(bin) ? 'morning' : 'evening']);
    const { shares } = learn(volumes);
    expect(sum(shares.slice(0, BINS_PER_DAY / 2))).toBeCloseTo(0.5, 9);
  });

  it('is drawn towards the flat day, the more the fewer days are known', () => {
    const whole = (lean(20) * 24) / 20;
    expect(whole).toBeGreaterThan(0.36);
    for (const known of [1, 2, 4]) expect(lean(known)).toBeCloseTo((known / (known + 4)) * whole, 9);
  });

  it('is flat after flat days, and has their mean volume per day', () => {
    const { shares, dailyVolume } = learn(days(3, (_, day) => 10 * (day + 1)));
    for (const share of shares) expect(share).toBeCloseTo(1 / BINS_PER_DAY, 12);
    expect(dailyVolume).toBe(20 * BINS_PER_DAY);
  });

  it('is not distorted by one very large trade', () => {
    const volumes = days(DAYS, () => 100);
    volumes[5 * BINS_PER_DAY + 100] = 1e9;
    for (const share of learn(volumes).shares) expect(share).toBeCloseTo(1 / BINS_PER_DAY, 12);
  });

  it('smooths over an hour, around midnight too, and keeps each bin above a fifth of an even share', () => {
    const { shares } = learn(days(1, (bin) => (bin < 3 ? 1_000 : 0)));
    const busy = shares.flatMap((share, bin) => (share > 1 / BINS_PER_DAY ? [bin] : []));
    expect(busy).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 282, 283, 284, 285, 286, 287]);
    expect(Math.max(...shares)).toBe(shares[1]);
    const floor = 0.2 / BINS_PER_DAY;
    // Raising the other bins to the floor makes the sum exceed 1, so all are scaled down.
    const raised = 1 + (BINS_PER_DAY - busy.length) * floor;
    expect(Math.min(...shares)).toBeCloseTo(drawn(floor / raised, 1 / BINS_PER_DAY, 1), 12);
  });

  it('leaves out days without trades, and is null without any other day', () => {
    const volumes = days(2, (bin, day) => (day === 0 ? 0 : 100 + 200 * (bin % 2)));
    expect(learn(volumes).shares).toEqual(learn(volumes.subarray(BINS_PER_DAY)).shares);
    expect(volumeProfileOf(days(2, () => 0))).toBeNull();
    expect(volumeProfileOf(new Float64Array(0))).toBeNull();
  });

  it('converts the volume of the last hours to a daily level, independent of the time of day', () => {
    const profile = learn(days(3, (bin) => (bin < BINS_PER_DAY / 2 ? 50 : 5)));
    const untilMs = (RECORDED_FROM_MS + 10 * 3_600_000) as EpochMs;
    const twice = withRecent(profile, new Float64Array(48).fill(100), untilMs);
    expect(twice).toMatchObject({ shares: profile.shares, dailyVolume: 7_920 });
    const share = drawn(48 * (50 / 7_920), 48 / BINS_PER_DAY, 3);
    expect(Math.abs((twice.recentDailyVolume ?? 0) / (4_800 / share) - 1)).toBeLessThan(0.01);
    expect(withRecent(profile, new Float64Array(48), untilMs).recentDailyVolume).toBe(1);
  });

  it('is learnt from full days', () => {
    expect(() => volumeProfileOf(new Float64Array(BINS_PER_DAY + 1))).toThrow(InvariantViolation);
  });

  it('adds up to 1 and stays above the floor for any volumes', () => {
    const volumes = fc.array(fc.oneof(fc.constant(0), fc.nat(1e6)), {
      minLength: 2 * BINS_PER_DAY,
      maxLength: 2 * BINS_PER_DAY,
    });
    fc.assert(
      fc.property(volumes, (given) => {
        const profile = volumeProfileOf(Float64Array.from(given));
        if (profile === null) return;
        expect(profile.shares).toHaveLength(BINS_PER_DAY);
        expect(sum(profile.shares)).toBeCloseTo(1, 9);
        expect(Math.min(...profile.shares)).toBeGreaterThan(0.15 / BINS_PER_DAY);
      }),
      { numRuns: 50 },
    );
  });

  it.skipIf(!existsSync(RECORDED))('has the known hourly shares of recorded days', () => {
    const [, ...rows] = gunzipSync(readFileSync(RECORDED)).toString().trim().split('\n');
    const volumes = new Float64Array(DAYS * BINS_PER_DAY);
    for (const row of rows) {
      const [time = '', , , , close, turnover] = row.split(',');
      const bin = Math.floor((Date.parse(`${time.slice(0, 19).replace(' ', 'T')}Z`) - RECORDED_FROM_MS) / BIN_MS);
      if (bin >= 0 && bin < volumes.length) volumes[bin]! += Number(turnover) / Number(close);
    }
    const profile = learn(volumes);
    expectHourly(profile);
    expect(profile.dailyVolume).toBeCloseTo(77_396, -2);
  });
});
