import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvariantViolation } from '../../src/domain/rejection.js';
import type { EpochMs } from '../../src/domain/time.js';
import { BINS_PER_DAY, volumeProfileOf, withRecent } from '../../src/strategy/volume/profile.js';
import { DAYS, drawn, expectHourly, HOURLY_PERCENT, hourOf, learn, sum } from './hourly-volume.js';

const MIDNIGHT_MS = Date.UTC(2022, 0, 1);

function days(count: number, volumeOf: (bin: number, day: number) => number): Float64Array {
  return Float64Array.from({ length: count * BINS_PER_DAY }, (_, at) =>
    volumeOf(at % BINS_PER_DAY, Math.floor(at / BINS_PER_DAY)),
  );
}

function isMorning(bin: number): boolean {
  return bin < BINS_PER_DAY / 2;
}

/** Volume before noon beyond one half, after days with most of it then. */
function lean(known: number): number {
  const { shares } = learn(days(known, (bin) => (isMorning(bin) ? 90 : 10)));
  return sum(shares.slice(0, BINS_PER_DAY / 2)) - 0.5;
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
    const untilMs = (MIDNIGHT_MS + 10 * 3_600_000) as EpochMs;
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
});
