import { describe, expect, it } from 'vitest';
import { openOf, type Candle } from '../../../src/model/candle.js';
import type { AccountId, ChildNumber, CorrelationId, OrderId } from '../../../src/model/ids.js';
import { OPEN_INTEREST_UPDATE_MS } from '../../../src/model/limits.js';
import type { MarketUpdate } from '../../../src/model/market-feed.js';
import type { CandlesReport, ChildSubmission } from '../../../src/model/venue-message.js';
import type { Lots } from '../../../src/model/quantity.js';
import { MemoryVenueStore } from '../../../src/venue/index.js';
import { START_MS } from '../simulated-exchange.js';
import { at, FUTURE, HOUR, isSound, MINUTE, SPOT } from './fake-past.js';
import { FollowedExchange } from './followed-exchange.js';

const HEAD = { correlationId: 5 as CorrelationId, account: 'alice' as AccountId, venue: SPOT.venue };
const CANDLES = { kind: 'candles', instrument: SPOT.index, interval: 'ONE_MINUTE' } as const;
const TRADES = { kind: 'trades', instrument: SPOT.index } as const;
const MARK = { kind: 'mark', instrument: FUTURE.index } as const;
const OPEN_INTEREST = { kind: 'openInterest', instrument: FUTURE.index } as const;

function ofKind<Kind extends MarketUpdate['kind']>(exchange: FollowedExchange, kind: Kind) {
  return exchange.updates.filter((update): update is Extract<MarketUpdate, { kind: Kind }> => update.kind === kind);
}

function closed(exchange: FollowedExchange): Candle[] {
  return ofKind(exchange, 'CandleChanged').flatMap(({ isClosed, candle }) => (isClosed ? [candle] : []));
}

function candles(exchange: FollowedExchange, fromMs: number): readonly Candle[] {
  const range = { fromMs: at(fromMs), toMs: at(exchange.nowMs), limit: 1_000 };
  const about = { instrument: SPOT.index, interval: 'ONE_MINUTE' } as const;
  return (exchange.ask({ kind: 'QueryCandles', ...HEAD, ...about, ...range }) as CandlesReport).candles;
}

/** What is told in a good minute. */
function toldUnder(seed: number): MarketUpdate[] {
  const exchange = new FollowedExchange({ seed });
  exchange.follow(CANDLES, MARK, OPEN_INTEREST);
  exchange.pass(70_000);
  return exchange.updates;
}

/** The open interest after we bought so many lots. */
function openInterestWith(quantity: number): number {
  const exchange = new FollowedExchange();
  const order: ChildSubmission = {
    account: HEAD.account,
    venue: HEAD.venue,
    orderId: 1 as OrderId,
    child: 1 as ChildNumber,
    instrument: FUTURE.index,
    side: 'BUY',
    quantity: quantity as Lots,
    type: 'MARKET',
    timeInForce: 'IOC',
    limitPrice: null,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'NONE',
  };
  if (quantity > 0) exchange.ask({ kind: 'Submit', ...order });
  exchange.follow(OPEN_INTEREST);
  exchange.pass(100);
  return ofKind(exchange, 'OpenInterestChanged').at(-1)!.openInterest.openInterest;
}

describe('the feeds of a simulated exchange', () => {
  it('tell candles that are what its trades come to, behind a history that leads up to them', () => {
    const exchange = new FollowedExchange();
    exchange.pass(20_000);
    exchange.follow(CANDLES, TRADES);
    exchange.pass(4 * MINUTE);
    const prints = ofKind(exchange, 'Traded').map(({ print }) => print);
    // The market made up for the time before it was followed, which is nobody's.
    expect(exchange.prints.slice(-prints.length)).toEqual(prints);

    const [, second, third] = closed(exchange);
    for (const candle of [second!, third!]) {
      const within = prints.filter(({ atMs }) => openOf(atMs, 'ONE_MINUTE') === candle.openAtMs);
      const prices = within.map(({ price }) => price);
      expect(candle).toEqual({
        openAtMs: candle.openAtMs,
        open: prices[0],
        high: Math.max(...prices),
        low: Math.min(...prices),
        close: prices.at(-1),
        volume: within.reduce((sum, { quantity }) => sum + quantity, 0),
      });
    }

    const asked = candles(exchange, START_MS - HOUR);
    expect(asked.every(isSound)).toBe(true);
    expect(asked.map(({ openAtMs }) => openAtMs)).toEqual(
      asked.map((_, place) => openOf(START_MS - HOUR, 'ONE_MINUTE') + place * MINUTE),
    );
    expect(asked).toEqual(expect.arrayContaining(closed(exchange)));
    // Made up and traded minutes meet within a few basis points.
    for (let place = 1; place < asked.length; place += 1) {
      expect(Math.abs(asked[place]!.open / asked[place - 1]!.close - 1)).toBeLessThan(10e-4);
    }
  });

  it('tell the same under the same seed, and other things under another', () => {
    expect(toldUnder(3)).toEqual(toldUnder(3));
    expect(toldUnder(3)).not.toEqual(toldUnder(4));
  });

  it('tell every closed candle once although the way out was full for minutes', () => {
    const exchange = new FollowedExchange();
    exchange.follow(CANDLES);
    exchange.pass(MINUTE);
    exchange.isFull = true;
    exchange.pass(3 * MINUTE);
    exchange.isFull = false;
    exchange.pass(MINUTE);
    const opens = closed(exchange).map(({ openAtMs }) => openAtMs);
    expect(opens).toEqual(opens.map((_, place) => openOf(START_MS, 'ONE_MINUTE') + place * MINUTE));
    expect(opens.length).toBe(5);
  });

  it('go on from what was lived through after a restart', () => {
    const store = new MemoryVenueStore();
    const exchange = new FollowedExchange({ store });
    exchange.follow(CANDLES);
    exchange.pass(3 * MINUTE + 200);
    const lived = closed(exchange).slice(1);
    const restarted = new FollowedExchange({ store });
    restarted.nowMs = exchange.nowMs;
    expect(candles(restarted, lived[0]!.openAtMs).slice(0, lived.length)).toEqual(lived);
  });

  it('tell mark and open interest of a future now and then, and at once at first', () => {
    const exchange = new FollowedExchange();
    exchange.follow(MARK, OPEN_INTEREST);
    exchange.pass(OPEN_INTEREST_UPDATE_MS * 2);
    const marks = ofKind(exchange, 'MarkChanged');
    expect(marks.length).toBe(6);
    const { mark } = marks.at(-1)!;
    const market = exchange.markets.get(FUTURE.index)!;
    expect(Math.abs(mark.markPrice / market.bid - 1)).toBeLessThan(50e-4);
    expect(mark.nextFundingAtMs).toBeGreaterThan(exchange.nowMs);
    const levels = ofKind(exchange, 'OpenInterestChanged');
    expect(levels.length).toBe(2);
    expect(levels[0]!.openInterest.openInterest).toBeGreaterThan(0);
  });

  it('count our own positions into the open interest', () => {
    const lots = FUTURE.quantityMin * 20;
    expect(openInterestWith(lots) - openInterestWith(0)).toBe(lots);
  });

  it('show the depth of whoever wants it, best first', () => {
    const exchange = new FollowedExchange();
    exchange.depthWanted.add(SPOT.index);
    exchange.follow(TRADES);
    exchange.pass(1_000);
    const { bids, asks, atMs } = exchange.depth;
    const market = exchange.markets.get(SPOT.index)!;
    expect(atMs).toBe(exchange.nowMs);
    expect([bids.count, asks.count]).toEqual([20, 20]);
    expect([bids.prices[0], bids.quantities[0]]).toEqual([market.bid, market.bidQuantity]);
    expect([asks.prices[0], asks.quantities[0]]).toEqual([market.ask, market.askQuantity]);
    for (let level = 1; level < 20; level += 1) {
      expect(bids.prices[level]).toBeLessThan(bids.prices[level - 1]!);
      expect(asks.prices[level]).toBeGreaterThan(asks.prices[level - 1]!);
    }
  });

  it('stop when nobody follows them any more', () => {
    const exchange = new FollowedExchange();
    exchange.follow(CANDLES, TRADES, MARK);
    exchange.pass(2_000);
    exchange.unfollowAll();
    exchange.pass(100);
    const { length } = exchange.updates;
    exchange.pass(2_000);
    expect(exchange.updates.length).toBe(length);
  });

  it('answer for the funding rates that a future paid; a spot market pays none', () => {
    const exchange = new FollowedExchange();
    const range = { fromMs: at(0), toMs: at(exchange.nowMs + HOUR), limit: 4 };
    const future = exchange.ask({ kind: 'QueryFundingRates', ...HEAD, instrument: FUTURE.index, ...range });
    if (future.kind !== 'FundingRates') throw new Error(`told ${future.kind}`);
    expect(future.rates.length).toBe(4);
    expect(future.rates[0]!.atMs).toBeLessThanOrEqual(exchange.nowMs);
    expect(exchange.ask({ kind: 'QueryFundingRates', ...HEAD, instrument: SPOT.index, ...range })).toMatchObject({
      kind: 'AccountAnswered',
      correlationId: HEAD.correlationId,
      rejection: { code: 'INVALID_SYMBOL' },
    });
  });

  it('ask for the next turn at once while a question for candles waits', () => {
    const exchange = new FollowedExchange();
    expect(exchange.isBusy).toBe(false);
    expect(candles(exchange, exchange.nowMs - 16 * HOUR).length).toBe(961);
    expect(exchange.isBusy).toBe(false);
  });
});
