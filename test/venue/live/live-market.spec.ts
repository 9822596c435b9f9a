import { describe, expect, it } from 'vitest';
import { FIRST_ADDED_INDEX, type InstrumentIndex } from '../../../src/domain/instrument.js';
import { CANDLE_CLOSE_LATE_MS } from '../../../src/domain/limits/live.js';
import type { MarketFeed, MarketUpdate } from '../../../src/domain/market-feed.js';
import type { Depth, Market } from '../../../src/domain/market.js';
import type { OrRejection } from '../../../src/domain/rejection.js';
import type { EpochMs } from '../../../src/domain/time.js';
import type { CandleRange } from '../../../src/venue/live/live-exchange.js';
import { LiveListing } from '../../../src/venue/live/live-listing.js';
import { LiveMarket } from '../../../src/venue/live/live-market.js';
import type { Level } from '../../../src/venue/live/json/json-fields.js';
import type { CandleRecord, MarketRecord } from '../../../src/venue/live/normal/records.js';
import { FakeExchange } from './fake-exchange.js';
import { marketOf, MemoryRegistry } from './live-rig.js';

/* Rows of one market of an exchange without a network. */

const SYMBOL = 'BTCUSDT';
const MINUTE_MS = 60_000;
/** Begin of a minute. */
const START_MS = 28_333_333 * MINUTE_MS;

/** What other threads want, what they get, and the open requests for candles. */
function openMarket() {
  const wanted = { row: true, depth: false };
  const feeds: MarketFeed[] = [];
  const updates: MarketUpdate[] = [];
  const markets: Market[] = [];
  const depths: Depth[] = [];
  const requests: ((candles: OrRejection<readonly CandleRecord[]>) => void)[] = [];
  const listed = marketOf();
  const exchange = new FakeExchange([listed]);
  const ranges: CandleRange[] = [];
  exchange.market.candles = (range) => {
    ranges.push(range);
    return new Promise((resolve) => requests.push(resolve));
  };
  const listing = new LiveListing({
    venue: 'BINANCE',
    mode: 'live',
    registry: new MemoryRegistry(),
    publish: () => undefined,
    onFull: () => undefined,
  });
  listing.replace(exchange.categories, [listed]);
  const clock = { nowMs: START_MS };
  const nowMs = (): EpochMs => clock.nowMs as EpochMs;
  const market = new LiveMarket({
    exchange,
    listing,
    nowMs,
    outlet: {
      isWanted: (index) => wanted.row && index === FIRST_ADDED_INDEX,
      isDepthWanted: (index) => wanted.depth && index === FIRST_ADDED_INDEX,
      feedsVersion: 0,
      followed: () => feeds,
      nextClosedMs: () => START_MS as EpochMs,
      writeMarket: (_index, written) => markets.push(written),
      writeDepth: (_index, written) => depths.push(written),
      offer: (update) => updates.push(update) > 0,
    },
  });
  const quote = (price: string): void => {
    const [bid, ask] = [
      { price, quantity: '1' },
      { price, quantity: '1' },
    ];
    market.onRecord({ kind: 'TopOfBook', symbol: SYMBOL, bid, ask, updateId: '1', atMs: nowMs() }, nowMs());
  };
  /** Answers the oldest request, and lets the answer arrive. */
  const answer = async (close: string, volume: string): Promise<void> => {
    const prices = { open: close, high: close, low: close, close };
    const day = { kind: 'Candle', symbol: SYMBOL, interval: 'ONE_DAY', openMs: nowMs(), ...prices } as const;
    requests.shift()!([{ ...day, volume, quoteVolume: '1', isClosed: false }]);
    await new Promise(setImmediate);
  };
  const round = (laterMs = 0): void => {
    clock.nowMs += laterMs;
    market.round();
  };
  return { market, wanted, feeds, updates, markets, depths, requests, ranges, nowMs, quote, answer, round };
}

function depthOf(levels: readonly Level[], atMs: EpochMs): MarketRecord {
  const ids = { firstUpdateId: null, lastUpdateId: '1', previousUpdateId: null };
  return { kind: 'Depth', symbol: SYMBOL, isSnapshot: true, bids: levels, asks: [], ...ids, atMs };
}

describe('a book that is not known any more', () => {
  it.each(['withdrawn', 'cut'] as const)('has no time when it is %s, so that no reader takes it', (cause) => {
    const { market, wanted, depths, nowMs } = openMarket();
    wanted.depth = true;
    market.round();
    market.onRecord(depthOf([{ price: '100', quantity: '1' }], nowMs()), nowMs());
    expect(depths.at(-1)).toMatchObject({ atMs: nowMs(), bids: { count: 1 } });
    if (cause === 'cut') market.onStale([SYMBOL], nowMs());
    else market.onRecord(depthOf([], nowMs()), nowMs());
    expect(depths.at(-1)).toMatchObject({ atMs: 0, bids: { count: 0 }, asks: { count: 0 } });
  });

  it('is not written by a cut while nothing wants it', () => {
    const { market, depths, nowMs } = openMarket();
    market.round();
    market.onStale([SYMBOL], nowMs());
    expect(depths).toEqual([]);
  });
});

const HOURS_MS = 4 * 3600 * 1000;

describe('a row that is wanted again', () => {
  it('shows its last price and its volume together with its first quote, both as of now', async () => {
    const { wanted, markets, quote, answer, round } = openMarket();
    round();
    quote('100');
    round();
    await answer('100', '5');
    const [first] = markets.splice(0);
    wanted.row = false;
    round();
    wanted.row = true;
    round(HOURS_MS);
    quote('80');
    expect(markets).toEqual([]);
    round();
    await answer('80', '9');
    const again = markets[0]!;
    expect([again.last / first!.last, again.volume / first!.volume]).toEqual([0.8, 9 / 5]);
  });

  it('takes no answer to a request from before its end', async () => {
    const { wanted, markets, requests, quote, answer, round } = openMarket();
    round();
    quote('100');
    round();
    wanted.row = false;
    round();
    wanted.row = true;
    round(HOURS_MS);
    quote('80');
    await answer('100', '5');
    expect(markets).toEqual([]);
    round(HOURS_MS);
    expect(requests.length).toBe(1);
    await answer('80', '9');
    expect(markets.length).toBe(1);
  });
});

describe('a candle that the stream does not close', () => {
  it('is requested and closed by the clock of the exchange', async () => {
    const { market, wanted, feeds, updates, requests, ranges, round } = openMarket();
    wanted.row = false;
    feeds.push({ kind: 'candles', instrument: FIRST_ADDED_INDEX as InstrumentIndex, interval: 'ONE_MINUTE' });
    const aheadMs = 5_000;
    market.onClock(-aheadMs);
    round(MINUTE_MS + CANDLE_CLOSE_LATE_MS + aheadMs - 1);
    expect(requests).toEqual([]);
    round(1);
    expect(ranges).toMatchObject([{ fromMs: START_MS, toMs: START_MS + MINUTE_MS + CANDLE_CLOSE_LATE_MS }]);
    const prices = { open: '1', high: '1', low: '1', close: '1', volume: '1', quoteVolume: '1' };
    const openMs = START_MS as EpochMs;
    requests[0]!([{ kind: 'Candle', symbol: SYMBOL, interval: 'ONE_MINUTE', openMs, ...prices, isClosed: null }]);
    await new Promise(setImmediate);
    expect(updates).toMatchObject([{ kind: 'CandleChanged', isClosed: true }]);
  });
});
