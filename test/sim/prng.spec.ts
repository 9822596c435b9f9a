import { describe, expect, test } from 'vitest';
import { Random } from '../../src/sim/prng.js';

const DRAWS = 100_000;

function moments(draw: () => number): { mean: number; variance: number } {
  const draws = Array.from({ length: DRAWS }, draw);
  const mean = draws.reduce((sum, each) => sum + each, 0) / DRAWS;
  return { mean, variance: draws.reduce((sum, each) => sum + (each - mean) ** 2, 0) / DRAWS };
}

function draws(seed: string): number[] {
  const random = new Random(seed);
  return Array.from({ length: 10 }, () => random.uniform());
}

describe('random draws', () => {
  test('repeat for the same seed and differ for another', () => {
    expect(draws('1/BINANCE/BTC/USDT')).toEqual(draws('1/BINANCE/BTC/USDT'));
    expect(draws('1/BINANCE/BTC/USDT')).not.toEqual(draws('2/BINANCE/BTC/USDT'));
  });

  const random = new Random('moments');
  test.each([
    ['uniform', () => random.uniform(), 1 / 2, 1 / 12],
    ['normal', () => random.normal(), 0, 1],
    ['exponential', () => random.exponential(), 1, 1],
    ['few arrivals', () => random.poisson(0.3), 0.3, 0.3],
    ['many arrivals', () => random.poisson(200), 200, 200],
  ])('%s has the right mean and variance', (_name, draw, mean, variance) => {
    const found = moments(draw);
    expect(Math.abs(found.mean - mean)).toBeLessThan(0.02 * Math.sqrt(variance));
    expect(found.variance / variance).toBeGreaterThan(0.97);
    expect(found.variance / variance).toBeLessThan(1.03);
  });
});
