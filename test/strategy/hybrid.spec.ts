import { describe, expect, test } from 'vitest';
import type { Instrument } from '../../src/domain/instrument.js';
import type { Market } from '../../src/domain/market.js';
import { type ChildOrder, restOf } from '../../src/domain/order-state.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { REASONS } from '../../src/domain/reason.js';
import type { EpochMs } from '../../src/domain/time.js';
import { TWAP } from '../../src/strategy/schedule/twap-vwap.js';
import { OrderRig } from '../order/order-rig.js';
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

function open(market: Market, order: Partial<FlatTerms>, instrument = BTC): OrderRig {
  const rig = new OrderRig(orderOf({ ...LONG, ...order }), TWAP, instrument);
  rig.venue.move(market, Infinity);
  rig.look();
  rig.exchange();
  return rig;
}

function placed(rig: OrderRig): ChildOrder[] {
  return rig.events.flatMap(({ event }) => (event.kind === 'ChildSubmitted' ? [event.order] : []));
}

function firstCrossingS(rig: OrderRig): number {
  rig.passUntil(at(300));
  const first = placed(rig).find(({ timeInForce }) => timeInForce === 'IOC');
  return ((first?.submittedAtMs ?? Infinity) - START_MS) / 1_000;
}

describe('HYBRID where taking costs no more than making', () => {
  test('rests the least quantity first, and takes the slice on a heavy own side or after half of its time', () => {
    const rig = open(moving(0.5), {}, EQUAL_FEES);
    const tip = { timeInForce: 'GTC', quantity: 10, reason: { code: 'JOIN_TOUCH' } };
    expect(placed(rig)).toMatchObject([tip]);
    expect(rig.wake.when).toContainEqual({ field: 'bidShare', at: 'or above', bound: 0.9 });
    rig.passUntil(at(14));
    expect(placed(rig)).toMatchObject([tip]);
    rig.passUntil(at(15));
    const taken = { timeInForce: 'IOC', quantity: 90, reason: { code: 'TAKE_AT_MOMENT' } };
    expect(placed(rig)).toMatchObject([tip, taken]);
    rig.passUntil(at(300));
    expect(rig.state.status).toBe('FILLED');
  });

  test('takes the rest at the deadline when the price has fallen since it was placed', () => {
    // The minimum is 10 lots at this price, 11 lots at 0.97 of it, and 12 lots at 0.9 of it.
    const dear: Instrument = { ...EQUAL_FEES, quantityMin: 1 as Lots, notionalMin: 10 * marketOf().bid };
    const rig = open(moving(0.5), { side: 'SELL' }, dear);
    expect(placed(rig)[0]).toMatchObject({ timeInForce: 'GTC', quantity: 12 });
    rig.passUntil(at(280));
    const { bid, ask } = marketOf();
    const [lowerBid, lowerAsk] = [bid, ask].map((price) => Math.round(0.97 * price)) as [Ticks, Ticks];
    rig.venue.move({ ...moving(0.5), bid: lowerBid, ask: lowerAsk }, Infinity);
    rig.passUntil(at(300));
    expect(rig.state.status).toBe('FILLED');
  });

  test('waits with the rest of the slice after the resting child is filled', () => {
    const rig = open(moving(0.5), {}, EQUAL_FEES);
    rig.venue.fillResting(100);
    rig.exchange();
    rig.passUntil(at(14));
    expect(placed(rig)).toHaveLength(1);
    rig.passUntil(at(15));
    expect(placed(rig).at(-1)).toMatchObject({ timeInForce: 'IOC', quantity: 90 });
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
    const rig = open(moving(0.95), { limitPrice: marketOf().bid }, EQUAL_FEES);
    expect(placed(rig)).toMatchObject([{ timeInForce: 'GTC' }]);
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

/** For each child of the order: does its reason say that taking is expected to be cheaper? */
function saidCheaper(order: Partial<FlatTerms>, market: Market, instrument: Instrument): boolean[] {
  const place = REASONS.JOIN_TOUCH.figures.indexOf('taking_is_cheaper');
  return placed(open(market, { style: 'PASSIVE', ...order }, instrument)).map(({ reason }) => {
    return reason.figures?.[place] === 1;
  });
}

describe('PASSIVE where taking costs no more than making', () => {
  test('reports with the resting child that taking is expected to be cheaper', () => {
    expect(saidCheaper({}, moving(), EQUAL_FEES)).toEqual([true]);
    expect(saidCheaper({ limitPrice: marketOf().ask }, moving(), EQUAL_FEES)).toEqual([true]);
  });

  test.each([
    ['making is cheaper', {}, moving(), BTC],
    ['the volatility is unknown', {}, moving(0.5, 0), EQUAL_FEES],
    ['its limit price forbids taking', { limitPrice: marketOf().bid }, moving(), EQUAL_FEES],
    ['the client has set post-only', { postOnly: true }, moving(), EQUAL_FEES],
    ['the client has set a placement', { placement: { mode: 'TIGHT' } }, moving(), EQUAL_FEES],
  ] as const)('does not report it when %s', (_, order, market, instrument) => {
    expect(saidCheaper(order, market, instrument)).toEqual([false]);
  });
});

describe('HYBRID where making is cheaper', () => {
  test.each([
    ['waits less than two slots when the price moves by the cost of taking within a slot', 0.001, [44, 60]],
    ['waits three slices at most in a steady market', 0.0001, [85, 120]],
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
    const rig = open(moving(), { style: 'PASSIVE' });
    rig.venue.refusal = { ...rejectionOf('INVALID_ORDER'), retryAfterMs: 200 as never };
    rig.passUntil(at(100));
    const times = placed(rig)
      .slice(1)
      .map(({ submittedAtMs }) => submittedAtMs);
    expect(times.length).toBeGreaterThan(5);
    for (const [index, atMs] of times.entries()) expect(atMs - (times[index - 1] ?? 0)).toBeGreaterThanOrEqual(200);
    rig.venue.refusal = null;
    rig.passUntil(at(300));
    expect(rig.state.status).toBe('FILLED');
  });
});

describe('an order with an imbalance threshold', () => {
  test.each(['PASSIVE', 'HYBRID'] as const)('%s joins the touch like any other', (style) => {
    const order = { imbalanceThresholdPpm: 750_000, style };
    expect(placed(open(moving(), order))).toMatchObject([
      { limitPrice: marketOf().bid, reason: { code: 'JOIN_TOUCH' } },
    ]);
    expect(placed(open(moving(), { ...order, side: 'SELL' }))).toMatchObject([{ limitPrice: marketOf().ask }]);
  });
});

describe('HYBRID ahead of its schedule', () => {
  test('rests the present slice and the next one, and one more with each slot', () => {
    const rig = open(moving(), {});
    expect(placed(rig)).toMatchObject([{ timeInForce: 'GTC', quantity: 200 }]);
    rig.passUntil(at(46));
    expect(placed(rig)[1]).toMatchObject({ timeInForce: 'GTC', quantity: 100 });
  });

  test('rests nothing more when both are filled, until the next slot', () => {
    const rig = open(moving(), {});
    rig.venue.fillResting(200);
    rig.exchange();
    rig.passUntil(at(29));
    expect(placed(rig)).toHaveLength(1);
    rig.passUntil(at(46));
    expect(placed(rig)).toMatchObject([{ quantity: 200 }, { timeInForce: 'GTC', quantity: 100 }]);
    expect(rig.state.legs[0].progress.filled).toBe(200);
  });

  test('crosses only what is late', () => {
    const rig = open(moving(0.5, 0.001), {});
    expect(firstCrossing(rig)).toBeLessThan(at(60));
    const crossed = placed(rig).filter(({ timeInForce }) => timeInForce === 'IOC');
    expect(crossed).toMatchObject([{ reason: { code: 'CROSS_LAG' } }]);
    // The band is a slice and a half; a whole slice of the lag is not due yet when a slot begins.
    expect(crossed[0]?.quantity).toBeGreaterThanOrEqual(150);
    expect(crossed[0]?.quantity).toBeLessThan(200);
  });

  test('withdraws the children placed last before the first one', () => {
    const rig = open(moving(0.5, 0.001), {});
    rig.venue.fillResting(120);
    rig.exchange();
    firstCrossing(rig);
    const cancelled = rig.events.flatMap(({ event }) => (event.kind === 'ChildCancelRequested' ? [event.child] : []));
    expect(cancelled.length).toBeGreaterThan(1);
    expect(cancelled[0]).not.toBe(1);
    expect(cancelled[1]).not.toBe(1);
  });

  test('never works more than its quantity', () => {
    const rig = open(moving(), { quantity: 1_000 as Lots });
    for (let second = 0; second < 300; second += 1) {
      rig.passUntil(at(second));
      if (second % 7 === 0) rig.venue.fillResting(60);
      rig.exchange();
      let open = 0;
      for (const child of rig.state.legs[0].children) open += restOf(child);
      expect(rig.state.legs[0].progress.filled + open).toBeLessThanOrEqual(1_000);
    }
    rig.passUntil(at(300));
    expect(rig.state.status).toBe('FILLED');
  });

  test.each([
    ['PASSIVE', BTC],
    ['HYBRID', EQUAL_FEES],
  ] as const)('does not concern %s, nor a market where resting does not pay', (style, instrument) => {
    const [first] = placed(open(moving(), { style }, instrument));
    expect(first?.quantity).toBeLessThanOrEqual(100);
  });
});

/** Passes time in steps of 250 ms until a child crosses. Returns that time. */
function firstCrossing(rig: OrderRig): number {
  while (!placed(rig).some(({ timeInForce }) => timeInForce === 'IOC')) rig.passUntil(rig.nowMs + 250);
  return rig.nowMs;
}

describe('AGGRESSIVE', () => {
  const order = { style: 'AGGRESSIVE' } as const;

  test('takes its first slice at once', () => {
    expect(placed(open(moving(0.05), order))).toMatchObject([{ timeInForce: 'IOC', quantity: 100 }]);
  });

  test.each([
    ['BUY', 0.95],
    ['SELL', 0.05],
  ] as const)('%s with a bid share of %s takes each slice when its slot begins', (side, bidShare) => {
    const rig = open(moving(bidShare), { ...order, side });
    rig.passUntil(at(46));
    expect(placed(rig)).toHaveLength(2);
  });

  test('waits for the last quarter of the slot while the price is likely to come nearer', () => {
    const rig = open(moving(0.05), order);
    rig.passUntil(at(52));
    expect(placed(rig)).toHaveLength(1);
    rig.passUntil(at(53));
    expect(placed(rig)).toMatchObject([{ quantity: 100 }, { timeInForce: 'IOC', quantity: 100 }]);
  });

  test('takes at once when the own side becomes heavy in the slot', () => {
    const rig = open(moving(0.5), order);
    rig.passUntil(at(44));
    expect(placed(rig)).toHaveLength(1);
    rig.onMarket(moving(0.95));
    expect(placed(rig)).toHaveLength(2);
  });

  test('does not wait with more than a slice', () => {
    const rig = open(moving(0.05), order);
    rig.venue.depth = 0;
    rig.passUntil(at(76));
    expect(rig.state.legs[0].progress.filled).toBe(100);
    rig.venue.depth = Infinity;
    rig.passUntil(at(80));
    expect(rig.state.legs[0].progress.filled).toBe(300);
  });
});
