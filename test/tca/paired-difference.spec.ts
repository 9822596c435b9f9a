import { describe, expect, it } from 'vitest';
import {
  estimateMean,
  holm,
  joined,
  meanOf,
  type Observation,
  pairedDifference,
} from '../../bench/paired-difference.js';
import { Random } from '../../src/sim/prng.js';
import { runs } from '../runs.js';

function chanceOf(seed: string): () => number {
  const random = new Random(seed);
  return () => random.uniform();
}

function at(value: number, index: number): Observation {
  return { value, cluster: String(index) };
}

/** Each value is a cluster of its own. */
function apart(values: readonly number[]): Observation[] {
  return values.map(at);
}

const CLUSTERS = 8;
const SAMPLES = runs(800, 10_000);
const RESAMPLES = 399;

/** Percent of samples whose interval contains the true mean 0. */
function coverage(seed: string, draw: (random: Random) => Observation[]): number {
  const random = new Random(`sample/${seed}`);
  const uniform = chanceOf(`resamples/${seed}`);
  let covered = 0;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const { low, high } = estimateMean(draw(random), uniform, RESAMPLES);
    if (low <= 0 && high >= 0) covered += 1;
  }
  return (100 * covered) / SAMPLES;
}

function sampleOf(value: (random: Random) => number): (random: Random) => Observation[] {
  return (random) => apart(Array.from({ length: CLUSTERS }, () => value(random)));
}

/** Student's t with 3 degrees of freedom: its fourth moment is infinite. */
function student3(random: Random): number {
  const squares = random.normal() ** 2 + random.normal() ** 2 + random.normal() ** 2;
  return random.normal() / Math.sqrt(squares / 3);
}

describe('the interval of a mean', () => {
  it('is a point when all observations are equal', () => {
    expect(estimateMean(apart([3, 3, 3]), chanceOf('alike'))).toMatchObject({ mean: 3, low: 3, high: 3, count: 3 });
  });

  it('is the same for the same seed, and about 1.96 standard errors on each side', () => {
    const draws = new Random('sample');
    const values = apart(Array.from({ length: 400 }, () => 5 + 2 * draws.normal()));
    const estimate = estimateMean(values, chanceOf('one'));
    expect(estimateMean(values, chanceOf('one'))).toEqual(estimate);
    expect((estimate.high - estimate.low) / 2).toBeCloseTo((1.96 * 2) / Math.sqrt(400), 1);
    expect(estimate.low).toBeLessThan(estimate.mean);
    expect(estimate.high).toBeGreaterThan(estimate.mean);
  });

  // The standard error of each coverage of 10,000 samples is 0.25. The interval of Student's t covers 89 of 100
  // exponential samples, the percentile bootstrap 84.
  it.each([
    ['normal', (random: Random) => random.normal(), 95, 94.95],
    ['skewed (exponential, skewness 2)', (random: Random) => random.exponential() - 1, 93.25, 93.85],
    ['heavy-tailed (Student t, 3 degrees of freedom)', student3, 93, 93.11],
  ])('covers the true mean in 93 to 97 of 100 samples of 8: %s', (name, value, sampled, stated) => {
    const found = coverage(name, sampleOf(value));
    expect(found).toBeGreaterThanOrEqual(93);
    expect(found).toBeLessThanOrEqual(97);
    expect(found).toBeCloseTo(runs(sampled, stated), 1);
  });

  it('covers fewer where the skewness is 6: log-normal', () => {
    const found = coverage(
      'log-normal',
      sampleOf((random) => Math.exp(random.normal()) - Math.exp(0.5)),
    );
    expect(found).toBeCloseTo(runs(91.75, 90.18), 1);
  });

  it('covers it also with 8 clusters of one to three dependent observations', () => {
    const found = coverage('clusters', (random) =>
      Array.from({ length: CLUSTERS }, (_, cluster) => {
        const common = random.normal();
        const size = 1 + (cluster % 3);
        return Array.from({ length: size }, () => ({
          value: common + 0.3 * random.normal(),
          cluster: String(cluster),
        }));
      }).flat(),
    );
    expect(found).toBeGreaterThanOrEqual(93);
    expect(found).toBeLessThanOrEqual(97);
  });

  it('counts repeated observations of a cluster as one', () => {
    const values = [1, 4, -2, 6, 3, 5, 0, 2];
    const once = estimateMean(apart(values), chanceOf('once'));
    const thrice = estimateMean([...apart(values), ...apart(values), ...apart(values)], chanceOf('once'));
    expect(thrice).toEqual({ ...once, count: 24, low: expect.closeTo(once.low), high: expect.closeTo(once.high) });
    expect(once.clusters).toBe(8);
  });

  it('has no bounds with a single cluster', () => {
    const alone = [1, 2, 3].map((value) => ({ value, cluster: 'minute' }));
    expect(estimateMean(alone, chanceOf('alone'))).toMatchObject({ mean: 2, low: -Infinity, high: Infinity, p: 1 });
  });

  it('has a p-value below 5 % exactly when it excludes 0', () => {
    const draws = new Random('duality');
    for (let sample = 0; sample < 200; sample += 1) {
      const values = apart(Array.from({ length: CLUSTERS }, () => 0.8 + draws.normal()));
      const { low, high, p } = estimateMean(values, chanceOf(`duality ${sample}`), RESAMPLES);
      // At the bound itself the draws tie.
      if (Math.abs(p - 0.05) > 0.003) expect(p < 0.05).toBe(low > 0 || high < 0);
    }
  });

  it('weighs observations', () => {
    const weighed = [
      { value: 1, cluster: 'a', weight: 3 },
      { value: 5, cluster: 'b', weight: 1 },
      { value: 100, cluster: 'c', weight: 0 },
    ];
    expect(estimateMean(weighed, chanceOf('weights'))).toMatchObject({ mean: 2, clusters: 2, count: 3 });
    expect(meanOf([1, 5], [3, 1])).toBe(2);
  });
});

describe('a paired difference', () => {
  it('is significant even where the samples overlap', () => {
    const draws = new Random('pairs');
    const luck = Array.from({ length: 50 }, () => 20 * draws.normal());
    const dear = luck.map((value) => value + 1 + 0.5 * draws.normal());
    const difference = pairedDifference(apart(luck), apart(dear), chanceOf('pairs'));
    expect(difference?.high).toBeLessThan(0);
    expect(difference?.mean).toBeCloseTo(-1, 0);
  });

  it('uses the pairs in which both values are known', () => {
    const one = [at(1, 0), null, at(5, 2), at(2, 3)];
    const difference = pairedDifference(one, [at(0, 0), at(7, 1), null, at(1, 3)], chanceOf('known'));
    expect(difference).toMatchObject({ mean: 1, low: 1, high: 1, count: 2, clusters: 2 });
    expect(pairedDifference([null], [at(1, 0)], chanceOf('none'))).toBeNull();
  });
});

describe('several comparisons', () => {
  it('have the p-values of Holm', () => {
    // Steps: 4 · 0.005, 3 · 0.01, then 2 · 0.03, and never below the one before.
    expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02].map((p) => expect.closeTo(p, 12)));
    expect(holm([0.9, 0.8])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });

  it('report a false finding in at most about 5 of 100 families', () => {
    const draws = new Random('families');
    const uniform = chanceOf('families');
    let wrong = 0;
    const families = runs(40, 200);
    for (let family = 0; family < families; family += 1) {
      const ps = Array.from({ length: 10 }, () => {
        const values = apart(Array.from({ length: CLUSTERS }, () => draws.normal()));
        return estimateMean(values, uniform, 1_999).p;
      });
      if (holm(ps).some((p) => p < 0.05)) wrong += 1;
    }
    expect(wrong / families).toBeLessThan(0.1);
  });
});

describe('joined windows', () => {
  it('are those with a common minute, directly or through others', () => {
    const [a, b, c, d] = joined([['23:58', '23:59'], ['23:59', '00:00'], ['00:01'], ['00:00']]);
    expect(b).toBe(a);
    expect(d).toBe(a);
    expect(c).not.toBe(a);
  });
});
