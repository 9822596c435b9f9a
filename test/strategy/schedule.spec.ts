import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OrderId } from '../../src/domain/ids.js';
import type { Clip, Leg } from '../../src/domain/order.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import { randomOf } from '../../src/strategy/random.js';
import { clipOf, cumulative, firedCount, firesAtMs, slotCount, type Slots } from '../../src/strategy/schedule/slots.js';
import { orderOf, START_MS } from '../order/orders.js';
import { runs } from '../runs.js';

function slotsOf(change: Partial<Slots> & { readonly seed?: number } = {}): Slots {
  return {
    quantity: 1_000 as Lots,
    count: 10,
    startMs: START_MS,
    endMs: (START_MS + 60_000) as EpochMs,
    isRandomized: false,
    random: randomOf((change.seed ?? 1) as OrderId),
    ...change,
  };
}

function legOf(change: Partial<Leg> = {}): Leg {
  return orderOf(change).legs[0];
}

/** Quantity of each slice. */
function slices(slots: Slots): number[] {
  return Array.from({ length: slots.count }, (_, slot) => cumulative(slots, slot + 1) - cumulative(slots, slot));
}

function count(seconds: number, change: Partial<Parameters<typeof slotCount>[0]> = {}): number {
  const durationMs = (seconds * 1_000) as DurationMs;
  const clip: Clip = { type: 'AUTOMATIC' };
  return slotCount({
    quantity: 1_000_000 as Lots,
    durationMs,
    clip,
    isRandomized: false,
    minimum: 10 as Lots,
    ...change,
  });
}

describe('the number of slots', () => {
  test.each([
    [1, 1],
    [5, 5],
    [10, 10],
    [60, 10],
    [300, 10],
    [600, 20],
    [3_600, 120],
    [86_400, 2_880],
    [2_592_000, 86_400],
  ])('%d s are cut into %d slots', (seconds, expected) => {
    expect(count(seconds)).toBe(expected);
  });

  test('follows the clip when there is one', () => {
    expect(count(3_600, { clip: { type: 'ABSOLUTE', quantity: 300_000 as Lots } })).toBe(4);
    expect(count(3_600, { clip: { type: 'PERCENTAGE', ppmOfPercent: 2_500_000 } })).toBe(40);
    expect(count(3_600, { clip: { type: 'ORDER_COUNT', count: 7 } })).toBe(7);
    expect(count(60, { clip: { type: 'ORDER_COUNT', count: 500 } })).toBe(60);
  });

  test('keeps slices above the minimum, with one slot for an order below it', () => {
    expect(count(3_600, { quantity: 35 as Lots })).toBe(3);
    expect(count(3_600, { quantity: 5 as Lots })).toBe(1);
    expect(count(3_600, { quantity: 100 as Lots, isRandomized: true })).toBe(7);
  });

  test('clipOf limits a child to the clip, and a randomised one to a fifth more', () => {
    const clip: Clip = { type: 'ABSOLUTE', quantity: 50 as Lots };
    expect(clipOf(legOf({ clip }))).toBe(50);
    expect(clipOf(legOf({ clip, randomizeQuantity: true }))).toBe(60);
    expect(clipOf(legOf({ clip: { type: 'PERCENTAGE', ppmOfPercent: 5_000_000 } }))).toBe(50);
    expect(clipOf(legOf({ clip: { type: 'ORDER_COUNT', count: 3 } }))).toBe(334);
    expect(clipOf(legOf())).toBeNull();
  });
});

// Compares with published schedulers for the same orders.
describe('known vectors', () => {
  test('1.2 over three slots', () => {
    expect(slices(slotsOf({ quantity: 12 as Lots, count: 3 }))).toEqual([4, 4, 4]);
  });

  test('1 over three slots with nine decimals leaves no remainder', () => {
    expect(slices(slotsOf({ quantity: 1_000_000_000 as Lots, count: 3 }))).toEqual([
      333_333_333, 333_333_333, 333_333_334,
    ]);
  });

  test('1000 in steps of 5 over six slots: 165 first, and a late slice of at most 500', () => {
    const slots = slotsOf({ quantity: 200 as Lots, count: 6 });
    expect(cumulative(slots, 1) * 5).toBe(165);
    expect(Math.floor((3 * slots.quantity) / slots.count) * 5).toBe(500);
    // Planned again with nothing filled and five slots left.
    expect(cumulative({ ...slots, count: 5 }, 1) * 5).toBe(200);
  });

  test('two lots over six slots are two slices', () => {
    const demand = { quantity: 2 as Lots, durationMs: 60_000 as DurationMs, isRandomized: false, minimum: 1 as Lots };
    const count = slotCount({ ...demand, clip: { type: 'ORDER_COUNT', count: 6 } });
    expect(slices(slotsOf({ quantity: 2 as Lots, count }))).toEqual([1, 1]);
  });
});

const ORDERS_COUNT = runs(1_000, 10_000);

describe('randomised slices', () => {
  test(`stay within a tenth of a slice of the even curve, over ${ORDERS_COUNT} orders`, () => {
    for (let seed = 1; seed <= ORDERS_COUNT; seed += 1) {
      const slots = slotsOf({ seed, quantity: 100_003 as Lots, count: 24, isRandomized: true });
      const even = slots.quantity / slots.count;
      let before = 0;
      for (let slot = 1; slot <= slots.count; slot += 1) {
        const sum = cumulative(slots, slot);
        if (Math.abs(sum - even * slot) > 0.1 * even + 1) expect.fail(`seed ${seed}: ${sum} after ${slot} slots`);
        if (Math.abs(sum - before - even) > 0.2 * even + 1)
          expect.fail(`seed ${seed}: slice ${slot} of ${sum - before}`);
        before = sum;
      }
      if (before !== slots.quantity) expect.fail(`seed ${seed}: ${before} in all`);
    }
  });

  test('differ from each other', () => {
    expect(new Set(slices(slotsOf({ quantity: 100_000 as Lots, isRandomized: true }))).size).toBeGreaterThan(5);
  });
});

describe('any schedule', () => {
  const anySlots = fc
    .record({
      quantity: fc.oneof(fc.integer({ min: 1, max: 10_000 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
      count: fc.integer({ min: 1, max: 100_000 }),
      durationMs: fc.integer({ min: 1_000, max: 2_592_000_000 }),
      isRandomized: fc.boolean(),
      seed: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    })
    .map(({ quantity, count, durationMs, isRandomized, seed }) =>
      slotsOf({ quantity: quantity as Lots, count, endMs: (START_MS + durationMs) as EpochMs, isRandomized, seed }),
    );

  test('never decreases and ends at exactly the whole quantity', () => {
    fc.assert(
      fc.property(anySlots, fc.nat(), (slots, some) => {
        const slot = some % slots.count;
        expect(cumulative(slots, slot)).toBeLessThanOrEqual(cumulative(slots, slot + 1));
        expect([cumulative(slots, 0), cumulative(slots, slots.count)]).toEqual([0, slots.quantity]);
      }),
      { numRuns: runs(300, 2_000) },
    );
  });

  test('fires each slot once, in order and within its own time', () => {
    fc.assert(
      fc.property(anySlots, fc.nat(), (slots, some) => {
        const slot = some % slots.count;
        const intervalMs = (slots.endMs - slots.startMs) / slots.count;
        const atMs = firesAtMs(slots, slot);
        expect(atMs).toBeGreaterThanOrEqual(slots.startMs + slot * intervalMs);
        expect(atMs).toBeLessThanOrEqual(Math.ceil(slots.startMs + (slot + 0.5) * intervalMs));
        if (intervalMs < 2) return;
        expect(firedCount(slots, atMs)).toBe(slot + 1);
        expect(firedCount(slots, (atMs - 1) as EpochMs)).toBe(slot);
      }),
      { numRuns: runs(300, 2_000) },
    );
  });

  test('fires its first slot at once and all slots by the end', () => {
    const slots = slotsOf();
    expect([firedCount(slots, (START_MS - 1) as EpochMs), firedCount(slots, START_MS)]).toEqual([0, 1]);
    expect(firedCount(slots, slots.endMs)).toBe(10);
  });

  test.each([0, -100_000])('fires all slots at once when it begins with %i ms left', (leftMs) => {
    expect(firedCount(slotsOf({ endMs: (START_MS + leftMs) as EpochMs }), START_MS)).toBe(10);
  });
});
