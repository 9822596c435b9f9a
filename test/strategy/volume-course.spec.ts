import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Lots } from '../../src/domain/quantity.js';
import { shapeShare, shareDue, type VolumeCourse } from '../../src/strategy/volume/course.js';

const HOUR_MS = 3_600_000;
const SHARES = Array.from({ length: 288 }, (_, part) => (part < 144 ? 1 : 2) / 432);

function courseOf(hours: number, levelBefore = 288_000, startMs = 0, shapeWeight = 0.25): VolumeCourse {
  const profile = { shares: SHARES, dailyVolume: 288_000 as Lots, shapeWeight };
  return { startMs, endMs: startMs + hours * HOUR_MS, profile, levelBefore };
}

describe('the share due of a volume course', () => {
  test('follows the shape alone when its weight is 1', () => {
    const course = courseOf(24, 288_000, 0, 1);
    for (const realised of [0, 50_000, 1_000_000]) {
      expect(shareDue(course, { nowMs: 6 * HOUR_MS, realised }, 12 * HOUR_MS)).toBeCloseTo(1 / 3, 12);
    }
  });

  test('equals the shape at any horizon when the volume is as usual', () => {
    const course = courseOf(3);
    for (const hours of [0, 1, 2]) {
      const seen = { nowMs: hours * HOUR_MS, realised: 8_000 * hours };
      expect(shareDue(course, seen, (hours + 1) * HOUR_MS)).toBeCloseTo((hours + 1) / 3, 9);
    }
  });

  test('is the weighted mean of both forecasts', () => {
    const due = (shapeWeight: number): number =>
      shareDue(courseOf(2, 288_000, 0, shapeWeight), { nowMs: HOUR_MS, realised: 32_000 }, HOUR_MS);
    expect(due(0.3)).toBeCloseTo(0.3 * due(1) + 0.7 * due(0), 12);
    const { profile, ...course } = courseOf(2);
    const { shares, dailyVolume } = profile;
    const unknown = { ...course, profile: { shares, dailyVolume } };
    expect(shareDue(unknown, { nowMs: HOUR_MS, realised: 32_000 }, HOUR_MS)).toBeCloseTo(due(0.5), 12);
  });

  test('increases with the realised part of the expected volume', () => {
    const course = courseOf(2);
    const due = (realised: number): number => shareDue(course, { nowMs: HOUR_MS, realised }, HOUR_MS);
    expect(due(4_000)).toBeLessThan(due(8_000));
    expect(due(8_000)).toBeLessThan(due(32_000));
  });

  test('is even at a constant level above the average', () => {
    const course = courseOf(1, 4 * 288_000);
    expect(shareDue(course, { nowMs: HOUR_MS / 2, realised: 16_000 }, HOUR_MS / 2)).toBeCloseTo(0.5, 1);
  });

  test('never falls with time, is within 0..1, and is 1 at the end', () => {
    const drawn = fc.record({
      hours: fc.double({ min: 0.02, max: 48, noNaN: true }),
      startMs: fc.integer({ min: 0, max: 24 * HOUR_MS }),
      levelBefore: fc.double({ min: 1, max: 1e7, noNaN: true }),
      realised: fc.double({ min: 0, max: 1e6, noNaN: true }),
      now: fc.double({ min: 0, max: 1, noNaN: true }),
      until: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(drawn, ({ hours, startMs, levelBefore, realised, now, until }) => {
        const course = courseOf(hours, levelBefore, startMs);
        const lengthMs = course.endMs - startMs;
        const nowMs = startMs + now * lengthMs;
        const due = shareDue(course, { nowMs, realised }, nowMs + (until * (course.endMs - nowMs)) / 2);
        expect(due).toBeGreaterThanOrEqual(0);
        expect(due).toBeLessThanOrEqual(shareDue(course, { nowMs, realised }, course.endMs) + 1e-9);
        expect(shareDue(course, { nowMs, realised }, course.endMs)).toBeCloseTo(1, 9);
        expect(shapeShare(course, course.endMs)).toBe(1);
      }),
    );
  });
});
