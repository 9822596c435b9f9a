import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scheduleDeviation, scheduleOf, type SchedulePoint } from '../../src/tca/schedule-deviation.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { fillOf } from './executions.js';
import { orderOf } from '../order/orders.js';
import { withTerms } from '../domain/plain-order.js';

const QUANTITY = 100 as Lots;
const STEPS = 5_000;

function point(atMs: number, share: number): SchedulePoint {
  return { atMs: atMs as EpochMs, share };
}

describe('the deviation from a schedule', () => {
  it('equals the schedule when nothing is filled', () => {
    const { largest, rootMeanSquare } = scheduleDeviation([point(0, 0), point(1000, 1)], [], {
      quantity: QUANTITY,
      untilMs: 1000 as EpochMs,
    });
    expect(largest).toBe(1);
    expect(rootMeanSquare).toBeCloseTo(Math.sqrt(1 / 3), 12);
  });

  it('equals a brute-force measurement at each instant', () => {
    const fill = fc.tuple(fc.nat({ max: 1000 }), fc.integer({ min: 1, max: 20 }));
    const middle = fc.tuple(fc.integer({ min: 1, max: 999 }), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(
        fc.array(fill, { maxLength: 5 }),
        middle,
        fc.integer({ min: 1, max: 1000 }),
        (unsorted, [atMs, share], untilMs) => {
          const fills = unsorted.sort(([one], [other]) => one - other).map(([at, quantity]) => fillOf(at, quantity, 1));
          const schedule = [point(0, 0), point(atMs, share), point(1000, 1)];
          const wanted = (ms: number): number =>
            ms < atMs ? (share * ms) / atMs : share + ((1 - share) * (ms - atMs)) / (1000 - atMs);
          const doneBy = (ms: number): number =>
            fills.filter((one) => one.atMs <= ms).reduce((sum, one) => sum + one.quantity, 0) / QUANTITY;
          let squares = 0;
          for (let step = 0; step < STEPS; step += 1) {
            const ms = ((step + 0.5) * untilMs) / STEPS;
            squares += (doneBy(ms) - wanted(ms)) ** 2;
          }
          // Fills are at whole milliseconds, so the extremes are just before or at one.
          let largest = Math.abs(doneBy(0));
          for (let ms = 1; ms <= untilMs; ms += 1) {
            for (const done of [doneBy(ms - 1), doneBy(ms)]) largest = Math.max(largest, Math.abs(done - wanted(ms)));
          }
          const found = scheduleDeviation(schedule, fills, { quantity: QUANTITY, untilMs: untilMs as EpochMs });
          expect(found.rootMeanSquare).toBeCloseTo(Math.sqrt(squares / STEPS), 2);
          expect(found.largest).toBeCloseTo(largest, 9);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('the schedule of an order', () => {
  it('is a straight line for a TWAP, and null for a strategy without a schedule by time', () => {
    const order = orderOf({ strategy: 'TWAP', endAtMs: 60_000 as EpochMs });
    expect(scheduleOf(order, 10 as EpochMs)).toEqual([point(10, 0), point(60_000, 1)]);
    expect(scheduleOf(withTerms(order, { strategy: 'LIMIT' }), 10 as EpochMs)).toBeNull();
  });
});
