import { describe, expect, test } from 'vitest';
import type { ChildOrder } from '../../src/domain/order-state.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { strategyFor } from '../../src/strategy/registry.js';
import { OrderRig } from '../order/order-rig.js';
import { BTC, marketOf, orderOf, START_MS } from '../order/orders.js';
import type { FlatTerms } from '../domain/plain-order.js';

const { bid: BID, ask: ASK } = marketOf();
const GOOD = (ASK - 2_000) as Ticks;

function open(change: Partial<FlatTerms>): OrderRig {
  const order = orderOf({ quantity: 10_000 as Lots, ...change });
  const strategy = strategyFor(order);
  if (strategy === null) throw new Error(`${order.legs[0].strategy} is not offered`);
  const rig = new OrderRig(order, strategy, BTC);
  rig.look();
  rig.exchange();
  return rig;
}

function placed(rig: OrderRig, code?: string): ChildOrder[] {
  return rig.events.flatMap(({ event }) =>
    event.kind === 'ChildSubmitted' && (code === undefined || event.order.reason.code === code) ? [event.order] : [],
  );
}

const at = (seconds: number): number => START_MS + seconds * 1_000;
const moved = (ticks: number) => marketOf({ bid: BID + ticks, ask: ASK + ticks, last: BID + ticks });

/** A book with these quantities of others, plus the order's own resting quantity on the bid. */
function book(rig: OrderRig | null, bidQuantity: number, askQuantity: number) {
  const own = rig?.state.legs[0].children.reduce((sum, { order }) => sum + order.quantity, 0) ?? 0;
  const atMs = ((rig?.nowMs ?? START_MS) + 1) as EpochMs;
  return { ...marketOf(), bidQuantity: (bidQuantity + own) as Lots, askQuantity: askQuantity as Lots, atMs };
}

describe('would', () => {
  const would = { price: GOOD, ppmOfPercent: 50_000_000, style: 'AGGRESSIVE' } as const;

  test('takes its share at its price or better once the ask is good, and the rest keeps its schedule', () => {
    const rig = open({ would });
    expect(placed(rig, 'WOULD_TAKE')).toEqual([]);
    const before = rig.state.legs[0].progress.filled;
    rig.onMarket(moved(-2_500));
    rig.passUntil(at(3));
    const taken = placed(rig, 'WOULD_TAKE');
    expect(taken.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(5_000);
    expect(taken.every(({ limitPrice, timeInForce }) => limitPrice === GOOD && timeInForce === 'IOC')).toBe(true);
    expect(rig.state.legs[0].progress.filled).toBe(before + 5_000);
    rig.passUntil(at(60));
    expect(rig.state.status).toBe('FILLED');
    expect(placed(rig, 'TAKE_SLICE').length).toBeGreaterThan(2);
  });

  test('takes at most half a percent beyond the touch at once when its price is far beyond the market', () => {
    const rig = open({ would: { ...would, price: (10 * ASK) as Ticks } });
    expect(placed(rig, 'WOULD_TAKE')).toMatchObject([{ limitPrice: ASK + Math.floor(ASK / 200) }]);
  });

  test('does not take a quantity again while its first child is still working', () => {
    const rig = open({ would });
    rig.exchange();
    rig.venue.move(moved(-2_500), Infinity);
    rig.look();
    for (let wake = 0; wake < 5; wake += 1) rig.wait(1_000);
    expect(placed(rig, 'WOULD_TAKE').reduce((sum, { quantity }) => sum + quantity, 0)).toBe(5_000);
  });

  test('stops when the price is no longer good, and continues when it is good again', () => {
    const rig = open({ would });
    rig.onMarket(moved(-2_500), 1_000);
    rig.onMarket(moved(0));
    const first = placed(rig, 'WOULD_TAKE').length;
    rig.passUntil(at(2));
    expect(placed(rig, 'WOULD_TAKE').length).toBe(first);
    rig.onMarket(moved(-2_500));
    rig.passUntil(at(4));
    const filled = rig.state.legs[0].progress.filled;
    expect(filled).toBeGreaterThanOrEqual(5_000);
    expect(filled).toBeLessThan(7_000);
  });

  test('PASSIVE rests its share at the near touch, once', () => {
    const rig = open({ would: { ...would, style: 'PASSIVE' }, style: 'PASSIVE' });
    rig.onMarket(moved(-2_500));
    rig.passUntil(at(2));
    const rested = placed(rig, 'WOULD_REST');
    expect(rested.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(5_000);
    expect(rested.every(({ limitPrice, timeInForce }) => limitPrice === BID - 2_500 && timeInForce === 'GTC')).toBe(
      true,
    );
  });

  test('HYBRID rests first and takes after a wait', () => {
    const rig = open({ would: { ...would, style: 'HYBRID' } });
    rig.onMarket(moved(-2_500));
    rig.passUntil(at(5));
    expect(placed(rig, 'WOULD_REST').length).toBeGreaterThan(0);
    expect(placed(rig, 'WOULD_TAKE')).toEqual([]);
    rig.passUntil(at(13));
    expect(placed(rig, 'WOULD_TAKE').length).toBeGreaterThan(0);
    expect(rig.state.legs[0].progress.filled).toBeGreaterThanOrEqual(5_000);
  });

  test('acts only below the arrival price when it has no price', () => {
    const rig = open({ would: { price: null, ppmOfPercent: 100_000_000, style: 'AGGRESSIVE' } });
    rig.passUntil(at(2));
    expect(placed(rig, 'WOULD_TAKE')).toEqual([]);
    rig.onMarket(moved(-10));
    rig.passUntil(at(4));
    expect(rig.state.status).toBe('FILLED');
  });

  test('never trades through the limit', () => {
    const rig = open({ would, limitPrice: (GOOD - 1_000) as Ticks });
    rig.onMarket(moved(-2_500));
    rig.passUntil(at(2));
    expect(placed(rig)).toEqual([]);
    rig.onMarket(moved(-3_500));
    rig.passUntil(at(4));
    expect(placed(rig, 'WOULD_TAKE').every(({ limitPrice }) => limitPrice === GOOD - 1_000)).toBe(true);
    expect(rig.state.legs[0].progress.filled).toBeGreaterThanOrEqual(5_000);
  });
});

describe('price_lock_bps', () => {
  const LOCKED = Math.floor((ASK - 5) * (1 - 5 / 10_000));

  test('takes the full remainder once the market is better than at arrival by the lock, at no worse price', () => {
    const rig = open({ priceLockBps: 5 });
    rig.onMarket(marketOf({ bid: LOCKED - 9, ask: LOCKED + 1, last: LOCKED }));
    rig.passUntil(at(2));
    expect(placed(rig, 'PRICE_LOCK')).toEqual([]);
    rig.onMarket(marketOf({ bid: LOCKED - 10, ask: LOCKED, last: LOCKED }));
    expect(rig.state.status).toBe('FILLED');
    expect(placed(rig, 'PRICE_LOCK').every(({ limitPrice }) => limitPrice === LOCKED)).toBe(true);
  });

  test('waits longer after each attempt that took nothing, up to two seconds', () => {
    const rig = open({ priceLockBps: 5, style: 'PASSIVE' });
    rig.onMarket(marketOf({ bid: LOCKED - 10, ask: LOCKED, last: LOCKED }), 0);
    rig.passUntil(at(7));
    const attempts = placed(rig, 'PRICE_LOCK').map(({ submittedAtMs }) => submittedAtMs - START_MS);
    expect(attempts).toEqual([0, 250, 500, 1_000, 2_000, 4_000, 6_000]);
  });

  test('withdraws resting children to take their quantity', () => {
    const rig = open({ priceLockBps: 5, style: 'PASSIVE' });
    expect(rig.state.legs[0].children.length).toBe(1);
    rig.onMarket(marketOf({ bid: LOCKED - 10, ask: LOCKED + 5_000, last: LOCKED }));
    rig.onMarket(marketOf({ bid: LOCKED - 10, ask: LOCKED, last: LOCKED }), 500);
    rig.passUntil(at(1));
    expect(rig.state.legs[0].progress.filled).toBeGreaterThan(0);
    rig.onMarket(marketOf({ bid: LOCKED - 20, ask: LOCKED - 1, last: LOCKED }));
    rig.passUntil(at(3));
    expect(rig.state.status).toBe('FILLED');
  });
});

describe('ob_imbalance_cancel', () => {
  const gate = { imbalanceThresholdPpm: 750_000, style: 'PASSIVE' } as const;

  function rested(): OrderRig {
    const rig = open(gate);
    rig.onMarket(book(rig, 500, 500));
    expect(rig.venue.openCount).toBe(1);
    return rig;
  }

  test('withdraws resting children while the book is out of balance, and places again afterwards', () => {
    const rig = rested();
    rig.onMarket(book(rig, 240, 760));
    rig.passUntil(at(0.6));
    expect(rig.venue.openCount).toBe(0);
    rig.onMarket(book(null, 240, 760));
    rig.passUntil(at(2));
    expect(rig.venue.openCount).toBe(0);
    rig.onMarket(book(null, 500, 500));
    expect(rig.venue.openCount).toBeGreaterThan(0);
    const notes = rig.events.flatMap(({ event }) => (event.kind === 'StrategyNoted' ? [event.reason.code] : []));
    expect(notes).toContain('BOOK_LEANS');
  });

  test('keeps the place in the queue while the book leans for less than 500 ms', () => {
    const rig = rested();
    for (let lean = 0; lean < 5; lean += 1) {
      rig.onMarket(book(rig, 100, 900));
      rig.passUntil(rig.nowMs + 490);
      rig.onMarket(book(rig, 500, 500));
      rig.passUntil(rig.nowMs + 20);
    }
    expect(rig.events.filter(({ event }) => event.kind === 'ChildCancelRequested')).toEqual([]);
    expect(rig.venue.openCount).toBe(1);
  });

  test('places no child to rest while the book leans, from the first moment on', () => {
    const order = orderOf({ quantity: 10_000 as Lots, ...gate });
    const rig = new OrderRig(order, strategyFor(order)!, BTC);
    rig.venue.move(book(null, 100, 900), Infinity);
    rig.look();
    rig.passUntil(at(10));
    expect(placed(rig)).toEqual([]);
    rig.onMarket(book(null, 500, 500));
    expect(placed(rig)).toHaveLength(1);
  });

  test('waits until the share is 0.05 below the threshold', () => {
    const rig = rested();
    rig.onMarket(book(rig, 240, 760));
    rig.passUntil(at(0.6));
    rig.onMarket(book(null, 290, 710));
    rig.passUntil(at(2));
    expect(rig.venue.openCount).toBe(0);
    rig.onMarket(book(null, 310, 690));
    expect(rig.venue.openCount).toBeGreaterThan(0);
  });

  test("does not count the order's own quantity", () => {
    const rig = rested();
    // Others have 300 against 700: in balance. With the own bids counted, 200 against 800 would look in balance too.
    rig.onMarket(book(rig, 300, 700));
    rig.passUntil(at(1));
    expect(rig.venue.openCount).toBe(1);
    rig.onMarket(book(rig, 200, 800));
    rig.passUntil(at(1.6));
    expect(rig.venue.openCount).toBe(0);
  });

  test('watches nothing and notes nothing while the order has no resting child', () => {
    const rig = open({ ...gate, style: 'AGGRESSIVE' });
    const before = rig.events.length;
    for (let second = 1; second < 5; second += 1) {
      rig.onMarket(book(null, second % 2 === 0 ? 500 : 100, 900));
      rig.onMarket(book(null, 900, 100));
    }
    expect(rig.wake.when).toEqual([]);
    expect(rig.events.length).toBe(before);
  });

  test('notes each imbalance once, even when the market changes many times', () => {
    const rig = rested();
    for (let look = 0; look < 20; look += 1) rig.onMarket(book(look === 0 ? rig : null, 100 + look, 900));
    const notes = rig.events.flatMap(({ event }) => (event.kind === 'StrategyNoted' ? [event.reason.code] : []));
    expect(notes).toEqual(['BOOK_LEANS']);
  });

  test('does not stop a schedule from completing', () => {
    const rig = rested();
    rig.onMarket(book(rig, 100, 900));
    rig.onMarket(book(null, 100, 900));
    rig.passUntil(at(60));
    expect(rig.state.status).toBe('FILLED');
  });
});

describe('trigger', () => {
  test.each([
    ['ABOVE', 500],
    ['BELOW', -500],
  ] as const)(
    '%s starts the order at the last price and not before; its duration counts from the start',
    (condition, by) => {
      const trigger = { price: (BID + by) as Ticks, condition };
      const rig = open({ trigger, endAtMs: null });
      rig.onMarket(moved(by / 2));
      rig.passUntil(at(100));
      expect(rig.state).toMatchObject({ status: 'ACCEPTED', startedAtMs: null, legs: [{ childCount: 0 }] });
      rig.onMarket(moved(by));
      expect(rig.state.startedAtMs).toBe(at(100));
      expect(rig.state.legs[0].arrivalTwiceMid).toBe(BID + ASK + 2 * by);
      // The trigger is latched: the order continues when the price returns.
      rig.onMarket(moved(0));
      rig.passUntil(at(159));
      expect(rig.state.status).not.toBe('EXPIRED');
      rig.passUntil(at(160));
      expect(rig.state.status).toBe('FILLED');
    },
  );

  test('an end time ends an order that was never triggered', () => {
    const rig = open({ trigger: { price: (BID + 500) as Ticks, condition: 'ABOVE' } });
    rig.passUntil(at(60));
    expect(rig.state.status).toBe('EXPIRED');
  });
});
