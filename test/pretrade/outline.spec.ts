import { describe, expect, it } from 'vitest';
import { previewOf } from '../../src/pretrade/preview.js';
import { type PreviewedOrder, viewOfStart } from '../../src/pretrade/previewed-order.js';
import { OUTLINE_POINTS_MAX } from '../../src/domain/limits/trading.js';
import { STRATEGY_NAMES, type Leg } from '../../src/domain/order.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import { outlineOf } from '../../src/strategy/registry.js';
import { START_MS } from '../order/orders.js';
import { Chance } from '../simulation/chance.js';
import { INSTRUMENTS, trialOrder } from '../strategy/trial-orders.js';
import { trialProfile } from '../strategy/trial-market.js';
import { previewed } from './previewed.js';
import type { FlatTerms } from '../domain/plain-order.js';

const outline = (one: PreviewedOrder) => outlineOf(viewOfStart(one), { clipMs: 2_000 });
const hour = { durationMs: 3_600_000 as DurationMs, endAtMs: (START_MS + 3_600_000) as EpochMs };
const quantitiesOf = (fields: Partial<FlatTerms>): number[] =>
  outline(previewed(fields)).slices.map(({ quantity }) => quantity);

describe.each(STRATEGY_NAMES)('the outline of %s', (strategy) => {
  it('adds up to the order, in order of time, in a bounded number of slices', () => {
    for (let seed = 0; seed < 200; seed += 1) {
      const chance = new Chance(seed);
      const instrument = chance.pick(INSTRUMENTS);
      const order = trialOrder(chance, strategy, instrument);
      const one = previewed(order, { instrument, profile: trialProfile(chance) ?? null });
      const { slices, childCount } = outline(one);
      const about = `seed ${seed}`;
      expect(
        slices.reduce((sum, { quantity }) => sum + quantity, 0),
        about,
      ).toBe(order.legs[0].quantity);
      expect(
        slices.every(({ quantity }) => Number.isSafeInteger(quantity) && quantity > 0),
        about,
      ).toBe(true);
      expect(
        slices.every(({ atMs }, index) => atMs >= (slices[index - 1]?.atMs ?? START_MS)),
        about,
      ).toBe(true);
      expect(slices.length, about).toBeLessThanOrEqual(OUTLINE_POINTS_MAX);
      expect(childCount, about).toBeGreaterThanOrEqual(1);
      const { cost, participation } = previewOf(one);
      expect(Object.values(cost).every(Number.isFinite) && cost.stdevBps >= 0, about).toBe(true);
      expect(participation === null || participation > 0, about).toBe(true);
    }
  });
});

describe('an outline', () => {
  it('has equal slices in equal slots for TWAP', () => {
    const { slices, childCount, endMs } = outline(previewed({ strategy: 'TWAP', quantity: 1_200 as Lots, ...hour }));
    expect(slices.map(({ quantity }) => quantity)).toEqual(Array.from({ length: 120 }, () => 10));
    expect([childCount, endMs]).toEqual([120, hour.endAtMs]);
  });

  it('groups slots when there are more than its points', () => {
    const day = { durationMs: 86_400_000 as DurationMs, endAtMs: (START_MS + 86_400_000) as EpochMs };
    const quantities = quantitiesOf({ strategy: 'TWAP', quantity: 28_800 as Lots, ...day });
    expect(quantities).toHaveLength(480);
    expect(new Set(quantities)).toEqual(new Set([60]));
  });

  it('has slices that do not increase for IS', () => {
    const quantities = quantitiesOf({ strategy: 'IS', urgency: 'HIGH', quantity: 100_000 as Lots, ...hour });
    expect(quantities[0]).toBeGreaterThanOrEqual(quantities.at(-1)!);
  });

  it('follows the expected volume for POV, and ends when the order is done', () => {
    const share = { type: 'PERCENTAGE', ppmOfPercent: 10_000_000 } as const;
    const one = previewed({ strategy: 'POV', quantity: 10_000 as Lots, clip: share, endAtMs: null, durationMs: null });
    // A ninth of the volume of others.
    const expectedMs = (86_400_000 * 9 * 10_000) / one.profile!.dailyVolume;
    const endMs = outline(one).slices.at(-1)!.atMs - START_MS;
    expect(Math.abs(endMs - expectedMs) / expectedMs).toBeLessThan(0.05);
  });

  it('is the ladder for SCALE', () => {
    const ladder = { start: 6_390_000, end: 6_380_000, skewPpm: 1_000_000 } as Leg['ladder'];
    const clip = { type: 'ORDER_COUNT', count: 4 } as const;
    expect(quantitiesOf({ strategy: 'SCALE', quantity: 1_000 as Lots, ladder, clip })).toEqual([250, 250, 250, 250]);
  });

  it('is one clip after another for ICEBERG', () => {
    const clip = { type: 'ABSOLUTE', quantity: 300 as Lots } as const;
    expect(quantitiesOf({ strategy: 'ICEBERG', quantity: 1_000 as Lots, clip })).toEqual([300, 300, 300, 100]);
  });
});
