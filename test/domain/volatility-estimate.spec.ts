import { describe, expect, it } from 'vitest';
import type { EpochMs } from '../../src/domain/time.js';
import { VolatilityEstimate } from '../../src/domain/volatility-estimate.js';

const HALF_LIFE_MS = 300_000;

/** An estimate without a first one. */
function unknown(): VolatilityEstimate {
  return new VolatilityEstimate(null, { sampleMs: 1_000, memoryMs: HALF_LIFE_MS / Math.LN2 });
}

/** Adds a mid price each second: returns of the given size, up and down in turn. */
function feed(volatility: VolatilityEstimate, fromMs: number, returns: readonly number[]): void {
  let mid = 1_000_000;
  volatility.observe(mid, fromMs as EpochMs);
  for (const [index, change] of returns.entries()) {
    mid *= Math.exp(index % 2 === 0 ? change : -change);
    volatility.observe(mid, (fromMs + (index + 1) * 1_000) as EpochMs);
  }
}

const A_MINUTE = Math.sqrt(60);

describe('VolatilityEstimate', () => {
  it('is unknown, 0, before the first return', () => {
    const volatility = unknown();
    expect(volatility.perMinute).toBe(0);
    volatility.observe(1_000_000, 1_000 as EpochMs);
    expect(volatility.perMinute).toBe(0);
  });

  it('is the standard deviation of the returns over a minute', () => {
    const volatility = unknown();
    feed(volatility, 1_000, Array<number>(30).fill(1e-4));
    expect(volatility.perMinute).toBeCloseTo(1e-4 * A_MINUTE, 8);
  });

  it('gives the first return no more weight than the next ones', () => {
    const volatility = unknown();
    feed(volatility, 1_000, [20e-4, ...Array<number>(59).fill(1e-4)]);
    const rms = Math.sqrt((20e-4 ** 2 + 59 * 1e-4 ** 2) / 60);
    expect(volatility.perMinute / (rms * A_MINUTE)).toBeGreaterThan(0.9);
    expect(volatility.perMinute / (rms * A_MINUTE)).toBeLessThan(1.01);
  });

  it('halves the weight of the past in five minutes', () => {
    const volatility = unknown();
    feed(volatility, 1_000, [...Array<number>(3_000).fill(3e-4), ...Array<number>(300).fill(1e-4)]);
    const expected = Math.sqrt((0.5 * 3e-4 ** 2 + 0.5 * 1e-4 ** 2) * 60);
    expect(volatility.perMinute / expected).toBeCloseTo(1, 2);
  });

  it('begins with a first estimate, which weighs like a long past', () => {
    const volatility = new VolatilityEstimate(0.03, { sampleMs: 1_000, memoryMs: HALF_LIFE_MS / Math.LN2 });
    const first = 0.03 / Math.sqrt(24 * 60);
    expect(volatility.perMinute).toBeCloseTo(first, 12);
    feed(volatility, 1_000, Array<number>(300).fill(1e-4));
    const expected = Math.sqrt(0.5 * first ** 2 + 0.5 * 1e-4 ** 2 * 60);
    expect(volatility.perMinute / expected).toBeCloseTo(1, 2);
  });

  it('takes no return over a gap that is longer than its memory', () => {
    const volatility = unknown();
    feed(volatility, 1_000, Array<number>(30).fill(1e-4));
    const before = volatility.perMinute;
    volatility.observe(2_000_000, (31_000 + 2 * HALF_LIFE_MS) as EpochMs);
    expect(volatility.perMinute).toBe(before);
    volatility.observe(2_000_000 * Math.exp(1e-4), (32_000 + 2 * HALF_LIFE_MS) as EpochMs);
    expect(volatility.perMinute / before).toBeCloseTo(1, 2);
  });
});
