import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { positionsText } from '../../src/api/account/account-answer.js';
import { detailsText, tradeText } from '../../src/api/order/order-details.js';
import { tradeFrame } from '../../src/api/order/order-frame.js';
import { timelineEntryText } from '../../src/api/order/timeline.js';
import type { EventEnvelope, OrderEvent } from '../../src/domain/event.js';
import type { ChildNumber, OrderId, VenueTradeId } from '../../src/domain/ids.js';
import { InstrumentCatalogue } from '../../src/domain/instrument.js';
import type { ParentOrder } from '../../src/domain/order.js';
import {
  addNotional,
  type Amount,
  type Grid,
  type Lots,
  type Notional,
  type Ticks,
  ZERO_NOTIONAL,
} from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { measureOrder } from '../../src/tca/order-reading.js';
import { orderCostText } from '../../src/tca/order-report.js';
import { windowCostText } from '../../src/tca/window-report.js';
import { plainInstrument } from '../domain/plain-instrument.js';
import { withTerms } from '../domain/plain-order.js';
import { LONG } from '../domain/sample-position.js';
import { parentState } from '../http/orders.js';
import { runs } from '../runs.js';
import { memoryOf } from '../order/memories.js';
import { CHILD_SNAPSHOT, envelopeOf, FILL, PARENT } from '../stream/sample-events.js';

/*
 * Each amount of money and each quantity that leaves the service is the exact decimal, computed here by big.js from the
 * decimals of the fills. Its text has no more decimals than the asset: those of lot × tick, and six more for a fee
 * rate.
 */

const FEE_RATE_DIGITS = 6;
/** Digits of an average price beyond the tick. */
const AVERAGE_DIGITS = 8;
/** Significant digits of a mean over time, which is a float inside. */
const FLOAT_DIGITS = 15;

interface Traded {
  readonly lots: number;
  readonly ticks: number;
  readonly feePpm: number;
}

const grids: fc.Arbitrary<Grid> = fc.record({
  quantityPrecision: fc.integer({ min: 0, max: 6 }),
  pricePrecision: fc.integer({ min: 0, max: 5 }),
  quantityStep: fc.constantFrom(1, 1, 25),
  priceStep: fc.constantFrom(1, 1, 5),
});
const traded: fc.Arbitrary<Traded> = fc.record({
  lots: fc.integer({ min: 1, max: 90_000 }),
  ticks: fc.integer({ min: 1, max: 7_000_000 }),
  feePpm: fc.integer({ min: -100, max: 1_000 }),
});
const orders = fc.record({
  side: fc.constantFrom('BUY' as const, 'SELL' as const),
  twiceMid: fc.integer({ min: 1, max: 14_000_000 }),
  unfilled: fc.nat(50_000),
  fills: fc.array(traded, { minLength: 1, maxLength: 8 }),
});
type OrderCase = typeof orders extends fc.Arbitrary<infer One> ? One : never;

const lotOf = (grid: Grid): Big => new Big(grid.quantityStep).times(`1e-${grid.quantityPrecision}`);
const tickOf = (grid: Grid): Big => new Big(grid.priceStep).times(`1e-${grid.pricePrecision}`);
const sumOf = (values: readonly Big[]): Big => values.reduce((sum, value) => sum.plus(value), new Big(0));
const costOf = (grid: Grid, { lots, ticks }: Traded): Big => lotOf(grid).times(lots).times(tickOf(grid)).times(ticks);
const feeOf = (grid: Grid, fill: Traded): Big => costOf(grid, fill).times(fill.feePpm).times('1e-6');

/** The literals of a member in a JSON text, as they are written. */
function literals(text: string, member: string): readonly string[] {
  return [...text.matchAll(new RegExp(`"${member}":(-?[0-9.eE+-]+)`, 'g'))].map((match) => match[1]!);
}

function expectExact(text: string, member: string, wanted: Big): void {
  expect(literals(text, member), member).toEqual([wanted.toFixed()]);
}

/** The events of one order: its start, its fills, its end. */
function eventsOf(order: ParentOrder, grid: Grid, { twiceMid, fills }: OrderCase): readonly EventEnvelope[] {
  const start: OrderEvent = { kind: 'ParentStarted', legs: [{ arrivalTwiceMid: twiceMid, memory: memoryOf() }] };
  const filled = fills.map((fill, index): OrderEvent => ({
    kind: 'ChildFilled',
    leg: 0,
    child: 1 as ChildNumber,
    isLate: false,
    fill: {
      ...FILL,
      tradeId: (index + 1) as VenueTradeId,
      quantity: fill.lots as Lots,
      price: fill.ticks as Ticks,
      fee: BigInt(feeOf(grid, fill).times('1e18').toFixed()) as Amount,
      feeCurrency: 'USDT',
    },
  }));
  const events: readonly OrderEvent[] = [{ kind: 'ParentCreated', order }, start, ...filled];
  return events.map((event, index) =>
    envelopeOf(event, {
      seq: (index + 1) as EventEnvelope['seq'],
      orderId: order.orderId,
      eventAtMs: (1_000 + index) as EpochMs,
      child: event.kind === 'ChildFilled' ? CHILD_SNAPSHOT : null,
    }),
  );
}

function orderOf(grid: Grid, { side, unfilled, fills }: OrderCase, number: number): ParentOrder {
  const quantity = (fills.reduce((sum, { lots }) => sum + lots, 0) + unfilled) as Lots;
  return withTerms(PARENT, { ...grid, side, quantity, orderId: number as OrderId, strategy: 'TWAP' });
}

function readerOf(all: readonly (readonly EventEnvelope[])[]) {
  return {
    find: () => all.map(([created]) => ({ order: (created!.event as { order: ParentOrder }).order })) as never,
    events: (orderId: OrderId, after = 0) => (after > 0 ? [] : [...(all[orderId - 1] ?? [])]),
    // Three mids of unequal times: their mean has no end as a decimal.
    quoteHistory: () =>
      [1_000, 1_004, 1_011].map((atMs, index) => ({
        atMs: atMs as EpochMs,
        bid: (6_399_999 + 13 * index) as Ticks,
        ask: (6_400_002 + 18 * index) as Ticks,
        volume: index as Lots,
        turnover: BigInt(index) as Notional,
      })),
  };
}

const AS_OF_MS = 1_000_000 as EpochMs;
const QUESTION = {
  kind: 'window',
  account: PARENT.account,
  fromMs: 0,
  toMs: AS_OF_MS,
  by: [],
  asOfMs: AS_OF_MS,
  venue: null,
  symbol: null,
  strategy: null,
} as never;

describe('money', () => {
  it('of a window of orders is the exact sum over them', () => {
    fc.assert(
      fc.property(grids, fc.array(orders, { minLength: 1, maxLength: 6 }), (grid, cases) => {
        const journals = cases.map((one, index) => eventsOf(orderOf(grid, one, index + 1), grid, one));
        const text = windowCostText(readerOf(journals), QUESTION);
        const atArrival = (lots: number, { twiceMid }: OrderCase): Big =>
          lotOf(grid).times(lots).times(tickOf(grid)).times(twiceMid).div(2);
        const filled = cases.map((one) => atArrival(sumOf(one.fills.map(({ lots }) => new Big(lots))).toNumber(), one));
        const unfilled = cases.map((one) => atArrival(one.unfilled, one));
        expectExact(text, 'filled_value', sumOf(filled));
        expectExact(text, 'wanted_value', sumOf([...filled, ...unfilled]));
        expectExact(text, 'USDT', sumOf(cases.flatMap(({ fills }) => fills.map((fill) => feeOf(grid, fill)))));
      }),
      { numRuns: runs(200, 5_000) },
    );
  });

  it('of one order is the exact sum over its fills, and averages have the digits of the price', () => {
    fc.assert(
      fc.property(grids, orders, (grid, one) => {
        const order = orderOf(grid, one, 1);
        const journal = eventsOf(order, grid, one);
        const text = orderCostText(measureOrder(readerOf([journal]), order.orderId, AS_OF_MS)!, AS_OF_MS);
        const fees = sumOf(one.fills.map((fill) => feeOf(grid, fill)));
        const lots = one.fills.reduce((sum, fill) => sum + fill.lots, 0);
        const paid = sumOf(one.fills.map((fill) => costOf(grid, fill)));
        const mid = tickOf(grid).times(one.twiceMid).div(2);
        const trading = paid.minus(mid.times(lotOf(grid)).times(lots)).times(one.side === 'BUY' ? 1 : -1);
        expectExact(text, 'USDT', fees);
        expectExact(text, 'trading', trading);
        expectExact(text, 'arrival_price', mid);
        expectExact(text, 'quantity', lotOf(grid).times(lots + one.unfilled));
        const digits = grid.pricePrecision + AVERAGE_DIGITS;
        const average = new Big(literals(text, 'average_price')[0]!);
        expect(average.toFixed()).toBe(average.round(digits).toFixed());
        const twap = literals(text, 'twap')[0]!;
        expect(twap).toBe(new Big(twap).round(digits).toFixed());
        expect(twap.replaceAll(/^0\.0*|\./g, '').length, twap).toBeLessThanOrEqual(FLOAT_DIGITS);
        expect(
          average
            .minus(paid.div(lotOf(grid).times(lots)))
            .abs()
            .lte(`1e-${digits}`),
        ).toBe(true);
      }),
      { numRuns: runs(200, 5_000) },
    );
  });

  it('of trades, details and positions has no more decimals than the asset', () => {
    fc.assert(
      fc.property(grids, orders, (grid, one) => {
        const order = orderOf(grid, one, 1);
        const fills = eventsOf(order, grid, one).filter(({ event }) => event.kind === 'ChildFilled');
        const lots = one.fills.reduce((sum, fill) => sum + fill.lots, 0) as Lots;
        const notional = one.fills.reduce(
          (sum, fill) => addNotional(sum, fill.lots as Lots, fill.ticks as Ticks),
          ZERO_NOTIONAL,
        );
        const state = parentState({}, { order }, { progress: { filled: lots, notional } });
        const trades = fills.map((envelope) => tradeText(order, envelope));
        const instrument = plainInstrument({ ...grid, symbol: 'BTC/USDT:USDT', assetCategory: 'FUTURE' });
        const position = { ...LONG, instrument: instrument.index, net: lots, cost: notional };
        const texts = [
          detailsText(state, { trades, withFees: true, withParams: false, outcome: null }),
          ...fills.map((envelope, index) => tradeFrame(index + 1, envelope, order)),
          ...fills.map((envelope) => timelineEntryText(order, envelope)),
          positionsText({ positions: [position], atMs: AS_OF_MS } as never, new InstrumentCatalogue([instrument])),
        ];
        const ofMoney = grid.quantityPrecision + grid.pricePrecision + FEE_RATE_DIGITS;
        for (const text of texts) {
          for (const [, member, literal] of text.matchAll(/"([a-z_A-Z]+)":(-?[0-9][0-9.eE+-]*)/g)) {
            const isAverage = member === 'average_price' || member === 'entryPrice';
            const digits = isAverage ? grid.pricePrecision + AVERAGE_DIGITS : ofMoney;
            expect((literal!.split('.')[1] ?? '').length, `${member} ${literal}`).toBeLessThanOrEqual(digits);
            expect(literal, member).toBe(new Big(literal!).toFixed());
          }
        }
        expect(fills.map((envelope, index) => literals(tradeFrame(index + 1, envelope, order), 'cost')[0])).toEqual(
          one.fills.map((fill) => costOf(grid, fill).toFixed()),
        );
      }),
      { numRuns: runs(100, 2_000) },
    );
  });
});
