import { describe, expect, test } from 'vitest';
import type { Instrument } from '../../src/domain/instrument.js';
import type { Market } from '../../src/domain/market.js';
import type { ChildOrder } from '../../src/domain/order-state.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { TWAP } from '../../src/strategy/schedule/twap-vwap.js';
import { Desk } from '../order/desk.js';
import { BTC, marketOf, orderOf, rejectionOf, START_MS } from '../order/orders.js';
import type { FlatTerms } from '../domain/plain-order.js';

const at = (seconds: number) => (START_MS + seconds * 1_000) as EpochMs;
/** Ten slices of 100 lots, one each 30 s. */
const LONG: Partial<FlatTerms> = { style: 'HYBRID', endAtMs: at(300) };
const EQUAL_FEES: Instrument = { ...BTC, makerFeePpm: 1_000, takerFeePpm: 1_000 };
/** A market that moves by 10 bps a minute, with this share of the touch's quantity on its bid. */
const moving = (bidShare = 0.5, volatility = 0.001): Market => {
  const bidQuantity = Math.round(1_000 * bidShare);
  return {
    ...marketOf(),
    volatility,
    bidQuantity: bidQuantity as Lots,
    askQuantity: (1_000 - bidQuantity) as Lots,
  };
};

function open(market: Market, order: Partial<FlatTerms>, instrument = BTC): Desk {
  const desk = new Desk(orderOf({ ...LONG, ...order }), TWAP, instrument);
  desk.venue.move(market, Infinity);
  desk.look();
  desk.exchange();
  return desk;
}

function placed(desk: Desk): ChildOrder[] {
  return desk.events.flatMap(({ event }) => (event.kind === 'ChildSubmitted' ? [event.order] : []));
}

function firstCrossingS(desk: Desk): number {
  desk.passUntil(at(300));
  const first = placed(desk).find(({ timeInForce }) => timeInForce === 'IOC');
  return ((first?.submittedAtMs ?? Infinity) - START_MS) / 1_000;
}

describe('HYBRID where taking costs no more than making', () => {
  test('rests the least quantity first, and takes the slice on a heavy own side or after half of its time', () => {
    const desk = open(moving(0.5), {}, EQUAL_FEES);
    const tip = { timeInForce: 'GTC', quantity: 10, reason: { code: 'JOIN_TOUCH' } };
    expect(placed(desk)).toMatchObject([tip]);
    expect(desk.wake.when).toContainEqual({ field: 'bidShare', at: 'or above', bound: 0.9 });
    desk.passUntil(at(14));
    expect(placed(desk)).toMatchObject([tip]);
    desk.passUntil(at(15));
    const taken = { timeInForce: 'IOC', quantity: 90, reason: { code: 'TAKE_AT_MOMENT' } };
    expect(placed(desk)).toMatchObject([tip, taken]);
    desk.passUntil(at(300));
    expect(desk.state.status).toBe('FILLED');
  });

  test('waits with the rest of the slice after the resting child is filled', () => {
    const desk = open(moving(0.5), {}, EQUAL_FEES);
    desk.venue.fillResting(100);
    desk.exchange();
    desk.passUntil(at(14));
    expect(placed(desk)).toHaveLength(1);
    desk.passUntil(at(15));
    expect(placed(desk).at(-1)).toMatchObject({ timeInForce: 'IOC', quantity: 90 });
  });

  test.each([
    ['BUY', 0.95, 0],
    ['BUY', 0.8, 7.5],
    ['BUY', 0.1, 22.5],
    ['SELL', 0.05, 0],
    ['SELL', 0.9, 22.5],
  ] as const)('%s with a bid share of %s takes after %s s', (side, bidShare, seconds) => {
    expect(firstCrossingS(open(moving(bidShare), { side }, EQUAL_FEES))).toBeCloseTo(seconds, 2);
  });

  test('rests when its limit price forbids taking', () => {
    const desk = open(moving(0.95), { limitPrice: marketOf().bid }, EQUAL_FEES);
    expect(placed(desk)).toMatchObject([{ timeInForce: 'GTC' }]);
  });

  test('rests when the client has set post-only or a placement', () => {
    for (const order of [{ postOnly: true }, { placement: { mode: 'TIGHT' } }] as const) {
      expect(placed(open(moving(0.95), order, EQUAL_FEES))).toMatchObject([{ timeInForce: 'GTC' }]);
    }
  });

  test('rests in style PASSIVE, and in style HYBRID while the volatility is unknown', () => {
    expect(placed(open(moving(0.95), { style: 'PASSIVE' }, EQUAL_FEES))).toMatchObject([{ timeInForce: 'GTC' }]);
    expect(placed(open(moving(0.95, 0), {}, EQUAL_FEES))).toMatchObject([{ timeInForce: 'GTC' }]);
  });
});

describe('HYBRID where making is cheaper', () => {
  test.each([
    ['waits less than two slots when the price moves by the cost of taking within a slot', 0.001, [44, 60]],
    ['waits three slices at most in a calm market', 0.0001, [85, 120]],
  ] as const)('%s', (_, volatility, [least, most]) => {
    const seconds = firstCrossingS(open(moving(0.5, volatility), {}));
    expect(seconds).toBeGreaterThanOrEqual(least);
    expect(seconds).toBeLessThanOrEqual(most);
  });

  test('lets slices that follow fast lag by the usual interval of one slice', () => {
    const seconds = firstCrossingS(open(moving(0.5, 0.0001), { endAtMs: at(60) }));
    expect(seconds).toBeGreaterThanOrEqual(25);
    expect(seconds).toBeLessThanOrEqual(36);
  });
});

describe('a child that joins the book', () => {
  test('is post-only where the exchange offers that', () => {
    expect(placed(open(moving(), {}))).toMatchObject([{ timeInForce: 'GTC', postOnly: true }]);
    const filters = { ...BTC.filters, isPostOnlyOffered: false };
    expect(placed(open(moving(), {}, { ...BTC, filters }))).toMatchObject([{ timeInForce: 'GTC', postOnly: false }]);
  });

  test('is placed again after each post-only rejection, at least 200 ms later', () => {
    const desk = open(moving(), { style: 'PASSIVE' });
    desk.venue.refusal = { ...rejectionOf('INVALID_ORDER'), retryAfterMs: 200 as never };
    desk.passUntil(at(100));
    const times = placed(desk)
      .slice(1)
      .map(({ submittedAtMs }) => submittedAtMs);
    expect(times.length).toBeGreaterThan(5);
    for (const [index, atMs] of times.entries()) expect(atMs - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(200);
    desk.venue.refusal = null;
    desk.passUntil(at(300));
    expect(desk.state.status).toBe('FILLED');
  });
});

function placedWithThreshold(order: Partial<FlatTerms>): ChildOrder[] {
  return placed(open(moving(), { imbalanceThresholdPpm: 750_000, ...order }));
}

describe('an order with an imbalance threshold', () => {
  // A price that moves by 10 bps a minute moves by 1.03 bps in a second, on average.
  const AWAY = 659;

  test.each(['PASSIVE', 'HYBRID'] as const)(
    '%s joins away from the touch, by the expected move of the price',
    (style) => {
      expect(placedWithThreshold({ style })).toMatchObject([
        { limitPrice: marketOf().bid - AWAY, reason: { code: 'JOIN_BEHIND' } },
      ]);
      expect(placedWithThreshold({ style, side: 'SELL' })).toMatchObject([{ limitPrice: marketOf().ask + AWAY }]);
    },
  );

  test('comes to the touch as its time runs out', () => {
    const desk = open(moving(), { style: 'PASSIVE', imbalanceThresholdPpm: 750_000 });
    desk.passUntil(at(150));
    const away = placed(desk).map(({ limitPrice }) => marketOf().bid - (limitPrice ?? 0));
    expect(away[0]).toBe(AWAY);
    expect(away.at(-1)).toBe(0);
  });

  test("rests where the client's placement says", () => {
    const tight = placedWithThreshold({ style: 'PASSIVE', placement: { mode: 'TIGHT' } });
    expect(tight).toMatchObject([{ limitPrice: marketOf().bid }]);
  });
});
