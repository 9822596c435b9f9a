import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  RISK_LIMIT_AMENDMENTS_PER_ORDER_MAX,
  RISK_LIMIT_ORDERS_PER_TURN_MAX,
} from '../../src/domain/limits/trading.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import { isTerminal, type SettledStatus } from '../../src/domain/order.js';
import { amountOf, type Lots } from '../../src/domain/quantity.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';
import { conversionOf, worthOf } from '../../src/risk/order-worth.js';
import { DEMO } from '../http/orders.js';
import { btc, RiskRig, KEY, price, usd } from './risk-rig.js';
import type { FlatTerms } from '../domain/plain-order.js';
import { runs } from '../runs.js';

type Step =
  | { readonly kind: 'create'; readonly order: Partial<FlatTerms> }
  | { readonly kind: 'amend'; readonly index: number; readonly terms: Pick<FlatTerms, 'quantity' | 'limitPrice'> }
  | { readonly kind: 'setChildren'; readonly areOpen: boolean }
  | { readonly kind: 'endChildren' }
  | { readonly kind: 'giveUp' }
  | { readonly kind: 'setState'; readonly index: number; readonly part: number; readonly status: SettledStatus }
  | { readonly kind: 'forget' }
  | { readonly kind: 'settle' };

const STATUSES = ['ACCEPTED', 'PARTIALLY_FILLED', 'PAUSED', 'FILLED', 'CANCELLED', 'EXPIRED', 'REJECTED'] as const;
const quantity = fc.integer({ min: 10, max: 200_000 }).map((lots) => lots as Lots);
const limitPrice = fc.option(fc.integer({ min: 40_000, max: 80_000 }).map(price));
const index = fc.nat(9);
const create = fc.record({
  kind: fc.constant('create' as const),
  order: fc.record({
    side: fc.constantFrom('BUY' as const, 'SELL' as const),
    quantity,
    limitPrice,
    instrument: fc.constantFrom(0 as InstrumentIndex, 2 as InstrumentIndex),
  }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  create,
  fc.record({ kind: fc.constant('amend' as const), index, terms: fc.record({ quantity, limitPrice }) }),
  fc.record({ kind: fc.constant('setChildren' as const), areOpen: fc.boolean() }),
  fc.record({
    kind: fc.constant('setState' as const),
    index,
    part: fc.double({ min: 0, max: 1, noNaN: true }),
    status: fc.constantFrom<SettledStatus>(...STATUSES),
  }),
  fc.constantFrom<Step>({ kind: 'forget' }, { kind: 'settle' }, { kind: 'endChildren' }, { kind: 'giveUp' }),
);

describe('the exposure of an account', () => {
  it('equals a scan of every open order after any sequence of events', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const rig = new RiskRig({ maxGrossExposure: usd(1_000_000_000) });
        for (const one of steps) take(rig, one);
        rig.settle();
        const { orders, exposure } = rig.usage;
        rig.exposures.forget();
        expect({ orders, exposure }).toEqual(rig.usage);
      }),
      { numRuns: runs(100, 300) },
    );
  });
});

describe('the exposure of an account with many orders', () => {
  const turns = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: step.filter(({ kind }) => kind !== 'forget' && kind !== 'create') },
      { weight: 3, arbitrary: fc.constantFrom('create' as const) },
      { weight: 3, arbitrary: fc.constantFrom('read' as const, 'deliver' as const) },
    ),
    { maxLength: 40 },
  );

  it('is read in slices and counts changes meanwhile, also when their events come late', () => {
    fc.assert(
      fc.property(turns, fc.boolean(), (steps, isForgotten) => {
        const rig = new RiskRig({ maxGrossExposure: usd(1_000_000_000) });
        for (let order = 0; order < 3 * RISK_LIMIT_ORDERS_PER_TURN_MAX; order += 1) rig.open();
        rig.exposures.forget();
        const waiting = rig.create();
        rig.areEventsLate = true;
        expect([waiting.length, rig.later.length]).toEqual([0, 1]);
        for (const one of steps) {
          if (one === 'read') rig.later.shift()?.();
          else if (one === 'create') rig.createUncounted();
          else if (one === 'deliver') rig.deliver();
          else take(rig, one);
        }
        if (isForgotten) rig.exposures.forget();
        for (let turn = rig.later.shift(); turn !== undefined; turn = rig.later.shift()) turn();
        rig.areEventsLate = false;
        rig.deliver();
        rig.settle();
        expect(waiting).toMatchObject([{ kind: 'created' }]);
        const { orders, exposure } = usageOf(rig);
        rig.exposures.forget();
        expect({ orders, exposure }).toEqual(usageOf(rig));
      }),
      { numRuns: runs(25, 60) },
    );
  });
});

describe('the exposure of an order with amendments', () => {
  it('includes terms that were decided while the orders were read', () => {
    const rig = new RiskRig({ maxGrossExposure: usd(1_000_000_000) });
    const orderId = rig.open();
    for (let order = 0; order < RISK_LIMIT_ORDERS_PER_TURN_MAX; order += 1) rig.open();
    rig.areChildrenOpen = true;
    rig.amend(orderId, { quantity: btc(2) });
    const { exposure } = usageOf(rig);
    rig.exposures.forget();
    rig.exposures.begin(DEMO, true, () => undefined);
    expect(rig.later.length, 'the amended order is read, and others are not').toBe(1);
    rig.settle();
    expect(usageOf(rig).exposure).toBe(exposure);
  });

  it('includes terms that were sent before the event of the terms before them came', () => {
    const rig = new RiskRig({ maxGrossExposure: usd(1_000_000_000) });
    const orderId = rig.open();
    rig.areEventsLate = true;
    expect(rig.amendRefusal(orderId, { quantity: btc(1) })).toBeNull();
    rig.amend(orderId, { quantity: btc(2) });
    rig.deliver();
    expect(rig.usage.exposure).toBe(usd(120_000));
  });

  it('counts the same terms once, however often they are sent', () => {
    const rig = new RiskRig({ maxGrossExposure: usd(1_000_000_000) });
    const orderId = rig.open();
    rig.areChildrenOpen = true;
    for (let count = 0; count <= RISK_LIMIT_AMENDMENTS_PER_ORDER_MAX; count += 1)
      expect(rig.amendRefusal(orderId, { quantity: btc(1) })).toBeNull();
    rig.endChildren(orderId);
    expect(rig.usage.exposure).toBe(usd(60_000));
  });
});

/** The counted exposure when all orders are read. */
function usageOf(rig: RiskRig): { readonly orders: number; readonly exposure: unknown } {
  let usage: { readonly orders: number; readonly exposure: unknown } | null = null;
  rig.gate.usageOf(DEMO, KEY, (found) => {
    if (found !== null) usage = { orders: found.openOrderCount, exposure: found.grossExposure };
  });
  for (let turn = rig.later.shift(); turn !== undefined; turn = rig.later.shift()) turn();
  return usage ?? expect.fail('there is no count');
}

function take(rig: RiskRig, one: Step): void {
  if (one.kind === 'create') return void rig.create(one.order);
  if (one.kind === 'settle') return rig.settle();
  if (one.kind === 'forget') return rig.exposures.forget();
  if (one.kind === 'giveUp') return rig.giveUp();
  if (one.kind === 'setChildren') return void (rig.areChildrenOpen = one.areOpen);
  if (one.kind === 'endChildren') {
    for (const { order, amendment } of rig.stored.values()) if (amendment !== null) rig.endChildren(order.orderId);
    return undefined;
  }
  const open = [...rig.stored.values()].filter(({ status }) => !isTerminal(status));
  const state = open[one.index % Math.max(1, open.length)];
  if (state === undefined) return undefined;
  const { orderId, legs } = state.order;
  const [{ quantity: whole }] = legs;
  if (one.kind === 'amend') return void rig.amend(orderId, one.terms);
  const filled = Math.max(state.legs[0].progress.filled, Math.round(whole * one.part)) as Lots;
  return rig.setState(orderId, one.status, Math.min(whole, filled) as Lots);
}

describe('the listed instruments', () => {
  const catalogue = buildCatalogue();

  it('have a value in USD, futures by their own price alone', () => {
    for (const instrument of catalogue.instruments) {
      const conversion = conversionOf(instrument, catalogue);
      if (instrument.assetCategory === 'FUTURE') expect(conversion, instrument.symbol).toBeNull();
    }
  });

  it('have the value of their lots at their price', () => {
    const bitcoin = catalogue.find('BINANCE', 'SPOT', 'BTC/USDT')!;
    const pair = catalogue.find('BINANCE', 'SPOT', 'ETH/BTC')!;
    const mids = new Map([[bitcoin.index, 2 * 60_000 * 10 ** bitcoin.pricePrecision]]);
    const whole = 10n ** BigInt(pair.quantityPrecision);
    // One unit at 0.04 BTC, with a bitcoin at 60000.
    const twicePrice = 2 * 4 * 10 ** (pair.pricePrecision - 2);
    expect(whole * worthOf(twicePrice, pair, mids, catalogue)).toBe(amountOf(2_400, 0));
  });
});
