import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { InstrumentIndex } from '../../src/model/instrument.js';
import { isTerminal, type ParentOrder, type RestingStatus } from '../../src/model/order.js';
import type { Lots } from '../../src/model/quantity.js';
import { buildCatalogue } from '../../src/venue/index.js';
import { conversionOf, worthOf } from '../../src/route/guardrail/order-worth.js';
import { amountOf } from '../../src/model/amount.js';
import { GuardedRig, price, usd } from './guarded-rig.js';

type Step =
  | { readonly kind: 'create'; readonly order: Partial<ParentOrder> }
  | { readonly kind: 'amend'; readonly index: number; readonly quantity: Lots }
  | { readonly kind: 'stand'; readonly index: number; readonly part: number; readonly status: RestingStatus }
  | { readonly kind: 'forget' }
  | { readonly kind: 'settle' };

const STATUSES = ['ACCEPTED', 'PARTIALLY_FILLED', 'PAUSED', 'FILLED', 'CANCELLED', 'EXPIRED', 'REJECTED'] as const;
const quantity = fc.integer({ min: 10, max: 200_000 }).map((lots) => lots as Lots);
const index = fc.nat(9);
const create = fc.record({
  kind: fc.constant('create' as const),
  order: fc.record({
    side: fc.constantFrom('BUY' as const, 'SELL' as const),
    quantity,
    limitPrice: fc.option(fc.integer({ min: 40_000, max: 80_000 }).map(price)),
    instrument: fc.constantFrom(0 as InstrumentIndex, 2 as InstrumentIndex),
  }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  create,
  fc.record({ kind: fc.constant('amend' as const), index, quantity }),
  fc.record({
    kind: fc.constant('stand' as const),
    index,
    part: fc.double({ min: 0, max: 1, noNaN: true }),
    status: fc.constantFrom<RestingStatus>(...STATUSES),
  }),
  fc.constantFrom<Step>({ kind: 'forget' }, { kind: 'settle' }),
);

describe('the book of an account', () => {
  it('counts what a look at every open order counts, whatever comes in whatever order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const rig = new GuardedRig({ maxGrossExposure: usd(1_000_000_000) });
        for (const one of steps) take(rig, one);
        rig.settle();
        const { orders, exposure } = rig.usage;
        rig.books.forget();
        expect({ orders, exposure }).toEqual(rig.usage);
      }),
      { numRuns: 300 },
    );
  });
});

function take(rig: GuardedRig, one: Step): void {
  if (one.kind === 'create') return void rig.create(one.order);
  if (one.kind === 'settle') return rig.settle();
  if (one.kind === 'forget') return rig.books.forget();
  const open = [...rig.stored.values()].filter(({ status }) => !isTerminal(status));
  const state = open[one.index % Math.max(1, open.length)];
  if (state === undefined) return undefined;
  const { orderId, quantity: whole } = state.order;
  // New terms are answered before anything else is asked of the order.
  if (one.kind === 'amend') return rig.settled(() => void rig.amend(orderId, { quantity: one.quantity }));
  const filled = Math.max(state.progress.filled, Math.round(whole * one.part)) as Lots;
  return rig.stand(orderId, one.status, Math.min(whole, filled) as Lots);
}

describe('the instruments that are offered', () => {
  const catalogue = buildCatalogue();

  it('can all be valued in USD, futures by their own price alone', () => {
    for (const instrument of catalogue.instruments) {
      const conversion = conversionOf(instrument, catalogue);
      if (instrument.assetCategory === 'FUTURE') expect(conversion, instrument.symbol).toBeNull();
    }
  });

  it('are worth their lot at their price', () => {
    const bitcoin = catalogue.find('BINANCE', 'SPOT', 'BTC/USDT')!;
    const pair = catalogue.find('BINANCE', 'SPOT', 'ETH/BTC')!;
    const mids = new Map([[bitcoin.index, 2 * 60_000 * 10 ** bitcoin.pricePrecision]]);
    const whole = 10n ** BigInt(pair.quantityPrecision);
    // One at 0.04 BTC, with a bitcoin at 60000.
    const twicePrice = 2 * 4 * 10 ** (pair.pricePrecision - 2);
    expect(whole * worthOf(twicePrice, pair, mids, catalogue)).toBe(amountOf(2_400, 0));
  });
});
