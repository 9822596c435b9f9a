import { describe, expect, it } from 'vitest';
import { type Candle, type MarketUpdate, openOf } from '../../../src/domain/market-feed.js';
import type { AccountId, ChildNumber, CorrelationId, OrderId } from '../../../src/domain/ids.js';
import { OPEN_INTEREST_UPDATE_MS } from '../../../src/domain/limits/trading.js';
import type { ChildSubmission } from '../../../src/domain/venue-message.js';
import type { CandlesReport } from '../../../src/domain/venue-report.js';
import type { Lots } from '../../../src/domain/quantity.js';
import { MemoryVenueStore } from '../memory-store.js';
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

/** Updates of about a minute. */
function publishedUnder(seed: number): MarketUpdate[] {
  const exchange = new FollowedExchange({ seed });
  exchange.follow(CANDLES, MARK, OPEN_INTEREST);
  exchange.pass(70_000);
  return exchange.updates;
}

/** The open interest after we bought `quantity` lots. */
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
  it('publish candles that match the trades and continue the history before them', () => {
    const exchange = new FollowedExchange();
    exchange.pass(20_000);
    exchange.follow(CANDLES, TRADES);
    exchange.pass(4 * MINUTE);
    const prints = ofKind(exchange, 'Traded').map(({ print }) => print);
    // The minute before the subscription is synthetic.
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
    // Synthetic and traded minutes differ by a few basis points at most.
    for (let place = 1; place < asked.length; place += 1) {
      expect(Math.abs(asked[place]!.open / asked[place - 1]!.close - 1)).toBeLessThan(10e-4);
    }
  });

  it('publish the same for the same seed, and something else for another', () => {
    expect(publishedUnder(3)).toEqual(publishedUnder(3));
    expect(publishedUnder(3)).not.toEqual(publishedUnder(4));
  });

  it('publish every closed candle once although the ring was full for minutes', () => {
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

  it('continue from the observed candles after a restart', () => {
    const store = new MemoryVenueStore();
    const exchange = new FollowedExchange({ store });
    exchange.follow(CANDLES);
    exchange.pass(3 * MINUTE + 200);
    const observed = closed(exchange).slice(1);
    const restarted = new FollowedExchange({ store });
    restarted.nowMs = exchange.nowMs;
    expect(candles(restarted, observed[0]!.openAtMs).slice(0, observed.length)).toEqual(observed);
  });

  it('publish mark and open interest of a future at once and then at intervals', () => {
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

  it('include our own positions in the open interest', () => {
    const lots = FUTURE.quantityMin * 20;
    expect(openInterestWith(lots) - openInterestWith(0)).toBe(lots);
  });

  it('publish the depth of subscribed instruments, best first', () => {
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

  it('stop after the last unsubscription', () => {
    const exchange = new FollowedExchange();
    exchange.follow(CANDLES, TRADES, MARK);
    exchange.pass(2_000);
    exchange.unfollowAll();
    exchange.pass(100);
    const { length } = exchange.updates;
    exchange.pass(2_000);
    expect(exchange.updates.length).toBe(length);
  });

  it('return the paid funding rates of a future, and reject a spot market', () => {
    const exchange = new FollowedExchange();
    const range = { fromMs: at(0), toMs: at(exchange.nowMs + HOUR), limit: 4 };
    const future = exchange.ask({ kind: 'QueryFundingRates', ...HEAD, instrument: FUTURE.index, ...range });
    if (future.kind !== 'FundingRates') throw new Error(`got ${future.kind}`);
    expect(future.rates.length).toBe(4);
    expect(future.rates[0]!.atMs).toBeLessThanOrEqual(exchange.nowMs);
    expect(exchange.ask({ kind: 'QueryFundingRates', ...HEAD, instrument: SPOT.index, ...range })).toMatchObject({
      kind: 'QueryRejected',
      correlationId: HEAD.correlationId,
      rejection: { code: 'INVALID_SYMBOL' },
    });
  });

  it('request the next turn at once while a candle query waits', () => {
    const exchange = new FollowedExchange();
    expect(exchange.isBusy).toBe(false);
    expect(candles(exchange, exchange.nowMs - 16 * HOUR).length).toBe(961);
    expect(exchange.isBusy).toBe(false);
  });
});
