import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DurationMs, EpochMs } from '../../../src/model/time.js';
import { RateGate } from '../../../src/venue/budget/rate-gate.js';
import type { RequestRate } from '../../../src/venue/listing/index.js';

const START_MS = 1_800_000_000_000;

function rate(count: number, perMs: number): RequestRate {
  return { count, perMs: perMs as DurationMs };
}

function take(gate: RateGate, ms: number, isPressing = true): boolean {
  return gate.take((START_MS + ms) as EpochMs, isPressing);
}

it('never lets more than its count through in a span of its length, wherever that begins', () => {
  const rates = fc.record({ count: fc.integer({ min: 1, max: 50 }), perMs: fc.integer({ min: 1, max: 10_000 }) });
  const arrivals = fc.array(fc.tuple(fc.nat(400), fc.boolean()), { maxLength: 300 });
  fc.assert(
    fc.property(rates, arrivals, ({ count, perMs }, gaps) => {
      const gate = new RateGate(rate(count, perMs));
      const passed: number[] = [];
      let ms = 0;
      for (const [gapMs, isPressing] of gaps) {
        ms += gapMs;
        if (take(gate, ms, isPressing)) passed.push(ms);
      }
      for (const [index, from] of passed.entries()) {
        const within = passed.slice(index).filter((at) => at < from + perMs);
        expect(within.length).toBeLessThanOrEqual(count);
      }
    }),
  );
});

it('lets a fifth of its count go at once, and the rest evenly', () => {
  const gate = new RateGate(rate(100, 10_000));
  let passed = 0;
  while (take(gate, 0)) passed += 1;
  expect(passed).toBe(20);
  expect(gate.freeAtMs(true)).toBe(START_MS + 125);
  expect([take(gate, 124), take(gate, 125), take(gate, 125)]).toEqual([false, true, false]);
});

it('keeps a quarter of that for what is pressing', () => {
  const gate = new RateGate(rate(100, 10_000));
  let common = 0;
  while (take(gate, 0, false)) common += 1;
  let pressing = 0;
  while (take(gate, 0, true)) pressing += 1;
  expect([common, pressing]).toEqual([15, 5]);
});

it('of one request at a time is a wait of the whole span', () => {
  const gate = new RateGate(rate(1, 5_000));
  expect([take(gate, 0), take(gate, 4_999), take(gate, 5_000, false)]).toEqual([true, false, true]);
});

it('says when it opens: then it does, and not before', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 60_000 }), fc.boolean(), (...drawn) => {
      const [count, perMs, isPressing] = drawn;
      const gate = new RateGate(rate(count, perMs));
      while (take(gate, 0, isPressing));
      const opensAtMs = gate.freeAtMs(isPressing) - START_MS;
      expect(opensAtMs).toBeGreaterThan(0);
      expect([take(gate, opensAtMs - 1, isPressing), take(gate, opensAtMs, isPressing)]).toEqual([false, true]);
    }),
  );
});
