import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DurationMs, EpochMs } from '../../../src/domain/time.js';
import { RequestBucket } from '../../../src/venue/throttle/request-rates.js';
import type { RequestRate } from '../../../src/venue/listing/exchange-listing.js';

const START_MS = 1_800_000_000_000;

function rate(count: number, perMs: number): RequestRate {
  return { count, perMs: perMs as DurationMs };
}

function take(bucket: RequestBucket, ms: number, isUrgent = true): boolean {
  return bucket.take((START_MS + ms) as EpochMs, isUrgent);
}

it('never passes more than its count in any span of its length', () => {
  const rates = fc.record({ count: fc.integer({ min: 1, max: 50 }), perMs: fc.integer({ min: 1, max: 10_000 }) });
  const arrivals = fc.array(fc.tuple(fc.nat(400), fc.boolean()), { maxLength: 300 });
  fc.assert(
    fc.property(rates, arrivals, ({ count, perMs }, gaps) => {
      const bucket = new RequestBucket(rate(count, perMs));
      const passed: number[] = [];
      let ms = 0;
      for (const [gapMs, isUrgent] of gaps) {
        ms += gapMs;
        if (take(bucket, ms, isUrgent)) passed.push(ms);
      }
      for (const [index, from] of passed.entries()) {
        const within = passed.slice(index).filter((at) => at < from + perMs);
        expect(within.length).toBeLessThanOrEqual(count);
      }
    }),
  );
});

it('passes a fifth of its count at once and the rest evenly', () => {
  const bucket = new RequestBucket(rate(100, 10_000));
  let passed = 0;
  while (take(bucket, 0)) passed += 1;
  expect(passed).toBe(20);
  expect(bucket.freeAtMs(true)).toBe(START_MS + 125);
  expect([take(bucket, 124), take(bucket, 125), take(bucket, 125)]).toEqual([false, true, false]);
});

it('keeps a quarter of the burst for urgent requests', () => {
  const bucket = new RequestBucket(rate(100, 10_000));
  let common = 0;
  while (take(bucket, 0, false)) common += 1;
  let urgent = 0;
  while (take(bucket, 0, true)) urgent += 1;
  expect([common, urgent]).toEqual([15, 5]);
});

it('waits the whole span between requests when the count is one', () => {
  const bucket = new RequestBucket(rate(1, 5_000));
  expect([take(bucket, 0), take(bucket, 4_999), take(bucket, 5_000, false)]).toEqual([true, false, true]);
});

it('passes a request exactly at the announced time and not before', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 60_000 }), fc.boolean(), (...drawn) => {
      const [count, perMs, isUrgent] = drawn;
      const bucket = new RequestBucket(rate(count, perMs));
      while (take(bucket, 0, isUrgent));
      const opensAtMs = bucket.freeAtMs(isUrgent) - START_MS;
      expect(opensAtMs).toBeGreaterThan(0);
      expect([take(bucket, opensAtMs - 1, isUrgent), take(bucket, opensAtMs, isUrgent)]).toEqual([false, true]);
    }),
  );
});
