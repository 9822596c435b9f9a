import { describe, expect, it } from 'vitest';
import { estimateMean, pairedDifference } from '../../bench/paired-difference.js';
import { Random } from '../../src/sim/prng.js';

function chanceOf(seed: string): () => number {
  const random = new Random(seed);
  return () => random.uniform();
}

describe('the interval of a mean', () => {
  it('is a point when all observations are equal', () => {
    expect(estimateMean([3, 3, 3], chanceOf('alike'))).toEqual({ mean: 3, low: 3, high: 3, count: 3 });
  });

  it('is the same for the same seed, and about 1.96 standard errors on each side', () => {
    const draws = new Random('sample');
    const values = Array.from({ length: 400 }, () => 5 + 2 * draws.normal());
    const estimate = estimateMean(values, chanceOf('one'));
    expect(estimateMean(values, chanceOf('one'))).toEqual(estimate);
    expect((estimate.high - estimate.low) / 2).toBeCloseTo((1.96 * 2) / Math.sqrt(400), 1);
    expect(estimate.low).toBeLessThan(estimate.mean);
    expect(estimate.high).toBeGreaterThan(estimate.mean);
  });

  it('covers the true mean in about 95 of 100 samples', () => {
    const draws = new Random('coverage');
    const uniform = chanceOf('resamples');
    const samples = 300;
    let covered = 0;
    for (let sample = 0; sample < samples; sample += 1) {
      const values = Array.from({ length: 60 }, () => draws.exponential());
      const { low, high } = estimateMean(values, uniform, 400);
      if (low <= 1 && high >= 1) covered += 1;
    }
    expect(covered / samples).toBeGreaterThan(0.89);
    expect(covered / samples).toBeLessThan(0.98);
  });
});

describe('a paired difference', () => {
  it('is significant even where the samples overlap', () => {
    const draws = new Random('pairs');
    const luck = Array.from({ length: 50 }, () => 20 * draws.normal());
    const dear = luck.map((value) => value + 1 + 0.5 * draws.normal());
    const difference = pairedDifference(luck, dear, chanceOf('pairs'));
    expect(difference?.high).toBeLessThan(0);
    expect(difference?.mean).toBeCloseTo(-1, 0);
  });

  it('uses the pairs in which both values are known', () => {
    const difference = pairedDifference([1, null, 5, 2], [0, 7, null, 1], chanceOf('known'));
    expect(difference).toEqual({ mean: 1, low: 1, high: 1, count: 2 });
    expect(pairedDifference([null], [1], chanceOf('none'))).toBeNull();
  });
});
