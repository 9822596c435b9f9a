import { expect, test } from 'vitest';
import type { OrderId } from '../../src/domain/ids.js';
import { randomOf } from '../../src/strategy/random.js';

const DRAWS = 20_000;

function drawn(orderId: number): number[] {
  const random = randomOf(orderId as OrderId);
  return Array.from({ length: DRAWS }, (_, k) => random(k));
}

test('the same order and counter always give the same number', () => {
  expect(drawn(4_711)).toEqual(drawn(4_711));
  const random = randomOf(4_711 as OrderId);
  expect([random(0), random(1), random(1_000_000)]).toMatchInlineSnapshot(`
    [
      0.7030006102286279,
      0.935997276334092,
      0.5626722846645862,
    ]
  `);
});

test.each([1, 2, 256, 2 ** 31, 2 ** 32 + 1, 2 ** 53 - 1])('order %d draws uniformly in [0, 1)', (orderId) => {
  const draws = drawn(orderId);
  const tenths = Array.from({ length: 10 }, () => 0);
  expect(draws.every((draw) => draw >= 0 && draw < 1)).toBe(true);
  for (const draw of draws) tenths[Math.floor(draw * 10)]! += 1;
  // Chi-square with 9 degrees of freedom: 33.7 is the 1 in 10,000 bound.
  const chiSquare = tenths.reduce((sum, count) => sum + (count - DRAWS / 10) ** 2 / (DRAWS / 10), 0);
  expect(chiSquare).toBeLessThan(33.7);
});

test('neighbouring counters and neighbouring orders are not correlated', () => {
  const correlation = (left: number[], right: number[]) =>
    left.reduce((sum, value, index) => sum + (value - 0.5) * ((right[index] ?? 0.5) - 0.5), 0) / (DRAWS / 12);
  const draws = drawn(1_000);
  const bound = 4 / Math.sqrt(DRAWS);
  expect(Math.abs(correlation(draws, draws.slice(1)))).toBeLessThan(bound);
  for (const other of [1_001, 1_002, 1_256, 1_000 + 2 ** 32]) {
    expect(Math.abs(correlation(draws, drawn(other)))).toBeLessThan(bound);
  }
});
