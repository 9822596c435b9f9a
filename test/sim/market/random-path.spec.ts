import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { activityAt, firstHalfShare, LEAF_MS, RandomPath } from '../../../src/sim/market/random-path.js';

const DAY_MS = 24 * 3600 * 1000;
const START_MS = 20_833 * DAY_MS;
const instant = fc.double({ min: START_MS - 100 * DAY_MS, max: START_MS + 100 * DAY_MS, noNaN: true });

function read(path: RandomPath, ms: number): number[] {
  return [path.valueAt(ms), path.activityUntil(ms)];
}

describe('access to a random path', () => {
  test('gives the same path in any order', () => {
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

  test('gives another path for another seed', () => {
    expect(new RandomPath('one').valueAt(START_MS)).not.toBe(new RandomPath('other').valueAt(START_MS));
  });

  test('has no jumps between leaves, days and blocks', () => {
    const path = new RandomPath('gaps');
    for (const boundary of [LEAF_MS * 1024, DAY_MS, 32 * DAY_MS]) {
      const ms = Math.ceil(START_MS / boundary) * boundary;
      expect(path.valueAt(ms - 1e-3)).toBeCloseTo(path.valueAt(ms), 4);
      expect(path.activityUntil(ms - 1e-3)).toBeCloseTo(path.activityUntil(ms), 6);
    }
  });
});

describe('activity of a random path', () => {
  test('never decreases, and 32 days contain 32 average days of it', () => {
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

  test('has a daily curve with mean 1 and consistent dyadic shares', () => {
    let sum = 0;
    for (let part = 0; part < 240; part += 1) sum += activityAt((part + 0.5) / 240);
    expect(sum / 240).toBeCloseTo(1, 3);
    const morning = firstHalfShare(0, 0) * firstHalfShare(1, 0) * 4;
    let quarter = 0;
    for (let part = 0; part < 60; part += 1) quarter += activityAt((part + 0.5) / 240);
    expect(morning).toBeCloseTo(quarter / 60, 2);
  });
});

describe('moves of a random path', () => {
  /** Root mean square of the moves over a span, relative to the expected deviation. */
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

  test.each([1_000, 60_000, 3_600_000, DAY_MS])('scale over %i ms with the square root of time', (spanMs) => {
    const { rms } = roughness(spanMs, 6_000);
    expect(rms).toBeGreaterThan(0.85);
    expect(rms).toBeLessThan(1.15);
  });

  test('come in bursts: many more large moves in a second than a normal distribution has', () => {
    expect(roughness(1_000, 6_000).kurtosis).toBeGreaterThan(6);
  });

  test('stay bounded: after years the path is within 12 daily deviations', () => {
    const path = new RandomPath('years');
    for (let day = 0; day < 3_000; day += 1) expect(Math.abs(path.valueAt(START_MS + day * DAY_MS))).toBeLessThan(16);
  });
});
