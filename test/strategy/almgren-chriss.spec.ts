import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shareHeld, urgencyOf } from '../../src/strategy/schedule/is.js';
import { costVariance, expectedCost, holdingsOf } from './almgren-chriss-cost.js';

interface Case {
  readonly lambda: number;
  readonly kappa: number;
  readonly theta: number | null;
  readonly x: readonly number[];
  readonly n: readonly number[];
  readonly E: number;
  readonly V: number;
}
interface Table {
  readonly params: { X: number; T: number; N: number; sig: number; eps: number; gam: number; eta: number };
  readonly cases: readonly Case[];
}
const golden = JSON.parse(readFileSync(new URL('golden/almgren_chriss.json', import.meta.url), 'utf8')) as Table & {
  readonly crypto: Table;
};

const near = (got: number, expected: number, scale = Math.abs(expected)): void =>
  expect(Math.abs(got - expected)).toBeLessThanOrEqual(1e-9 * Math.max(scale, 1e-300));

describe.each([
  ['the five-day example of the paper', golden],
  ['four hours of a cryptocurrency', golden.crypto],
] as const)('%s', (_, { params, cases }) => {
  const { X, T, N, sig, eps, gam, eta } = params;
  const model = { sigma: sig, epsilon: eps, eta, gamma: gam };
  const liquidation = { quantity: X, horizon: T, count: N };

  test.each(cases.map((one) => [one.lambda, one] as const))('lambda %d', (lambda, expected) => {
    const kappa = urgencyOf(lambda, model, T / N);
    near(kappa, expected.kappa);
    if (typeof expected.theta === 'number') near(1 / kappa, expected.theta);
    const holdings = holdingsOf(kappa, liquidation);
    expected.x.forEach((held, index) => near(holdings[index] as number, held, X));
    expected.n.forEach((sold, index) => near((holdings[index] as number) - (holdings[index + 1] as number), sold, X));
    near(expectedCost(model, liquidation, kappa), expected.E);
    near(costVariance(model, liquidation, kappa), expected.V);
  });
});

test('a trajectory solved again from any interval stays the same', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 500, noNaN: true }), fc.integer({ min: 1, max: 47 }), (kappa, at) => {
      const whole = holdingsOf(kappa, { quantity: 1, horizon: 1, count: 48 });
      const rest = holdingsOf(kappa, { quantity: whole[at] as number, horizon: 1 - at / 48, count: 48 - at });
      rest.forEach((held, index) => expect(Math.abs(held - (whole[at + index] as number))).toBeLessThan(1e-12));
    }),
  );
});

test('the held share falls from 1 to 0 without overflow at every urgency', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), (kappa) => {
      let last = 1;
      for (let left = 1; left >= 0; left -= 0.01) {
        const share = shareHeld(kappa, left, 1);
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(last + 1e-12);
        last = share;
      }
    }),
  );
});
