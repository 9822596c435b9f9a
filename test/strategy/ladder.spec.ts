import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Instrument } from '../../src/domain/instrument.js';
import type { ChildOrder } from '../../src/domain/order-state.js';
import type { Clip, Leg } from '../../src/domain/order.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { nextRung, rungsOf } from '../../src/strategy/scale.js';
import { minimumAt } from '../../src/strategy/placement/child.js';
import { strategyFor } from '../../src/strategy/registry.js';
import { OrderRig } from '../order/order-rig.js';
import { BTC, marketOf, orderOf, rejectionOf, START_MS } from '../order/orders.js';
import type { FlatTerms } from '../domain/plain-order.js';
import { runs } from '../runs.js';

const { bid: BID, ask: ASK } = marketOf();
const FINE = { ...BTC, quantityMin: 1 as Lots, notionalMin: 1 };
const ladderOf = (start: number, end: number, skew = 1) => ({
  start: start as Ticks,
  end: end as Ticks,
  skewPpm: skew * 1_000_000,
});
const count = (rungs: number): Clip => ({ type: 'ORDER_COUNT', count: rungs });

function legOf(change: Partial<Leg>): Leg {
  return orderOf(change).legs[0];
}

function open(change: Partial<FlatTerms>, instrument: Instrument = BTC): OrderRig {
  const order = orderOf({ strategy: 'SCALE', endAtMs: null, durationMs: null, quantity: 1_500 as Lots, ...change });
  const rig = new OrderRig(order, strategyFor(order) as never, instrument);
  rig.look();
  rig.exchange();
  return rig;
}

function placed(rig: OrderRig): ChildOrder[] {
  return rig.events.flatMap(({ event }) => (event.kind === 'ChildSubmitted' ? [event.order] : []));
}

describe('a ladder', () => {
  test('sizes its rungs by the skew: the last of five is twice the first', () => {
    const leg = legOf({ quantity: 1_500 as Lots, clip: count(5) });
    expect(rungsOf(leg, ladderOf(100, 500, 2), FINE).map(({ quantity }) => quantity)).toEqual([
      200, 250, 300, 350, 400,
    ]);
  });

  test('spaces its prices evenly from start to end: three from 83000 down to 82000', () => {
    const leg = legOf({ quantity: 300 as Lots, clip: count(3) });
    expect(rungsOf(leg, ladderOf(8_300_000, 8_200_000), FINE)).toEqual([
      { price: 8_300_000, quantity: 100 },
      { price: 8_250_000, quantity: 100 },
      { price: 8_200_000, quantity: 100 },
    ]);
  });

  test.each([
    ['BUY', [10, 13, 16, 20]],
    ['SELL', [10, 14, 17, 20]],
  ] as const)('rounds inner rungs away from the far touch: %s', (side, prices) => {
    const leg = legOf({ side, quantity: 400 as Lots, clip: count(4) });
    expect(rungsOf(leg, ladderOf(10, 20), FINE).map(({ price }) => price)).toEqual(prices);
  });

  test.each([
    [{ type: 'AUTOMATIC' }, 10],
    [{ type: 'ABSOLUTE', quantity: 70 as Lots }, 15],
    [{ type: 'PERCENTAGE', ppmOfPercent: 25_000_000 }, 4],
    [count(7), 7],
  ] as const)('has the number of rungs of clip %j: %i', (clip, rungs) => {
    expect(rungsOf(legOf({ quantity: 1_000 as Lots, clip }), ladderOf(1_000, 9_000), FINE)).toHaveLength(rungs);
  });

  test('holds the whole order in valid rungs at different prices, which trade one after the other', () => {
    const drawn = fc.record({
      quantity: fc.integer({ min: 1, max: 1_000_000 }),
      rungs: fc.integer({ min: 2, max: 200 }),
      start: fc.integer({ min: 1, max: 10_000_000 }),
      end: fc.integer({ min: 1, max: 10_000_000 }),
      skew: fc.constantFrom(0.01, 0.5, 1, 3, 100),
      side: fc.constantFrom('BUY' as const, 'SELL' as const),
    });
    fc.assert(
      fc.property(drawn, ({ quantity, rungs, start, end, skew, side }) => {
        fc.pre(start !== end);
        const leg = legOf({ quantity: quantity as Lots, clip: count(rungs), side });
        const ladder = ladderOf(start, end, skew);
        const laid = rungsOf(leg, ladder, BTC);
        expect(laid.reduce((sum, rung) => sum + rung.quantity, 0)).toBe(quantity);
        expect(laid.length).toBeLessThanOrEqual(rungs);
        if (laid.length > 1)
          for (const { price, quantity: each } of laid) expect(each).toBeGreaterThanOrEqual(minimumAt(BTC, price));
        const prices = laid.map(({ price }) => price);
        expect(new Set(prices).size).toBe(prices.length);
        for (const price of prices) expect(price >= Math.min(start, end) && price <= Math.max(start, end)).toBe(true);
        const filled = Math.floor(quantity / 3) as Lots;
        let done: number = filled;
        const walked: Ticks[] = [];
        for (let rung = nextRung(leg, ladder, BTC, filled); rung !== null;) {
          done += rung.quantity;
          walked.push(rung.price);
          rung = nextRung(leg, ladder, BTC, done as Lots);
        }
        expect(done).toBe(quantity);
        expect(new Set(walked).size).toBe(walked.length);
      }),
      { numRuns: runs(150, 500) },
    );
  });
});

describe('SCALE', () => {
  const five = { clip: count(5), ladder: ladderOf(BID, BID - 400, 2) };

  test('rests all rungs at once and fills from the top', () => {
    const rig = open(five);
    expect(placed(rig).map(({ quantity, limitPrice }) => [limitPrice, quantity])).toEqual([
      [BID, 200],
      [BID - 100, 250],
      [BID - 200, 300],
      [BID - 300, 350],
      [BID - 400, 400],
    ]);
    rig.onMarket(marketOf({ bid: BID - 250, ask: BID - 150 }));
    expect(rig.state.legs[0].progress.filled).toBe(450);
    rig.onMarket(marketOf({ bid: BID - 510, ask: BID - 500 }));
    expect(rig.state).toMatchObject({ status: 'FILLED', legs: [{ childCount: 5 }] });
  });

  test('places a rung again at its price after the venue ended its child', () => {
    const rig = open(five);
    rig.venue.drop(rejectionOf('EXCHANGE_ERROR'), 0);
    rig.exchange();
    rig.passUntil(START_MS + 5_000);
    expect(placed(rig).slice(5)).toMatchObject([{ limitPrice: BID, quantity: 200 }]);
    expect(rig.venue.openCount).toBe(5);
  });

  test('places more rungs than one decision may in several decisions', () => {
    const rig = open({ clip: count(120), ladder: ladderOf(BID, BID - 11_900), quantity: 120_000 as Lots });
    rig.passUntil(START_MS + 10_000);
    expect(rig.venue.openCount).toBe(120);
    expect(placed(rig)).toHaveLength(120);
  });
});

/** Fills the order to its end, clip by clip, and returns the quantities of its children. */
function fillAll(rig: OrderRig): number[] {
  for (let round = 0; round < 40 && !rig.isOver; round += 1) {
    expect(rig.venue.openCount).toBeLessThanOrEqual(1);
    rig.venue.fillResting(1_000);
    rig.exchange();
    rig.passUntil(rig.nowMs + 2_000);
  }
  return placed(rig).map(({ quantity }) => quantity);
}

describe('ICEBERG', () => {
  const iceberg = { strategy: 'ICEBERG', clip: { type: 'ABSOLUTE', quantity: 150 } as Clip, ladder: null } as const;

  test('shows one clip at a time at its limit price', () => {
    const rig = open({ ...iceberg, limitPrice: (BID - 50) as Ticks });
    expect(fillAll(rig)).toEqual(Array.from({ length: 10 }, () => 150));
    expect(rig.state.status).toBe('FILLED');
    expect(placed(rig).every(({ limitPrice }) => limitPrice === BID - 50)).toBe(true);
  });

  test('joins the near touch and follows it without a limit price', () => {
    const rig = open({ ...iceberg, style: 'PASSIVE' });
    rig.onMarket(marketOf({ bid: BID + 20, ask: BID + 40 }));
    rig.passUntil(START_MS + 20_000);
    expect(placed(rig).map(({ limitPrice }) => limitPrice)).toEqual([BID, BID + 20]);
    fillAll(rig);
    expect(rig.state.status).toBe('FILLED');
  });

  test('does not add to a partly filled clip', () => {
    const rig = open({ ...iceberg, style: 'PASSIVE' });
    rig.venue.fillResting(100);
    rig.exchange();
    rig.passUntil(START_MS + 5_000);
    expect(placed(rig)).toHaveLength(1);
  });

  test('withdraws a rest below the minimum when the touch moves away, and shows a whole clip at the new touch', () => {
    const rig = open({ ...iceberg, style: 'PASSIVE' });
    rig.venue.fillResting(145);
    rig.exchange();
    rig.onMarket(marketOf({ bid: BID + 20, ask: BID + 40 }));
    rig.passUntil(START_MS + 5_000);
    expect(placed(rig)).toHaveLength(1);
    rig.passUntil(START_MS + 20_000);
    expect(placed(rig).slice(1)).toMatchObject([{ limitPrice: BID + 20, quantity: 150 }]);
    fillAll(rig);
    expect(rig.state.status).toBe('FILLED');
  });

  test('withdraws a rest below the minimum to take a clip when a HYBRID order is late', () => {
    const rig = open({ ...iceberg, style: 'HYBRID', endAtMs: (START_MS + 60_000) as EpochMs });
    rig.venue.fillResting(145);
    rig.exchange();
    rig.wait(30_000);
    rig.exchange();
    expect(placed(rig)[1]).toMatchObject({ limitPrice: ASK, timeInForce: 'IOC', quantity: 150 });
  });

  test('keeps the last rest in the book when it is below the minimum', () => {
    const rig = open({ ...iceberg, style: 'PASSIVE', quantity: 150 as Lots });
    rig.venue.fillResting(145);
    rig.exchange();
    rig.onMarket(marketOf({ bid: BID + 20, ask: BID + 40 }));
    rig.passUntil(START_MS + 20_000);
    expect([placed(rig).length, rig.venue.openCount]).toEqual([1, 1]);
  });

  test('randomised, shows clips of different sizes', () => {
    const rig = open({ ...iceberg, limitPrice: BID, randomizeQuantity: true });
    const sizes = fillAll(rig);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(190);
    expect(new Set(sizes).size).toBeGreaterThan(3);
    expect(rig.state.status).toBe('FILLED');
  });

  test('works its ladder one rung at a time, from the top', () => {
    const rig = open({ ...iceberg, clip: count(5), ladder: ladderOf(BID, BID - 400, 2) });
    expect(fillAll(rig)).toEqual([200, 250, 300, 350, 400]);
    expect(placed(rig).map(({ limitPrice }) => limitPrice)).toEqual([BID, BID - 100, BID - 200, BID - 300, BID - 400]);
  });

  test('places at least the minimum of a rung whose rest is below it', () => {
    const rig = open({ ...iceberg, clip: count(5), ladder: ladderOf(BID, BID - 400, 2) });
    rig.venue.fillResting(195);
    rig.exchange();
    rig.pause();
    rig.exchange();
    rig.resume();
    rig.look();
    rig.exchange();
    expect(placed(rig).slice(1)).toMatchObject([{ limitPrice: BID, quantity: BTC.quantityMin }]);
    expect(fillAll(rig).slice(2)).toEqual([245, 300, 350, 400]);
    expect(rig.state.status).toBe('FILLED');
  });

  const small = { clip: { type: 'ABSOLUTE', quantity: 11 } as Clip, quantity: 300 as Lots };
  const least = { clip: { type: 'ABSOLUTE', quantity: 10 } as Clip, quantity: 300 as Lots, side: 'SELL' } as const;

  test.each([
    ['a random clip at a limit price', { ...small, limitPrice: BID, randomizeQuantity: true }, BTC],
    ['a random clip at the touch', { ...small, style: 'PASSIVE', randomizeQuantity: true }, BTC],
    ['a sale at a limit price far below the ask', { ...least, limitPrice: (BID / 2) as Ticks }, BTC],
    [
      'a sale to a bid with a larger minimum than the ask',
      { ...least, style: 'AGGRESSIVE' },
      { ...BTC, notionalMin: 10 * ASK },
    ],
  ] as const)('raises a clip below the minimum and is filled: %s', (_, terms, instrument) => {
    const rig = open({ ...iceberg, ...terms }, instrument);
    for (const quantity of fillAll(rig)) expect(quantity).toBeGreaterThanOrEqual(instrument.quantityMin);
    expect(rig.state.status).toBe('FILLED');
  });

  test('is filled by its end time', () => {
    const rig = open({ ...iceberg, style: 'PASSIVE', endAtMs: (START_MS + 60_000) as never });
    rig.passUntil(START_MS + 60_000);
    expect(rig.state.status).toBe('FILLED');
  });
});
