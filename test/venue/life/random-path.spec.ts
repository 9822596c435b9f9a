import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { activityAt, firstHalfShare } from '../../../src/venue/life/activity-curve.js';
import { LEAF_MS, RandomPath } from '../../../src/venue/life/random-path.js';

const DAY_MS = 24 * 3600 * 1000;
const START_MS = 20_833 * DAY_MS;
const instant = fc.double({ min: START_MS - 100 * DAY_MS, max: START_MS + 100 * DAY_MS, noNaN: true });

function read(path: RandomPath, ms: number): number[] {
  return [path.valueAt(ms), path.activityUntil(ms)];
}

describe('access', () => {
  test('in any order gives the same path', () => {
    fc.assert(
      fc.property(fc.array(instant, { minLength: 2, maxLength: 30 }), (instants) => {
        const wanderer = new RandomPath('seed');
        const seen = instants.map((ms) => read(wanderer, ms));
        const fresh = instants.map((ms) => read(new RandomPath('seed'), ms));
        expect(seen).toEqual(fresh);
      }),
      { numRuns: 50 },
    );
  });

  test('another seed is another path', () => {
    expect(new RandomPath('one').valueAt(START_MS)).not.toBe(new RandomPath('other').valueAt(START_MS));
  });

  test('the path has no gaps, not even between leaves, days and blocks', () => {
    const path = new RandomPath('gaps');
    for (const boundary of [LEAF_MS * 1024, DAY_MS, 32 * DAY_MS]) {
      const ms = Math.ceil(START_MS / boundary) * boundary;
      expect(path.valueAt(ms - 1e-3)).toBeCloseTo(path.valueAt(ms), 4);
      expect(path.activityUntil(ms - 1e-3)).toBeCloseTo(path.activityUntil(ms), 6);
    }
  });
});

describe('activity', () => {
  test('never runs backwards, and 32 days hold 32 days of it', () => {
    const path = new RandomPath('activity');
    let before = path.activityUntil(START_MS);
    for (let step = 1; step <= 2_000; step += 1) {
      const now = path.activityUntil(START_MS + step * 997);
      expect(now).toBeGreaterThan(before);
      before = now;
    }
    expect(path.activityUntil(64 * DAY_MS)).toBeCloseTo(64, 9);
  });

  test('follows the hours of the day', () => {
    const shares = new Float64Array(24);
    for (let seed = 0; seed < 40; seed += 1) {
      const path = new RandomPath(`hours ${seed}`);
      for (let hour = 0; hour < 24 * 8; hour += 1) {
        const fromMs = START_MS + hour * 3_600_000;
        shares[hour % 24]! += path.activityUntil(fromMs + 3_600_000) - path.activityUntil(fromMs);
      }
    }
    const total = shares.reduce((sum, share) => sum + share, 0);
    expect(shares[14]! / total).toBeGreaterThan(0.055);
    expect(shares[2]! / total).toBeLessThan(0.035);
  });

  test('the curve of the day has mean 1, and its dyadic shares lead back to it', () => {
    let sum = 0;
    for (let part = 0; part < 240; part += 1) sum += activityAt((part + 0.5) / 240);
    expect(sum / 240).toBeCloseTo(1, 3);
    const morning = firstHalfShare(0, 0) * firstHalfShare(1, 0) * 4;
    let quarter = 0;
    for (let part = 0; part < 60; part += 1) quarter += activityAt((part + 0.5) / 240);
    expect(morning).toBeCloseTo(quarter / 60, 2);
  });
});

describe('moves', () => {
  /** Root mean square of the path's moves over a span, in units of what its days say. */
  function roughness(spanMs: number, count: number): { rms: number; kurtosis: number } {
    let [second, fourth] = [0, 0];
    for (let draw = 0; draw < count; draw += 1) {
      const path = new RandomPath(`moves ${draw >> 5}`);
      const fromMs = START_MS + (draw & 31) * DAY_MS + ((draw * 7_919_000) % DAY_MS);
      const move = path.valueAt(fromMs + spanMs) - path.valueAt(fromMs);
      second += move ** 2 / count;
      fourth += move ** 4 / count;
    }
    return { rms: Math.sqrt(second / (spanMs / DAY_MS)), kurtosis: fourth / second ** 2 };
  }

  test.each([1_000, 60_000, 3_600_000, DAY_MS])('over %i ms grow with the root of time', (spanMs) => {
    const { rms } = roughness(spanMs, 6_000);
    expect(rms).toBeGreaterThan(0.85);
    expect(rms).toBeLessThan(1.15);
  });

  test('come in bursts: far more large ones in a second than chance alone would have', () => {
    expect(roughness(1_000, 6_000).kurtosis).toBeGreaterThan(6);
  });

  test('never lead far away: after years the path is where it was, give or take 12 root days', () => {
    const path = new RandomPath('years');
    for (let day = 0; day < 3_000; day += 1) expect(Math.abs(path.valueAt(START_MS + day * DAY_MS))).toBeLessThan(16);
  });
});
