import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TouchCell } from '../../../src/sim/market/market-makers.js';

describe('the touch', () => {
  test('is one tick wide and placed so that the fair price has the given lean, as far as whole ticks allow', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 100, max: 1e7, noNaN: true }),
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (fair, lean, chance) => {
          const reach = 40;
          const cell = new TouchCell(reach);
          cell.settle(fair, lean, chance);
          expect(cell.ask - cell.bid).toBe(1);
          expect(Math.abs(cell.leanOf(fair) - lean)).toBeLessThanOrEqual(0.5 / (0.6 * reach) + 1e-9);
        },
      ),
    );
  });

  test('stays while the fair price moves within its cell', () => {
    const cell = new TouchCell(10);
    cell.settle(1_000.5, 0, 0.5);
    expect(cell.bid).toBe(1_000);
    expect(cell.leanOf(1_005.5)).toBeCloseTo(0.5, 9);
    expect(cell.leanOf(1_010.6)).toBeGreaterThan(1);
    expect(cell.leanOf(990.4)).toBeLessThan(-1);
  });

  test('never falls below the first tick', () => {
    const cell = new TouchCell(10);
    cell.settle(0.2, 1, 0);
    expect(cell.bid).toBe(1);
  });
});
