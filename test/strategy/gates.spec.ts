import { describe, expect, test } from 'vitest';
import type { ChildOrder } from '../../src/domain/order-state.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { strategyFor } from '../../src/strategy/registry.js';
import { Desk } from '../order/desk.js';
import { BTC, marketOf, orderOf, START_MS } from '../order/orders.js';
import type { FlatTerms } from '../domain/plain-order.js';

const { bid: BID, ask: ASK } = marketOf();
const GOOD = (ASK - 2_000) as Ticks;

function open(change: Partial<FlatTerms>): Desk {
  const order = orderOf({ quantity: 10_000 as Lots, ...change });
  const strategy = strategyFor(order);
  if (strategy === null) throw new Error(`${order.legs[0].strategy} is not offered`);
  const desk = new Desk(order, strategy, BTC);
  desk.look();
  desk.exchange();
  return desk;
}

function placed(desk: Desk, code?: string): ChildOrder[] {
  return desk.events.flatMap(({ event }) =>
    event.kind === 'ChildSubmitted' && (code === undefined || event.order.reason.code === code) ? [event.order] : [],
  );
}

const at = (seconds: number): number => START_MS + seconds * 1_000;
const moved = (ticks: number) => marketOf({ bid: BID + ticks, ask: ASK + ticks, last: BID + ticks });

/** A book with these quantities of others, plus the order's own resting quantity on the bid. */
function book(desk: Desk | null, bidQuantity: number, askQuantity: number) {
  const own = desk?.state.legs[0].children.reduce((sum, { order }) => sum + order.quantity, 0) ?? 0;
  const atMs = ((desk?.nowMs ?? START_MS) + 1) as EpochMs;
  return { ...marketOf(), bidQuantity: (bidQuantity + own) as Lots, askQuantity: askQuantity as Lots, atMs };
}

describe('would', () => {
  const would = { price: GOOD, ppmOfPercent: 50_000_000, style: 'AGGRESSIVE' } as const;

  test('takes its share at its price or better once the ask is good, and the rest keeps its schedule', () => {
    const desk = open({ would });
    expect(placed(desk, 'WOULD_TAKE')).toEqual([]);
    const before = desk.state.legs[0].progress.filled;
    desk.onMarket(moved(-2_500));
    desk.passUntil(at(3));
    const taken = placed(desk, 'WOULD_TAKE');
    expect(taken.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(5_000);
    expect(taken.every(({ limitPrice, timeInForce }) => limitPrice === GOOD && timeInForce === 'IOC')).toBe(true);
    expect(desk.state.legs[0].progress.filled).toBe(before + 5_000);
    desk.passUntil(at(60));
    expect(desk.state.status).toBe('FILLED');
    expect(placed(desk, 'TAKE_SLICE').length).toBeGreaterThan(2);
  });

  test('takes at most half a percent beyond the touch at once when its price is far beyond the market', () => {
    const desk = open({ would: { ...would, price: (10 * ASK) as Ticks } });
    expect(placed(desk, 'WOULD_TAKE')).toMatchObject([{ limitPrice: ASK + Math.floor(ASK / 200) }]);
  });

  test('does not take a quantity again while its first child is still working', () => {
    const desk = open({ would });
    desk.exchange();
    desk.venue.move(moved(-2_500), Infinity);
    desk.look();
    for (let wake = 0; wake < 5; wake += 1) desk.wait(1_000);
    expect(placed(desk, 'WOULD_TAKE').reduce((sum, { quantity }) => sum + quantity, 0)).toBe(5_000);
  });

  test('stops when the price is no longer good, and continues when it is good again', () => {
    const desk = open({ would });
    desk.onMarket(moved(-2_500), 1_000);
    desk.onMarket(moved(0));
    const first = placed(desk, 'WOULD_TAKE').length;
    desk.passUntil(at(2));
    expect(placed(desk, 'WOULD_TAKE').length).toBe(first);
    desk.onMarket(moved(-2_500));
    desk.passUntil(at(4));
    const filled = desk.state.legs[0].progress.filled;
    expect(filled).toBeGreaterThanOrEqual(5_000);
    expect(filled).toBeLessThan(7_000);
  });

  test('PASSIVE rests its share at the near touch, once', () => {
    const desk = open({ would: { ...would, style: 'PASSIVE' }, style: 'PASSIVE' });
    desk.onMarket(moved(-2_500));
    desk.passUntil(at(2));
    const rested = placed(desk, 'WOULD_REST');
    expect(rested.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(5_000);
    expect(rested.every(({ limitPrice, timeInForce }) => limitPrice === BID - 2_500 && timeInForce === 'GTC')).toBe(
      true,
    );
  });

  test('HYBRID rests first and takes after a wait', () => {
    const desk = open({ would: { ...would, style: 'HYBRID' } });
    desk.onMarket(moved(-2_500));
    desk.passUntil(at(5));
    expect(placed(desk, 'WOULD_REST').length).toBeGreaterThan(0);
    expect(placed(desk, 'WOULD_TAKE')).toEqual([]);
    desk.passUntil(at(13));
    expect(placed(desk, 'WOULD_TAKE').length).toBeGreaterThan(0);
    expect(desk.state.legs[0].progress.filled).toBeGreaterThanOrEqual(5_000);
  });

  test('acts only below the arrival price when it has no price', () => {
    const desk = open({ would: { price: null, ppmOfPercent: 100_000_000, style: 'AGGRESSIVE' } });
    desk.passUntil(at(2));
    expect(placed(desk, 'WOULD_TAKE')).toEqual([]);
    desk.onMarket(moved(-10));
    desk.passUntil(at(4));
    expect(desk.state.status).toBe('FILLED');
  });

  test('never trades through the limit', () => {
    const desk = open({ would, limitPrice: (GOOD - 1_000) as Ticks });
    desk.onMarket(moved(-2_500));
    desk.passUntil(at(2));
    expect(placed(desk)).toEqual([]);
    desk.onMarket(moved(-3_500));
    desk.passUntil(at(4));
    expect(placed(desk, 'WOULD_TAKE').every(({ limitPrice }) => limitPrice === GOOD - 1_000)).toBe(true);
    expect(desk.state.legs[0].progress.filled).toBeGreaterThanOrEqual(5_000);
  });
});

describe('price_lock_bps', () => {
  const LOCKED = Math.floor((ASK - 5) * (1 - 5 / 10_000));

  test('takes the full remainder once the market is better than at arrival by the lock, at no worse price', () => {
    const desk = open({ priceLockBps: 5 });
    desk.onMarket(marketOf({ bid: LOCKED - 9, ask: LOCKED + 1, last: LOCKED }));
    desk.passUntil(at(2));
    expect(placed(desk, 'PRICE_LOCK')).toEqual([]);
    desk.onMarket(marketOf({ bid: LOCKED - 10, ask: LOCKED, last: LOCKED }));
    expect(desk.state.status).toBe('FILLED');
    expect(placed(desk, 'PRICE_LOCK').every(({ limitPrice }) => limitPrice === LOCKED)).toBe(true);
  });

  test('withdraws resting children to take their quantity', () => {
    const desk = open({ priceLockBps: 5, style: 'PASSIVE' });
    expect(desk.state.legs[0].children.length).toBe(1);
    desk.onMarket(marketOf({ bid: LOCKED - 10, ask: LOCKED + 5_000, last: LOCKED }));
    desk.onMarket(marketOf({ bid: LOCKED - 10, ask: LOCKED, last: LOCKED }), 500);
    desk.passUntil(at(1));
    expect(desk.state.legs[0].progress.filled).toBeGreaterThan(0);
    desk.onMarket(marketOf({ bid: LOCKED - 20, ask: LOCKED - 1, last: LOCKED }));
    desk.passUntil(at(3));
    expect(desk.state.status).toBe('FILLED');
  });
});

describe('ob_imbalance_cancel', () => {
  const gate = { imbalanceThresholdPpm: 750_000, style: 'PASSIVE' } as const;

  function rested(): Desk {
    const desk = open(gate);
    desk.onMarket(book(desk, 500, 500));
    expect(desk.venue.openCount).toBe(1);
    return desk;
  }

  test('withdraws resting children while the book is out of balance, and places again afterwards', () => {
    const desk = rested();
    desk.onMarket(book(desk, 240, 760));
    desk.passUntil(at(0.6));
    expect(desk.venue.openCount).toBe(0);
    desk.onMarket(book(null, 240, 760));
    desk.passUntil(at(2));
    expect(desk.venue.openCount).toBe(0);
    desk.onMarket(book(null, 500, 500));
    expect(desk.venue.openCount).toBeGreaterThan(0);
    const notes = desk.events.flatMap(({ event }) => (event.kind === 'StrategyNoted' ? [event.reason.code] : []));
    expect(notes).toContain('BOOK_LEANS');
  });

  test('keeps the place in the queue while the book leans for less than 500 ms', () => {
    const desk = rested();
    for (let lean = 0; lean < 5; lean += 1) {
      desk.onMarket(book(desk, 100, 900));
      desk.passUntil(desk.nowMs + 490);
      desk.onMarket(book(desk, 500, 500));
      desk.passUntil(desk.nowMs + 20);
    }
    expect(desk.events.filter(({ event }) => event.kind === 'ChildCancelRequested')).toEqual([]);
    expect(desk.venue.openCount).toBe(1);
  });

  test('places no child to rest while the book leans, from the first moment on', () => {
    const order = orderOf({ quantity: 10_000 as Lots, ...gate });
    const desk = new Desk(order, strategyFor(order)!, BTC);
    desk.venue.move(book(null, 100, 900), Infinity);
    desk.look();
    desk.passUntil(at(10));
    expect(placed(desk)).toEqual([]);
    desk.onMarket(book(null, 500, 500));
    expect(placed(desk)).toHaveLength(1);
  });

  test('waits until the share is 0.05 below the threshold', () => {
    const desk = rested();
    desk.onMarket(book(desk, 240, 760));
    desk.passUntil(at(0.6));
    desk.onMarket(book(null, 290, 710));
    desk.passUntil(at(2));
    expect(desk.venue.openCount).toBe(0);
    desk.onMarket(book(null, 310, 690));
    expect(desk.venue.openCount).toBeGreaterThan(0);
  });

  test("does not count the order's own quantity", () => {
    const desk = rested();
    // Others have 300 against 700: in balance. With the own bids counted, 200 against 800 would look in balance too.
    desk.onMarket(book(desk, 300, 700));
    desk.passUntil(at(1));
    expect(desk.venue.openCount).toBe(1);
    desk.onMarket(book(desk, 200, 800));
    desk.passUntil(at(1.6));
    expect(desk.venue.openCount).toBe(0);
  });

  test('watches nothing and notes nothing while the order has no resting child', () => {
    const desk = open({ ...gate, style: 'AGGRESSIVE' });
    const before = desk.events.length;
    for (let second = 1; second < 5; second += 1) {
      desk.onMarket(book(null, second % 2 === 0 ? 500 : 100, 900));
      desk.onMarket(book(null, 900, 100));
    }
    expect(desk.wake.when).toEqual([]);
    expect(desk.events.length).toBe(before);
  });

  test('notes each imbalance once, even when the market changes many times', () => {
    const desk = rested();
    for (let look = 0; look < 20; look += 1) desk.onMarket(book(look === 0 ? desk : null, 100 + look, 900));
    const notes = desk.events.flatMap(({ event }) => (event.kind === 'StrategyNoted' ? [event.reason.code] : []));
    expect(notes).toEqual(['BOOK_LEANS']);
  });

  test('does not stop a schedule from completing', () => {
    const desk = rested();
    desk.onMarket(book(desk, 100, 900));
    desk.onMarket(book(null, 100, 900));
    desk.passUntil(at(60));
    expect(desk.state.status).toBe('FILLED');
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
      const desk = open({ trigger, endAtMs: null });
      desk.onMarket(moved(by / 2));
      desk.passUntil(at(100));
      expect(desk.state).toMatchObject({ status: 'ACCEPTED', startedAtMs: null, legs: [{ childCount: 0 }] });
      desk.onMarket(moved(by));
      expect(desk.state.startedAtMs).toBe(at(100));
      expect(desk.state.legs[0].arrivalTwiceMid).toBe(BID + ASK + 2 * by);
      // The trigger is latched: the order continues when the price returns.
      desk.onMarket(moved(0));
      desk.passUntil(at(159));
      expect(desk.state.status).not.toBe('EXPIRED');
      desk.passUntil(at(160));
      expect(desk.state.status).toBe('FILLED');
    },
  );

  test('an end time ends an order that was never triggered', () => {
    const desk = open({ trigger: { price: (BID + 500) as Ticks, condition: 'ABOVE' } });
    desk.passUntil(at(60));
    expect(desk.state.status).toBe('EXPIRED');
  });
});
