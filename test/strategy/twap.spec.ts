import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Instrument } from '../../src/domain/instrument.js';
import type { ChildOrder } from '../../src/domain/order-state.js';
import type { TradingStyle } from '../../src/domain/order.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { TWAP } from '../../src/strategy/schedule/twap-vwap.js';
import { OrderRig } from '../order/order-rig.js';
import { BTC, marketOf, orderOf, rejectionOf, START_MS } from '../order/orders.js';
import type { FlatTerms } from '../domain/plain-order.js';
import { runs } from '../runs.js';

const ASK = marketOf().ask;
const BID = marketOf().bid;

function open(order: Partial<FlatTerms>, instrument: Instrument = BTC): OrderRig {
  const rig = new OrderRig(orderOf(order), TWAP, instrument);
  rig.look();
  rig.exchange();
  return rig;
}

const at = (seconds: number) => START_MS + seconds * 1_000;

/** Children placed from that second on. */
function placedFrom(rig: OrderRig, seconds = 0): ChildOrder[] {
  return rig.events.flatMap(({ event }) =>
    event.kind === 'ChildSubmitted' && event.order.submittedAtMs >= at(seconds) ? [event.order] : [],
  );
}

/** Limit prices of the children of an order that fills within a minute. */
function limitPrices(terms: Partial<FlatTerms>, instrument: Instrument): unknown[] {
  const rig = open(terms, instrument);
  rig.passUntil(at(60));
  expect(rig.state.status).toBe('FILLED');
  return placedFrom(rig).map(({ limitPrice }) => limitPrice);
}

function kinds(rig: OrderRig): Set<string> {
  return new Set(rig.events.map(({ event }) => event.kind));
}

describe('AGGRESSIVE', () => {
  test('takes ten equal slices from the far touch in a minute, and sleeps in between', () => {
    const rig = open({});
    expect(rig.wake).toEqual({ atMs: expect.any(Number), when: [] });
    rig.passUntil(at(60));
    expect(rig.state.status).toBe('FILLED');
    const placed = placedFrom(rig);
    expect(placed.map(({ quantity }) => quantity)).toEqual(Array.from({ length: 10 }, () => 100));
    for (const { type, timeInForce, limitPrice } of placed) {
      expect([type, timeInForce, limitPrice]).toEqual(['LIMIT', 'IOC', expect.any(Number)]);
    }
    expect(placed[0]).toMatchObject({ limitPrice: ASK, submittedAtMs: START_MS, reason: { code: 'TAKE_SLICE' } });
    expect(placed[0]?.reason.figures).toEqual([100, 0, 0, BID, ASK, 500_000]);
  });

  test('takes from the bid for a SELL', () => {
    expect(placedFrom(open({ side: 'SELL' }))).toMatchObject([{ side: 'SELL', limitPrice: BID }]);
  });

  test('tries again after a thin book, and catches up in bounded steps', () => {
    const rig = open({ quantity: 10_000 as Lots });
    rig.venue.depth = 300;
    rig.passUntil(at(40));
    const behind = rig.state.legs[0].progress.filled;
    rig.venue.depth = Infinity;
    rig.passUntil(at(60));
    expect(behind).toBe(1_300);
    for (const { quantity } of placedFrom(rig)) expect(quantity).toBeLessThanOrEqual(3_000);
    expect(rig.state.status).toBe('FILLED');
  });

  test('limits each child to the clip', () => {
    const rig = open({
      clip: { type: 'ABSOLUTE', quantity: 30 as Lots },
      quantity: 1_200 as Lots,
      endAtMs: at(5) as EpochMs,
    });
    rig.passUntil(at(5));
    expect(Math.max(...placedFrom(rig).map(({ quantity }) => quantity))).toBe(30);
    expect(rig.state.status).toBe('FILLED');
  });

  test('reaches beyond the touch, within its limit price, with a last child that may leave a rest below the minimum', () => {
    const coarse = { ...BTC, quantityMin: 60 as Lots };
    const earlier = Array.from({ length: 9 }, () => ASK);
    expect(limitPrices({}, coarse)).toEqual([...earlier, ASK + Math.floor(ASK / 1_000)]);
    expect(limitPrices({ limitPrice: (ASK + 2) as Ticks }, coarse)).toEqual([...earlier, ASK + 2]);
    // A rest of 50 lots is not below this minimum, and the touch has more than 100 lots.
    expect(limitPrices({}, { ...BTC, quantityMin: 50 as Lots })).toEqual([...earlier, ASK]);
  });

  test('reaches beyond a touch whose quantity would leave a rest below the minimum', () => {
    const rig = open({ side: 'SELL' }, { ...BTC, quantityMin: 30 as Lots });
    rig.onMarket({ ...marketOf(), bidQuantity: 80 as Lots });
    rig.passUntil(at(60));
    const prices = placedFrom(rig).map(({ limitPrice }) => limitPrice);
    expect(prices).toEqual([...Array.from({ length: 9 }, () => BID), BID - Math.floor(BID / 1_000)]);
  });

  test('waits while its limit price binds, and continues when the market is within it', () => {
    const rig = open({ limitPrice: (ASK - 1) as Ticks });
    expect(placedFrom(rig)).toEqual([]);
    expect(rig.wake.when).toEqual([{ field: 'ask', at: 'or below', bound: ASK - 1 }]);
    rig.passUntil(at(20));
    expect(rig.events.filter(({ event }) => event.kind === 'StrategyNoted')).toHaveLength(1);
    rig.onMarket(marketOf({ bid: ASK - 3, ask: ASK - 2 }));
    expect(placedFrom(rig, 20)).toMatchObject([{ limitPrice: ASK - 2, quantity: 300 }]);
  });
});

describe('PASSIVE', () => {
  test('waits with a price that the venue would reject until the market is near enough', () => {
    const filters = { ...BTC.filters, sellBand: { minPpm: null, maxPpm: 1_100_000 } };
    const order = { style: 'PASSIVE', side: 'SELL', limitPrice: (BID * 2) as Ticks } as const;
    const rig = open(order, { ...BTC, filters });
    expect(placedFrom(rig)).toEqual([]);
    expect(rig.wake.when).toEqual([{ field: 'bid', at: 'or above', bound: Math.ceil((BID * 2) / 1.1) }]);
    rig.onMarket(marketOf({ bid: BID * 1.9, ask: BID * 1.9 + 10 }));
    expect(placedFrom(rig)).toMatchObject([{ timeInForce: 'GTC', limitPrice: BID * 2 }]);
  });

  test('joins the near touch, and follows it when the touch moves away', () => {
    const rig = open({ style: 'PASSIVE' });
    expect(placedFrom(rig)).toMatchObject([{ timeInForce: 'GTC', limitPrice: BID, reason: { code: 'JOIN_TOUCH' } }]);
    expect(rig.wake.when).toEqual([{ field: 'bid', at: 'or above', bound: BID + 1 }]);
    rig.onMarket(marketOf({ bid: BID + 5, ask: ASK + 5 }));
    expect(placedFrom(rig)).toHaveLength(1);
    rig.passUntil(at(4));
    expect(placedFrom(rig, 3)).toMatchObject([{ quantity: 100, limitPrice: BID + 5 }]);
    expect(rig.events.some(({ event }) => event.kind === 'ChildCancelRequested' && event.reason.code === 'REPEG')).toBe(
      true,
    );
  });

  test('stays when the touch falls back from it', () => {
    const rig = open({ style: 'PASSIVE' });
    rig.onMarket(marketOf({ bid: BID - 50, ask: BID + 1 }));
    rig.passUntil(at(5));
    expect(kinds(rig).has('ChildCancelRequested')).toBe(false);
  });

  test('never crosses before the deadline window, and always in it', () => {
    const rig = open({ style: 'PASSIVE' });
    rig.passUntil(at(57.999));
    expect(placedFrom(rig).every(({ timeInForce }) => timeInForce === 'GTC')).toBe(true);
    expect(rig.state.legs[0].progress.filled).toBe(0);
    rig.passUntil(at(60));
    expect(rig.state.status).toBe('FILLED');
    expect(placedFrom(rig, 58).every(({ reason }) => reason.code === 'CROSS_AT_DEADLINE')).toBe(true);
    expect(Math.max(...placedFrom(rig).map(({ quantity }) => quantity))).toBe(300);
  });

  test('is post-only when asked, but not at the deadline', () => {
    const rig = open({ style: 'PASSIVE', postOnly: true });
    rig.passUntil(at(60));
    expect(placedFrom(rig).every(({ postOnly, timeInForce }) => postOnly === (timeInForce === 'GTC'))).toBe(true);
    expect(rig.state.status).toBe('FILLED');
  });

  test('rests at its limit price without following, and expires with its rest', () => {
    const rig = open({ style: 'PASSIVE', limitPrice: (BID - 10) as Ticks });
    expect(placedFrom(rig)).toMatchObject([{ limitPrice: BID - 10 }]);
    expect(rig.wake.when).toEqual([]);
    rig.venue.fillResting(40);
    rig.passUntil(at(61));
    expect(rig.state).toMatchObject({ status: 'EXPIRED', legs: [{ progress: { filled: 40 }, children: [] }] });
    expect(rig.state.outcome?.message).toBe('the end time passed with 0.0004 of 0.01 filled');
  });

  test('leaves a rest below the minimum in the book', () => {
    const rig = open({ style: 'PASSIVE', quantity: 100 as Lots, clip: { type: 'ORDER_COUNT', count: 1 } });
    rig.venue.fillResting(95);
    rig.exchange();
    rig.onMarket(marketOf({ bid: BID + 5, ask: ASK + 5 }));
    rig.passUntil(at(59));
    expect(rig.state.legs[0].children).toHaveLength(1);
    rig.venue.fillResting(5);
    rig.passUntil(at(60));
    expect(rig.state.status).toBe('FILLED');
  });
});

describe('HYBRID', () => {
  test('rests first, and crosses only what is late', () => {
    const rig = open({ style: 'HYBRID' });
    rig.passUntil(at(5.9));
    expect(placedFrom(rig)).toMatchObject([{ timeInForce: 'GTC', quantity: 200 }]);
    rig.passUntil(at(8.9));
    expect(placedFrom(rig, 6)).toMatchObject([{ timeInForce: 'GTC', quantity: 100 }]);
    // Half of the second slice is due.
    rig.passUntil(at(12));
    const crossed = placedFrom(rig, 8.9).filter(({ timeInForce }) => timeInForce === 'IOC');
    // The first slice and half of the second.
    expect(crossed).toMatchObject([{ quantity: 150, reason: { code: 'CROSS_LAG' } }]);
    expect(rig.state.legs[0].progress.filled).toBe(150);
  });

  test('does not cross while fills are in time, until the band closes at the end', () => {
    const rig = open({ style: 'HYBRID' });
    for (let second = 0; second < 45; second += 1) {
      rig.passUntil(at(second));
      rig.venue.fillResting(100);
      rig.exchange();
    }
    expect(placedFrom(rig).every(({ timeInForce }) => timeInForce === 'GTC')).toBe(true);
    rig.passUntil(at(57.9));
    expect(placedFrom(rig, 45).some(({ reason }) => reason.code === 'CROSS_LAG')).toBe(true);
  });
});

describe('any style', () => {
  test('waits for a market with one side, and notes it once', () => {
    const rig = open({});
    rig.onMarket(marketOf({ ask: 0 }));
    rig.passUntil(at(20));
    expect(placedFrom(rig)).toHaveLength(1);
    expect(rig.wake.when).toEqual([{ field: 'ask', at: 'or above', bound: 1 }]);
    expect(rig.events.filter(({ event }) => event.kind === 'StrategyNoted')).toMatchObject([
      { event: { reason: { code: 'MARKET_ONE_SIDED' } } },
    ]);
    rig.onMarket(marketOf());
    expect(placedFrom(rig, 20)).toMatchObject([{ quantity: 200 }]);
  });

  test('tries again after a temporary refusal, with a doubling wait', () => {
    const rig = open({ endAtMs: at(600) as EpochMs });
    rig.venue.refusal = rejectionOf('RATE_LIMIT_EXCEEDED');
    rig.passUntil(at(70));
    const waits = placedFrom(rig, 1).map(
      ({ submittedAtMs }, index, all) => submittedAtMs - (all[index - 1]?.submittedAtMs ?? 0),
    );
    expect(waits.slice(1)).toEqual(
      [250, 500, 1_000, 2_000, 4_000, 8_000].slice(0, waits.length - 1).concat(waits.slice(7)),
    );
    expect(Math.max(...waits.slice(1))).toBeLessThanOrEqual(10_000);
    rig.venue.refusal = null;
    rig.passUntil(at(600));
    expect(rig.state.status).toBe('FILLED');
  });

  test('waits for the next slot after a final refusal, and ends after the fifth in a row', () => {
    const rig = open({});
    rig.venue.refusal = rejectionOf('INSUFFICIENT_FUNDS');
    rig.passUntil(at(60));
    expect(placedFrom(rig)).toHaveLength(6);
    expect(rig.state).toMatchObject({ status: 'CANCELLED', outcome: { code: 'INSUFFICIENT_FUNDS' } });
  });

  test('works an order near the minimum in fewer, larger slices without a rest', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 400 }),
        fc.boolean(),
        fc.constantFrom<TradingStyle>('PASSIVE', 'HYBRID', 'AGGRESSIVE'),
        (quantity, randomizeQuantity, style) => {
          const rig = open({ quantity: quantity as Lots, randomizeQuantity, style });
          rig.passUntil(at(60));
          expect(rig.state.status).toBe('FILLED');
        },
      ),
      { numRuns: runs(60, 300) },
    );
  });

  test('starts late when there was no market, and keeps its end', () => {
    const rig = new OrderRig(orderOf({}), TWAP, BTC);
    rig.venue.move(marketOf({ bid: 0, ask: 0 }), 0);
    rig.look();
    expect(rig.state.startedAtMs).toBeNull();
    rig.passUntil(at(30));
    rig.venue.move(marketOf(), Infinity);
    rig.look();
    rig.passUntil(at(60));
    expect(rig.state).toMatchObject({ status: 'FILLED', startedAtMs: at(30) });
  });
});
