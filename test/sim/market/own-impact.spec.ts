import { describe, expect, test } from 'vitest';
import { IMPACT_HALF_LIFE_MS, OwnImpact } from '../../../src/sim/market/market-model.js';

const MARKET = { dailyVolatility: 0.04, dailyTurnover: 1_000_000 };
const START_MS = 1_000_000;

function after(lots: number, ms: number): number {
  const impact = new OwnImpact(MARKET);
  impact.note('BUY', lots, START_MS);
  return impact.at(START_MS + ms);
}

describe('our price impact', () => {
  test('moves the price in our direction with the square root of the quantity', () => {
    expect(after(100, 0)).toBeCloseTo(0.4 * 0.04 * Math.sqrt(100 / 1_000_000), 12);
    expect(after(400, 0) / after(100, 0)).toBeCloseTo(2, 9);
    const impact = new OwnImpact(MARKET);
    impact.note('SELL', 100, START_MS);
    expect(impact.at(START_MS)).toBe(-after(100, 0));
  });

  test('does not depend on how the quantity is divided', () => {
    const impact = new OwnImpact(MARKET);
    for (let part = 0; part < 10; part += 1) impact.note('BUY', 10, START_MS);
    expect(impact.at(START_MS)).toBeCloseTo(after(100, 0), 12);
  });

  test('halves with each half-life and reaches 0', () => {
    expect(after(200, IMPACT_HALF_LIFE_MS)).toBeCloseTo(after(100, 0), 12);
    expect(after(100, 30 * IMPACT_HALF_LIFE_MS)).toBe(0);
  });

  test('cancels out after an immediate opposite trade', () => {
    const impact = new OwnImpact(MARKET);
    impact.note('BUY', 100, START_MS);
    impact.note('SELL', 100, START_MS);
    expect(impact.at(START_MS)).toBe(0);
  });
});
