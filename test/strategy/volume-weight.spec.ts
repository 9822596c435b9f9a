import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BINS_PER_DAY, ProfileLearning, volumeProfileOf } from '../../src/strategy/volume/profile.js';
import { Chance } from '../simulation/chance.js';

const DAYS = 20;

/** Learns the weight from volumes, bin by bin. */
function weightOf(days: number, volumeOf: (bin: number, day: number) => number): number | undefined {
  const volumes = Float64Array.from({ length: days * BINS_PER_DAY }, (_, at) =>
    volumeOf(at % BINS_PER_DAY, Math.floor(at / BINS_PER_DAY)),
  );
  return volumeProfileOf(volumes)?.shapeWeight;
}

/** Three times as much volume in the afternoon as in the morning. */
function shapeAt(bin: number): number {
  return bin < BINS_PER_DAY / 2 ? 100 : 300;
}

describe('the weight of the shape', () => {
  test('is high when only the totals of the days differ, because realised volume does not change the course', () => {
    const chance = new Chance(1);
    const levels = Array.from({ length: DAYS }, () => chance.skewed(10, 1_000));
    expect(weightOf(DAYS, (bin, day) => shapeAt(bin) * levels[day]!)).toBeGreaterThanOrEqual(0.8);
  });

  test('is low when only the bins differ, because realised volume is known and the rest is average', () => {
    const chance = new Chance(2);
    expect(weightOf(DAYS, (bin) => Math.round(shapeAt(bin) * chance.skewed(1, 1_000)))).toBeLessThanOrEqual(0.2);
  });

  test('is unknown with fewer than three days, and ignores a day without trades', () => {
    expect(weightOf(2, shapeAt)).toBeUndefined();
    const weight = weightOf(4, (bin, day) => (day === 1 ? 0 : shapeAt(bin) + (bin % 7)));
    expect(weight).toBeGreaterThanOrEqual(0);
    expect(weight).toBeLessThanOrEqual(1);
  });
});

/** Days that differ in their totals, by `spread`, and in their bins. */
function volumesOf(seed: number, days: number, spread: number): Float64Array {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Float64Array.from({ length: days * BINS_PER_DAY }, (_, at) => {
    const level = 1 + ((Math.floor(at / BINS_PER_DAY) * 7_919) % 13) * spread;
    return Math.floor(level * shapeAt(at % BINS_PER_DAY) * (0.5 + next()));
  });
}

describe('a profile that is learnt in steps', () => {
  test('equals the profile that is learnt at once, for any length of the steps', () => {
    const spreads = fc.constantFrom(0.05, 0.3, 1, 2);
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 1, max: 20 }),
        spreads,
        fc.nat({ max: 40 }),
        (seed, days, spread, max) => {
          const volumes = volumesOf(seed, days, spread);
          const learning = new ProfileLearning(volumes);
          while (!learning.isDone) learning.step(1 + max);
          expect(learning.profile).toEqual(volumeProfileOf(volumes));
        },
      ),
      { numRuns: 50 },
    );
  });

  // Recorded with the study in one step.
  test.each([
    [1, 20, 1, 0.6, 399_785, '4f402ccc733e39a5'],
    [2, 20, 0.05, 0.3, 74_840, '1e890a4948ae8f82'],
    [3, 7, 0.3, 0.65, 160_153, '1cbf80ba522a48bd'],
    [4, 3, 2, 0.6, 295_477, '301b5e1d3b51eb0c'],
    [5, 2, 1, undefined, 116_384, 'd6fb1ca7ceaf3fae'],
  ])('has the recorded weight, volume and shares of seed %i', (seed, days, spread, weight, dailyVolume, digest) => {
    const profile = volumeProfileOf(volumesOf(seed, days, spread));
    const shares = createHash('sha256').update(new Float64Array(profile?.shares ?? []));
    expect(profile).toMatchObject({ dailyVolume });
    expect([profile?.shapeWeight, shares.digest('hex').slice(0, 16)]).toEqual([weight, digest]);
  });
});
