import * as fc from 'fast-check';
import type { OrderParams } from './order-requests.js';
import { TRADING_STYLES, TRIGGER_CONDITIONS, URGENCIES } from '../../src/domain/order.js';
import type { Ticks } from '../../src/domain/quantity.js';
import type { DurationMs } from '../../src/domain/time.js';

/* Parsed parameters. Each member has few values, so two samples are often equal. */

const style = fc.constantFrom(...TRADING_STYLES);
const price = fc.constantFrom(5_900_000 as Ticks, 5_900_001 as Ticks, 6_000_050 as Ticks);

function orNull<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.option(value, { nil: null });
}

function plain<Model>(members: { readonly [Name in keyof Model]: fc.Arbitrary<Model[Name]> }): fc.Arbitrary<Model> {
  return fc.record(members, { noNullPrototype: true });
}

const MEMBERS: { readonly [Name in keyof OrderParams]: fc.Arbitrary<OrderParams[Name]> } = {
  durationMs: orNull(fc.constantFrom(60_000 as DurationMs, 60_500 as DurationMs)),
  style,
  urgency: fc.constantFrom(...URGENCIES),
  randomizeQuantity: fc.boolean(),
  would: orNull(plain({ price: orNull(price), ppmOfPercent: fc.constantFrom(1, 50_000_000, 100_000_000), style })),
  trigger: orNull(plain({ price, condition: fc.constantFrom(...TRIGGER_CONDITIONS) })),
  placement: orNull(
    fc.oneof(
      fc.constant({ mode: 'TIGHT' as const }),
      plain({
        mode: fc.constant('CUSTOM' as const),
        level: fc.integer({ min: 1, max: 2 }),
        cancelLevel: fc.integer({ min: 3, max: 4 }),
      }),
    ),
  ),
  reduceOnly: fc.boolean(),
  ladder: orNull(
    plain({ start: price, end: price, skewPpm: fc.constantFrom(10_000, 1_000_000, 100_000_000) }).filter(
      ({ start, end }) => start !== end,
    ),
  ),
  imbalanceThresholdPpm: orNull(fc.constantFrom(500_000, 750_000, 990_000)),
  priceLockBps: orNull(fc.constantFrom(1, 100)),
  postOnly: fc.boolean(),
};

export const orderParams: fc.Arbitrary<OrderParams> = plain(MEMBERS);

/** Two samples that differ in at most one member. */
export const nearParams: fc.Arbitrary<readonly [OrderParams, OrderParams]> = fc
  .tuple(orderParams, orderParams, fc.constantFrom(...(Object.keys(MEMBERS) as (keyof OrderParams)[])))
  .map(([params, others, name]) => [params, { ...params, [name]: others[name] }]);
