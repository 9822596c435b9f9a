import { describe, expect, test } from 'vitest';
import type { Instrument } from '../../src/domain/instrument.js';
import type { ChildOrder } from '../../src/domain/order-state.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { strategyFor } from '../../src/strategy/registry.js';
import { Desk } from '../order/desk.js';
import { BTC, marketOf, orderOf, rejectionOf, START_MS } from '../order/orders.js';
import type { FlatTerms } from '../domain/plain-order.js';

const { bid: BID, ask: ASK } = marketOf();
const SMALL_CHILDREN: Instrument = { ...BTC, quantityMax: 300 as Lots };

function open(order: Partial<FlatTerms>, instrument: Instrument = BTC): Desk {
  const full = orderOf({ endAtMs: null, durationMs: null, ...order });
  const strategy = strategyFor(full);
  if (strategy === null) throw new Error(`${full.legs[0].strategy} is not offered`);
  const desk = new Desk(full, strategy, instrument);
  desk.look();
  return desk;
}

function placed(desk: Desk): ChildOrder[] {
  return desk.events.flatMap(({ event }) => (event.kind === 'ChildSubmitted' ? [event.order] : []));
}

test('strategyFor returns null for a name that is not offered', () => {
  expect(strategyFor(orderOf({ strategy: 'PAIR' as never }))).toBeNull();
});

describe('LIMIT', () => {
  const limit = { strategy: 'LIMIT', limitPrice: (BID - 10) as Ticks } as const;

  test('rests its whole quantity at its price until it is filled, without a wake', () => {
    const desk = open(limit);
    desk.exchange();
    expect(placed(desk)).toMatchObject([
      { quantity: 1_000, timeInForce: 'GTC', limitPrice: BID - 10, postOnly: false },
    ]);
    expect(desk.wake).toEqual({ atMs: null, when: [] });
    desk.onMarket(marketOf({ bid: BID - 30, ask: BID - 20 }));
    expect(desk.state).toMatchObject({
      status: 'FILLED',
      legs: [{ progress: { notional: 1_000n * BigInt(BID - 20) } }],
    });
  });

  test("is split into equal parts by the venue's largest child", () => {
    const desk = open({ ...limit, postOnly: true }, SMALL_CHILDREN);
    expect(placed(desk).map(({ quantity }) => quantity)).toEqual([250, 250, 250, 250]);
    expect(placed(desk).every(({ postOnly }) => postOnly)).toBe(true);
  });

  test("is split by the venue's largest notional", () => {
    const notionalMax = 400 * (BID - 10) + 1;
    const desk = open(limit, { ...BTC, filters: { ...BTC.filters, notionalMax } });
    expect(placed(desk).map(({ quantity }) => quantity)).toEqual([334, 333, 333]);
  });

  test('waits with a price that the venue would reject as too far away', () => {
    const filters = { ...BTC.filters, buyBand: { minPpm: 500_000, maxPpm: null } };
    const desk = open({ ...limit, limitPrice: 3_000_000 as Ticks }, { ...BTC, filters });
    expect(placed(desk)).toEqual([]);
    expect(desk.wake).toEqual({ atMs: null, when: [{ field: 'ask', at: 'or below', bound: 6_000_000 }] });
    expect(desk.state.status).toBe('ACCEPTED');
    desk.onMarket(marketOf({ bid: 5_999_990, ask: 6_000_001 }));
    expect(placed(desk)).toEqual([]);
    desk.onMarket(marketOf({ bid: 5_999_990, ask: 6_000_000 }));
    expect(placed(desk)).toMatchObject([{ quantity: 1_000, timeInForce: 'GTC', limitPrice: 3_000_000 }]);
  });

  test('places more children than one decision may a second later', () => {
    const desk = open(limit, { ...BTC, quantityMax: 20 as Lots });
    expect(placed(desk)).toHaveLength(20);
    desk.passUntil(START_MS + 3_000);
    expect(placed(desk)).toHaveLength(50);
    expect(desk.state.legs[0].children).toHaveLength(50);
  });

  test('is placed again a second after the venue ended it', () => {
    const desk = open(limit);
    desk.exchange();
    desk.venue.fillResting(400);
    desk.venue.drop(rejectionOf('EXCHANGE_ERROR'), 0);
    desk.exchange();
    expect(placed(desk)).toHaveLength(1);
    desk.passUntil(START_MS + 1_000);
    expect(placed(desk)[1]).toMatchObject({ quantity: 600, limitPrice: BID - 10 });
  });

  test('is placed again when the venue never received it', () => {
    const desk = open(limit);
    desk.loseVenue();
    desk.regainVenue();
    desk.passUntil(START_MS + 2_000);
    expect(placed(desk).map(({ child }) => child)).toEqual([1, 2]);
    expect(desk.venue.submissions.map(({ child }) => child)).toEqual([2]);
  });

  test('ends REJECTED when the venue rejects it', () => {
    const desk = open(limit);
    desk.venue.refusal = rejectionOf('INSUFFICIENT_FUNDS');
    desk.exchange();
    expect(desk.state).toMatchObject({ status: 'REJECTED', outcome: rejectionOf('INSUFFICIENT_FUNDS') });
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
    const desk = open(market);
    desk.venue.depth = 400;
    desk.exchange();
    desk.onMarket(marketOf({ bid: BID + 400_000, ask: ASK + 400_000 }), 0);
    desk.passUntil(START_MS + 1_000);
    expect(desk.state).toMatchObject({
      status: 'CANCELLED',
      legs: [{ progress: { filled: 400 } }],
      outcome: { code: 'SLIPPAGE_EXCEEDED' },
    });
    expect(desk.state.outcome?.message).toContain('5 % from the arrival price');
  });

  test('takes the whole book, and the rest after the book refills', () => {
    const desk = open(market);
    desk.venue.depth = 400;
    desk.exchange();
    expect(desk.state.legs[0].progress.filled).toBe(400);
    desk.venue.depth = 600;
    desk.passUntil(START_MS + 250);
    expect(desk.state.status).toBe('FILLED');
    expect(placed(desk)).toMatchObject([
      { type: 'LIMIT', timeInForce: 'IOC', quantity: 1_000 },
      { type: 'LIMIT', timeInForce: 'IOC', quantity: 600 },
    ]);
  });

  test('takes up to its limit price, and waits beyond it', () => {
    const desk = open({ ...market, limitPrice: (ASK - 5) as Ticks });
    expect(placed(desk)).toEqual([]);
    expect(desk.wake).toEqual({ atMs: null, when: [{ field: 'ask', at: 'or below', bound: ASK - 5 }] });
    desk.onMarket(marketOf({ ask: ASK - 7 }));
    expect(placed(desk)).toMatchObject([{ type: 'LIMIT', timeInForce: 'IOC', limitPrice: ASK - 5 }]);
    expect(desk.state).toMatchObject({ status: 'FILLED', legs: [{ lastPrice: ASK - 7 }] });
  });

  test('waits for the side that it takes from', () => {
    const desk = open({ ...market, side: 'SELL' });
    desk.venue.depth = 0;
    desk.exchange();
    desk.onMarket(marketOf({ bid: 0 }), 0);
    desk.passUntil(START_MS + 1_000);
    expect(desk.wake.when).toEqual([{ field: 'bid', at: 'or above', bound: 1 }]);
    desk.onMarket(marketOf());
    expect(desk.state.status).toBe('FILLED');
  });

  test('ends when its rest is below the minimum of a child', () => {
    const desk = open(market);
    desk.venue.depth = 995;
    desk.exchange();
    desk.passUntil(START_MS + 1_000);
    expect(desk.state).toMatchObject({ status: 'CANCELLED', legs: [{ progress: { filled: 995 } }] });
    expect(desk.state.outcome).toEqual({
      code: 'INVALID_QUANTITY',
      message: "the rest of 0.00005 BTC is below the exchange's minimum of 0.0001",
    });
  });

  test('ends after sixty temporary refusals when nothing else would end it', () => {
    const desk = open(market);
    desk.venue.refusal = rejectionOf('EXCHANGE_NOT_AVAILABLE');
    desk.passUntil(START_MS + 3_600_000);
    expect(placed(desk)).toHaveLength(60);
    expect(desk.state).toMatchObject({ status: 'REJECTED', outcome: { code: 'EXCHANGE_NOT_AVAILABLE' } });
  });
});
