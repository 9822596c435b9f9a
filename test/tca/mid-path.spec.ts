import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { markouts } from '../../src/tca/execution-cost.js';
import { MidPath } from '../../src/tca/quote-history.js';
import type { EpochMs } from '../../src/domain/time.js';
import { executionOf, fillOf } from './executions.js';

function pathOf(changes: readonly (readonly [atMs: number, mid: number])[]): MidPath {
  const path = new MidPath();
  for (const [atMs, mid] of changes) path.append(mid, atMs as EpochMs);
  return path;
}

describe('a mid path', () => {
  it('gives the mid of each millisecond, and their mean', () => {
    const change = fc.tuple(fc.nat({ max: 60 }), fc.integer({ min: 1, max: 1000 }));
    const instant = fc.integer({ min: -5, max: 70 });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), instant, instant, (unsorted, one, other) => {
        const changes = unsorted.sort(([left], [right]) => left - right);
        const path = pathOf(changes);
        const midAt = (ms: number): number | null => changes.findLast(([atMs]) => atMs <= ms)?.[1] ?? null;
        const [fromMs, toMs] = [Math.min(one, other), Math.max(one, other)];
        expect(path.at(fromMs)).toBe(midAt(fromMs));
        const mids = Array.from({ length: toMs - fromMs }, (_, index) => midAt(fromMs + index)).filter(
          (mid) => mid !== null,
        );
        const mean = mids.reduce((sum, mid) => sum + mid, 0) / mids.length;
        if (mids.length === 0) expect(path.mean(fromMs, toMs)).toBe(midAt(toMs));
        else expect(path.mean(fromMs, toMs)).toBeCloseTo(mean, 9);
      }),
    );
  });

  it('accepts only instants that do not decrease', () => {
    expect(() =>
      pathOf([
        [5, 1],
        [4, 1],
      ]),
    ).toThrow('a mid path is appended in order of time');
    expect([
      pathOf([
        [5, 1],
        [7, 1],
      ]).firstAtMs,
      pathOf([
        [5, 1],
        [7, 1],
      ]).lastAtMs,
    ]).toEqual([5, 7]);
  });
});

describe('markouts', () => {
  const path = pathOf([
    [0, 100],
    [1_100, 101],
    [5_200, 98],
  ]);

  it("are weighted by quantity: positive when the market moved in the order's favour", () => {
    const fills = [fillOf(100, 1, 100), fillOf(200, 3, 100)];
    const [after1s, after5s] = markouts(executionOf('BUY', fills), path, 10_000, [1_000, 5_000]);
    expect(after1s).toEqual({ horizonMs: 1_000, bps: 100, coverage: 1 });
    expect(after5s?.bps).toBeCloseTo((100 * 1 - 200 * 3) / 4, 9);
    expect(markouts(executionOf('SELL', fills), path, 10_000, [1_000])[0]?.bps).toBe(-100);
  });

  it('leave out fills whose horizon is unknown, and state the coverage', () => {
    const fills = [fillOf(0, 1, 100), fillOf(500, 3, 100)];
    expect(markouts(executionOf('BUY', fills), path, 1_200, [1_000])).toEqual([
      { horizonMs: 1_000, bps: 0, coverage: 0.25 },
    ]);
    expect(markouts(executionOf('BUY', []), path, 1_200, [1_000])).toEqual([
      { horizonMs: 1_000, bps: null, coverage: 0 },
    ]);
  });
});
