import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Big } from 'big.js';
import { parseLots } from '../../src/api/field/field-value.js';
import { isRejected } from '../../src/domain/rejection.js';
import {
  amountOfLots,
  amountOfNotional,
  averagePrice,
  formatAmount,
  formatHalfTicks,
  formatLots,
  formatNotional,
  formatTicks,
  type Grid,
  type Lots,
  lotSize,
  lotsPerUnit,
  type Notional,
  type Ticks,
  tickSize,
  ticksPerUnit,
} from '../../src/domain/quantity.js';
import { plainInstrument } from './plain-instrument.js';

/* Each function against decimals of big.js, which know nothing of steps. */

const grids: fc.Arbitrary<Grid> = fc.record({
  quantityPrecision: fc.integer({ min: 0, max: 8 }),
  pricePrecision: fc.integer({ min: 0, max: 8 }),
  quantityStep: fc.constantFrom(1, 2, 5, 25, 1_000_000),
  priceStep: fc.constantFrom(1, 5, 25, 50),
});
const counts = fc.integer({ min: 1, max: 1_000_000 });

function lotOf({ quantityPrecision, quantityStep }: Grid): Big {
  return new Big(quantityStep).times(`1e-${quantityPrecision}`);
}

function tickOf({ pricePrecision, priceStep }: Grid): Big {
  return new Big(priceStep).times(`1e-${pricePrecision}`);
}

it('writes quantities, prices and money of grids with any step exactly', () => {
  fc.assert(
    fc.property(grids, counts, counts, (grid, lots, ticks) => {
      const [lot, tick] = [lotOf(grid), tickOf(grid)];
      expect(formatLots(lots as Lots, grid)).toBe(lot.times(lots).toFixed());
      expect(formatTicks(ticks as Ticks, grid)).toBe(tick.times(ticks).toFixed());
      expect(formatHalfTicks(ticks, grid)).toBe(tick.times(ticks).div(2).toFixed());
      const value = lot.times(lots).times(tick).times(ticks);
      const notional = (BigInt(lots) * BigInt(ticks)) as Notional;
      expect(formatNotional(notional, grid)).toBe(value.toFixed());
      expect(formatAmount(amountOfNotional(notional, grid))).toBe(value.toFixed());
      expect(formatAmount(amountOfLots(lots as Lots, grid))).toBe(lot.times(lots).toFixed());
      expect(averagePrice(notional, lots as Lots, grid)).toBe(tick.times(ticks).toFixed());
      expect(lotSize(grid) * lotsPerUnit(grid)).toBeCloseTo(1, 12);
      expect(tickSize(grid) * ticksPerUnit(grid)).toBeCloseTo(1, 12);
    }),
  );
});

it('reads a quantity that is a multiple of the lot, and refuses one between two lots', () => {
  const instrument = plainInstrument({ quantityPrecision: 2, quantityStep: 25, quantityMin: 1 as Lots });
  expect(parseLots('0.75', 'quantity', instrument)).toBe(3);
  const between = parseLots('0.80', 'quantity', instrument);
  expect(isRejected(between) && between.rejection).toMatchObject({
    code: 'INVALID_QUANTITY',
    message: expect.stringContaining('not a multiple of the lot 0.25') as unknown,
  });
});
