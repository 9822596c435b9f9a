import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Budgets, RateLimit } from '../../src/http/rate-limit.js';
import type { ApiKeyId } from '../../src/domain/ids.js';

describe('the rate budget of a key', () => {
  it('holds two seconds of its rate and refills evenly', () => {
    const limit = new RateLimit(10);
    const passes = Array.from({ length: 21 }, () => limit.take(1, 0).isWithin);
    expect(passes.filter(Boolean)).toHaveLength(20);
    expect(limit.take(1, 99).isWithin).toBe(false);
    const limitHeaders = '\r\nRateLimit-Limit: 10\r\nRateLimit-Policy: 10;w=1;burst=20';
    expect(limit.take(1, 100)).toEqual({ isWithin: true, limitHeaders, remaining: 0, resetS: 2, retryAfterS: 0 });
    expect(limit.take(1, 100_000).remaining).toBe(19);
  });

  it('gives the seconds until the next request fits', () => {
    const limit = new RateLimit(2);
    limit.take(4, 0);
    expect(limit.take(4, 0)).toMatchObject({ isWithin: false, remaining: 0, retryAfterS: 2 });
    expect(limit.take(4, 2000).isWithin).toBe(true);
  });

  it('accepts a batch larger than the burst when it is full, and owes the rest', () => {
    const limit = new RateLimit(10);
    expect(limit.take(500, 0).isWithin).toBe(true);
    expect(limit.take(1, 48_000).isWithin).toBe(false);
    expect(limit.take(1, 48_100).isWithin).toBe(true);
    expect(limit.take(500, 60_000).isWithin).toBe(true);
  });

  it('never accepts more than burst plus rate, for any sequence of requests', () => {
    const arrivals = fc.array(fc.record({ gapMs: fc.nat(500), count: fc.integer({ min: 1, max: 8 }) }), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(arrivals, fc.integer({ min: 1, max: 50 }), (steps, rate) => {
        const limit = new RateLimit(rate);
        let nowMs = 0;
        let passed = 0;
        let largest = 0;
        for (const { gapMs, count } of steps) {
          nowMs += gapMs;
          largest = Math.max(largest, count);
          if (limit.take(count, nowMs).isWithin) passed += count;
          expect(passed).toBeLessThanOrEqual(Math.max(2 * rate, largest) + (rate * nowMs) / 1000 + 1e-6);
        }
      }),
    );
  });

  it('is separate for each key and kind, and absent when it is off', () => {
    const budgets = new Budgets(1, 0);
    const [one, other] = ['one' as ApiKeyId, 'other' as ApiKeyId];
    expect(budgets.take(one, 'orders', 2, 0)?.isWithin).toBe(true);
    expect(budgets.take(one, 'orders', 1, 0)?.isWithin).toBe(false);
    expect(budgets.take(one, 'cancels', 1, 0)?.isWithin).toBe(true);
    expect(budgets.take(other, 'orders', 1, 0)?.isWithin).toBe(true);
    expect(budgets.take(one, 'reads', 1, 0)).toBeNull();
  });

  it('is forgotten only when it owes no request', () => {
    const budgets = new Budgets(1, 1);
    for (let index = 0; index < 20_000; index++) budgets.take(`idle ${index}` as ApiKeyId, 'orders', 1, 0);
    budgets.take('busy' as ApiKeyId, 'orders', 2, 100_000);
    for (let index = 0; index < 20_000; index++) budgets.take(`more ${index}` as ApiKeyId, 'reads', 1, 100_000);
    expect(budgets.take('busy' as ApiKeyId, 'orders', 1, 100_000)?.isWithin).toBe(false);
  });
});
