import { describe, expect, test } from 'vitest';
import type { Instrument } from '../../src/domain/instrument.js';
import type { ChildOrder } from '../../src/domain/order-state.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { strategyFor } from '../../src/strategy/registry.js';
import { OrderRig } from '../order/order-rig.js';
import { BTC, marketOf, orderOf, rejectionOf, START_MS } from '../order/orders.js';
import type { FlatTerms } from '../domain/plain-order.js';

const { bid: BID, ask: ASK } = marketOf();
const SMALL_CHILDREN: Instrument = { ...BTC, quantityMax: 300 as Lots };

function open(order: Partial<FlatTerms>, instrument: Instrument = BTC): OrderRig {
  const full = orderOf({ endAtMs: null, durationMs: null, ...order });
  const strategy = strategyFor(full);
  if (strategy === null) throw new Error(`${full.legs[0].strategy} is not offered`);
  const rig = new OrderRig(full, strategy, instrument);
  rig.look();
  return rig;
}

function placed(rig: OrderRig): ChildOrder[] {
  return rig.events.flatMap(({ event }) => (event.kind === 'ChildSubmitted' ? [event.order] : []));
}

test('strategyFor returns null for a name that is not offered', () => {
  expect(strategyFor(orderOf({ strategy: 'PAIR' as never }))).toBeNull();
});

describe('LIMIT', () => {
  const limit = { strategy: 'LIMIT', limitPrice: (BID - 10) as Ticks } as const;

  test('rests its whole quantity at its price until it is filled, without a wake', () => {
    const rig = open(limit);
    rig.exchange();
    expect(placed(rig)).toMatchObject([{ quantity: 1_000, timeInForce: 'GTC', limitPrice: BID - 10, postOnly: false }]);
    expect(rig.wake).toEqual({ atMs: null, when: [] });
    rig.onMarket(marketOf({ bid: BID - 30, ask: BID - 20 }));
    expect(rig.state).toMatchObject({
      status: 'FILLED',
      legs: [{ progress: { notional: 1_000n * BigInt(BID - 20) } }],
    });
  });

  test("is split into equal parts by the venue's largest child", () => {
    const rig = open({ ...limit, postOnly: true }, SMALL_CHILDREN);
    expect(placed(rig).map(({ quantity }) => quantity)).toEqual([250, 250, 250, 250]);
    expect(placed(rig).every(({ postOnly }) => postOnly)).toBe(true);
  });

  test("is split by the venue's largest notional", () => {
    const notionalMax = 400 * (BID - 10) + 1;
    const rig = open(limit, { ...BTC, filters: { ...BTC.filters, notionalMax } });
    expect(placed(rig).map(({ quantity }) => quantity)).toEqual([334, 333, 333]);
  });

  test('waits with a price that the venue would reject as too far away', () => {
    const filters = { ...BTC.filters, buyBand: { minPpm: 500_000, maxPpm: null } };
    const rig = open({ ...limit, limitPrice: 3_000_000 as Ticks }, { ...BTC, filters });
    expect(placed(rig)).toEqual([]);
    expect(rig.wake).toEqual({ atMs: null, when: [{ field: 'ask', at: 'or below', bound: 6_000_000 }] });
    expect(rig.state.status).toBe('ACCEPTED');
    rig.onMarket(marketOf({ bid: 5_999_990, ask: 6_000_001 }));
    expect(placed(rig)).toEqual([]);
    rig.onMarket(marketOf({ bid: 5_999_990, ask: 6_000_000 }));
    expect(placed(rig)).toMatchObject([{ quantity: 1_000, timeInForce: 'GTC', limitPrice: 3_000_000 }]);
  });

  test('places more children than one decision may a second later', () => {
    const rig = open(limit, { ...BTC, quantityMax: 20 as Lots });
    expect(placed(rig)).toHaveLength(20);
    rig.passUntil(START_MS + 3_000);
    expect(placed(rig)).toHaveLength(50);
    expect(rig.state.legs[0].children).toHaveLength(50);
  });

  test('is placed again a second after the venue ended it', () => {
    const rig = open(limit);
    rig.exchange();
    rig.venue.fillResting(400);
    rig.venue.drop(rejectionOf('EXCHANGE_ERROR'), 0);
    rig.exchange();
    expect(placed(rig)).toHaveLength(1);
    rig.passUntil(START_MS + 1_000);
    expect(placed(rig)[1]).toMatchObject({ quantity: 600, limitPrice: BID - 10 });
  });

  test('is placed again when the venue never received it', () => {
    const rig = open(limit);
    rig.loseVenue();
    rig.regainVenue();
    rig.passUntil(START_MS + 2_000);
    expect(placed(rig).map(({ child }) => child)).toEqual([1, 2]);
    expect(rig.venue.submissions.map(({ child }) => child)).toEqual([2]);
  });

  test('ends REJECTED when the venue rejects it', () => {
    const rig = open(limit);
    rig.venue.refusal = rejectionOf('INSUFFICIENT_FUNDS');
    rig.exchange();
    expect(rig.state).toMatchObject({ status: 'REJECTED', outcome: rejectionOf('INSUFFICIENT_FUNDS') });
  });
});

describe('MARKET', () => {
  const market = { strategy: 'MARKET' } as const;

  test("is split by the venue's largest order", () => {
    expect(placed(open(market, { ...BTC, quantityMax: 400 as Lots })).map(({ quantity }) => quantity)).toEqual([
      334, 333, 333,
    ]);
  });

  test('takes at most half a percent beyond the touch at once', () => {
    expect(placed(open(market))).toMatchObject([{ limitPrice: ASK + Math.floor(ASK / 200) }]);
    expect(placed(open({ ...market, side: 'SELL' }))).toMatchObject([{ limitPrice: BID - Math.floor(BID / 200) }]);
  });

  test('ends when the market moves away from its arrival price', () => {
    const rig = open(market);
    rig.venue.depth = 400;
    rig.exchange();
    rig.onMarket(marketOf({ bid: BID + 400_000, ask: ASK + 400_000 }), 0);
    rig.passUntil(START_MS + 1_000);
    expect(rig.state).toMatchObject({
      status: 'CANCELLED',
      legs: [{ progress: { filled: 400 } }],
      outcome: { code: 'SLIPPAGE_EXCEEDED' },
    });
    expect(rig.state.outcome?.message).toContain('5 % from the arrival price');
  });

  test('takes the whole book, and the rest after the book refills', () => {
    const rig = open(market);
    rig.venue.depth = 400;
    rig.exchange();
    expect(rig.state.legs[0].progress.filled).toBe(400);
    rig.venue.depth = 600;
    rig.passUntil(START_MS + 250);
    expect(rig.state.status).toBe('FILLED');
    expect(placed(rig)).toMatchObject([
      { type: 'LIMIT', timeInForce: 'IOC', quantity: 1_000 },
      { type: 'LIMIT', timeInForce: 'IOC', quantity: 600 },
    ]);
  });

  test('waits longer after each attempt that took nothing, up to two seconds, and anew after a fill', () => {
    const rig = open(market);
    rig.venue.depth = 0;
    rig.passUntil(START_MS + 7_000);
    const attemptsAfter = (ms: number): number[] =>
      placed(rig).flatMap(({ submittedAtMs }) => (submittedAtMs > START_MS + ms ? [submittedAtMs - START_MS] : []));
    expect(attemptsAfter(0)).toEqual([250, 500, 1_000, 2_000, 4_000, 6_000]);
    rig.venue.depth = 300;
    rig.passUntil(START_MS + 8_000);
    expect(rig.state.legs[0].progress.filled).toBe(300);
    rig.venue.depth = 0;
    rig.passUntil(START_MS + 9_500);
    expect(attemptsAfter(7_000)).toEqual([8_000, 8_250, 8_500, 8_750, 9_250]);
  });

  test('waits shorter after attempts that took nothing when its end is near', () => {
    const rig = open({ ...market, endAtMs: (START_MS + 4_000) as EpochMs });
    rig.venue.depth = 0;
    rig.passUntil(START_MS + 4_000);
    const attempts = placed(rig).map(({ submittedAtMs }) => submittedAtMs - START_MS);
    expect(attempts).toEqual([0, 250, 500, 1_000, 1_937, 2_640, 3_167, 3_562, 3_859]);
  });

  test('does not try again while the outcome of an attempt is unknown', () => {
    const rig = open(market);
    rig.venue.depth = 400;
    rig.passUntil(START_MS + 200);
    rig.loseVenue();
    rig.passUntil(START_MS + 3_000);
    expect(rig.state.legs[0].memory?.pacing.takes).toBe(1);
  });

  test('does not count attempts of which a child may still fill', () => {
    const rig = open(market, { ...BTC, quantityMax: 20 as Lots });
    const takes = () => rig.state.legs[0].memory?.pacing.takes;
    rig.wait(250);
    expect([placed(rig).length, takes()]).toEqual([40, 1]);
    rig.venue.depth = 0;
    rig.exchange();
    rig.passUntil(START_MS + 500);
    expect([placed(rig).length, takes()]).toEqual([60, 2]);
  });

  test('takes up to its limit price, and waits beyond it', () => {
    const rig = open({ ...market, limitPrice: (ASK - 5) as Ticks });
    expect(placed(rig)).toEqual([]);
    expect(rig.wake).toEqual({ atMs: null, when: [{ field: 'ask', at: 'or below', bound: ASK - 5 }] });
    rig.onMarket(marketOf({ ask: ASK - 7 }));
    expect(placed(rig)).toMatchObject([{ type: 'LIMIT', timeInForce: 'IOC', limitPrice: ASK - 5 }]);
    expect(rig.state).toMatchObject({ status: 'FILLED', legs: [{ lastPrice: ASK - 7 }] });
  });

  test('waits for the side that it takes from', () => {
    const rig = open({ ...market, side: 'SELL' });
    rig.venue.depth = 0;
    rig.exchange();
    rig.onMarket(marketOf({ bid: 0 }), 0);
    rig.passUntil(START_MS + 1_000);
    expect(rig.wake.when).toEqual([{ field: 'bid', at: 'or above', bound: 1 }]);
    rig.onMarket(marketOf());
    expect(rig.state.status).toBe('FILLED');
  });

  test('ends when its rest is below the minimum of a child', () => {
    const rig = open(market);
    rig.venue.depth = 995;
    rig.exchange();
    rig.passUntil(START_MS + 1_000);
    expect(rig.state).toMatchObject({ status: 'CANCELLED', legs: [{ progress: { filled: 995 } }] });
    expect(rig.state.outcome).toEqual({
      code: 'INVALID_QUANTITY',
      message: "the rest of 0.00005 BTC is below the exchange's minimum of 0.0001",
    });
  });

  test('ends after sixty temporary refusals when nothing else would end it', () => {
    const rig = open(market);
    rig.venue.refusal = rejectionOf('EXCHANGE_NOT_AVAILABLE');
    rig.passUntil(START_MS + 3_600_000);
    expect(placed(rig)).toHaveLength(60);
    expect(rig.state).toMatchObject({ status: 'REJECTED', outcome: { code: 'EXCHANGE_NOT_AVAILABLE' } });
  });
});
