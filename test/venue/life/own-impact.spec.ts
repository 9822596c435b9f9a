import { describe, expect, test } from 'vitest';
import { IMPACT_HALF_LIFE_MS, OwnImpact } from '../../../src/venue/life/own-impact.js';

const MARKET = { dailyVolatility: 0.04, dailyTurnover: 1_000_000 };
const START_MS = 1_000_000;

function after(lots: number, ms: number): number {
  const impact = new OwnImpact(MARKET);
  impact.note('BUY', lots, START_MS);
  return impact.at(START_MS + ms);
}

describe('what we take', () => {
  test('moves the price its way, with the square root of its size', () => {
    expect(after(100, 0)).toBeCloseTo(0.4 * 0.04 * Math.sqrt(100 / 1_000_000), 12);
    expect(after(400, 0) / after(100, 0)).toBeCloseTo(2, 9);
    const impact = new OwnImpact(MARKET);
    impact.note('SELL', 100, START_MS);
    expect(impact.at(START_MS)).toBe(-after(100, 0));
  });

  test('counts as one, however it is cut', () => {
    const impact = new OwnImpact(MARKET);
    for (let part = 0; part < 10; part += 1) impact.note('BUY', 10, START_MS);
    expect(impact.at(START_MS)).toBeCloseTo(after(100, 0), 12);
  });

  test('counts half as much after each half-life, and is forgotten in the end', () => {
    expect(after(200, IMPACT_HALF_LIFE_MS)).toBeCloseTo(after(100, 0), 12);
    expect(after(100, 30 * IMPACT_HALF_LIFE_MS)).toBe(0);
  });

  test('cancels out when it is sold again at once', () => {
    const impact = new OwnImpact(MARKET);
    impact.note('BUY', 100, START_MS);
    impact.note('SELL', 100, START_MS);
    expect(impact.at(START_MS)).toBe(0);
  });
});
