import { Big } from 'big.js';
import type { ListedMarket } from '../../../../src/venue/live/listing/listed-market.js';

/** A decimal as an exchange writes it; null: no bound, also when the exchange writes 0. */
export type Figure = string | number | null | undefined;

/** Rules of a market in base and quote units, taken from the exchange's own entry without the code under test. */
export interface ExpectedRules {
  readonly lot: Big;
  readonly tick: Big;
  readonly quantityMin?: Big | null;
  readonly quantityMax?: Big | null;
  readonly marketQuantityMax?: Big | null;
  readonly notionalMin?: Big | null;
  readonly notionalMax?: Big | null;
  readonly priceMin?: Big | null;
  readonly priceMax?: Big | null;
}

/** A positive figure times a factor; null for an absent one and for 0. */
export function bound(figure: Figure, factor: Figure = 1): Big | null {
  if (figure === null || figure === undefined || figure === '') return null;
  const value = new Big(figure).times(factor ?? 1);
  return value.gt(0) ? value : null;
}

export function digitStep(digits: string | number): Big {
  return new Big(10).pow(-Number(digits));
}

/** The differences between a market and the expected rules, computed with big.js: empty when all figures are right. */
export function differences({ instrument }: ListedMarket, expected: ExpectedRules): string[] {
  const wrong: string[] = [];
  const lot = new Big(instrument.quantityStep).times(digitStep(instrument.quantityPrecision));
  const tick = new Big(instrument.priceStep).times(digitStep(instrument.pricePrecision));
  if (!lot.eq(expected.lot)) wrong.push(`lot ${lot.toFixed()} instead of ${expected.lot.toFixed()}`);
  if (!tick.eq(expected.tick)) wrong.push(`tick ${tick.toFixed()} instead of ${expected.tick.toFixed()}`);

  const least = (name: string, steps: number, step: Big, value: Big | null | undefined): void => {
    const right = value === null || value === undefined ? new Big(1) : roundedUp(value, step);
    if (!new Big(steps).eq(right)) wrong.push(`${name} ${steps} instead of ${right.toFixed()}`);
  };
  const most = (name: string, steps: number, step: Big, value: Big | null | undefined): void => {
    const unbounded = new Big(Number.MAX_SAFE_INTEGER);
    const exact = value === null || value === undefined ? unbounded : roundedDown(value, step);
    const right = exact.gt(unbounded) ? unbounded : exact;
    if (!new Big(steps).eq(right)) wrong.push(`${name} ${steps} instead of ${right.toFixed()}`);
  };
  const { filters } = instrument;
  least('quantityMin', instrument.quantityMin, expected.lot, expected.quantityMin);
  most('quantityMax', instrument.quantityMax, expected.lot, expected.quantityMax);
  const market = expected.marketQuantityMax ?? expected.quantityMax;
  const isTighter = market !== undefined && market !== null && !market.gt(expected.quantityMax ?? market);
  most('marketQuantityMax', filters.marketQuantityMax, expected.lot, isTighter ? market : expected.quantityMax);
  least('priceMin', filters.priceMin, expected.tick, expected.priceMin);
  most('priceMax', filters.priceMax, expected.tick, expected.priceMax);
  const lotTick = expected.lot.times(expected.tick);
  least('notionalMin', instrument.notionalMin, lotTick, expected.notionalMin);
  most('notionalMax', filters.notionalMax, lotTick, expected.notionalMax);
  return wrong.map((text) => `${instrument.venue} ${instrument.symbol}: ${text}`);
}

/** Exact: remainders and differences of big.js are not rounded, quotients of multiples are integers. */
function roundedDown(value: Big, step: Big): Big {
  return value.minus(value.mod(step)).div(step);
}

function roundedUp(value: Big, step: Big): Big {
  const down = roundedDown(value, step);
  return value.mod(step).eq(0) ? down : down.plus(1);
}
