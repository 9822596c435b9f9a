import { describe, expect, it } from 'vitest';
import { CANDLE_CLOSE_LATE_MS, CLOSED_CANDLES_WAITING_MAX } from '../../../../src/domain/limits/live.js';
import type { MarketUpdate } from '../../../../src/domain/market-feed.js';
import type { EpochMs } from '../../../../src/domain/time.js';
import { CandleFeed } from '../../../../src/venue/live/market/candle-feed.js';
import type { CandleRecord } from '../../../../src/venue/live/normal/records.js';
import { UnitScale } from '../../../../src/venue/live/unit-scale.js';
import { BTC, instrumentsOf } from '../binance/loopback-exchange.js';

const MINUTE_MS = 60_000;
const START_MS = 28_333_333 * MINUTE_MS;

function candle(minute: number, volume: string, isClosed: boolean | null): CandleRecord {
  const openMs = (START_MS + minute * MINUTE_MS) as EpochMs;
  const prices = { open: '100.001', high: '101.001', low: '99.009', close: '100' };
  return {
    kind: 'Candle',
    symbol: 'BTCUSDT',
    interval: 'ONE_MINUTE',
    openMs,
    ...prices,
    volume,
    quoteVolume: '1',
    isClosed,
  };
}

function at(minute: number, extraMs = 0): EpochMs {
  return (START_MS + minute * MINUTE_MS + extraMs) as EpochMs;
}

/** A feed of which the close of minute 0 is wanted next, and what it has published. */
function openFeed() {
  const published: string[] = [];
  const room = { isThere: true };
  const feed = new CandleFeed({
    instrument: BTC,
    interval: 'ONE_MINUTE',
    scale: new UnitScale(instrumentsOf('spot').at(BTC)),
    offer: (update: MarketUpdate) => {
      if (!room.isThere || update.kind !== 'CandleChanged') return false;
      const minute = (update.candle.openAtMs - START_MS) / MINUTE_MS;
      published.push(`${minute} ${update.isClosed ? 'closed' : 'running'} ${update.candle.volume}`);
      return true;
    },
    nextClosedMs: at(0),
  });
  return { feed, published, room };
}

describe('the candles of a feed', () => {
  it('publish running changes and each close once', () => {
    const { feed, published } = openFeed();
    feed.seen(candle(0, '1', false), at(0, 1_000));
    feed.seen(candle(0, '2', true), at(1, 50));
    feed.seen(candle(0, '2', true), at(1, 60));
    feed.seen(candle(1, '3', false), at(1, 500));
    expect(published).toEqual(['0 running 100000', '0 closed 200000', '1 running 300000']);
    expect(feed.missingFromMs(at(1, 500))).toBeNull();
  });

  it('request a close that the stream does not give in time, and one that it has skipped', () => {
    const { feed, published } = openFeed();
    expect(feed.missingFromMs(at(1, CANDLE_CLOSE_LATE_MS - 1))).toBeNull();
    expect(feed.missingFromMs(at(1, CANDLE_CLOSE_LATE_MS))).toBe(at(0));
    feed.seen(candle(2, '1', false), at(2, 1_000));
    expect(published).toEqual([]);
    expect(feed.missingFromMs(at(2, 1_000))).toBe(at(0));
    feed.requested([candle(0, '5', true), candle(1, '0', true), candle(2, '1', false)], at(2, 1_100), at(2, 1_100));
    expect(published).toEqual(['0 closed 500000', '1 closed 0', '2 running 100000']);
    expect(feed.missingFromMs(at(2, 1_200))).toBeNull();
  });

  it.each([
    ['the exchange says so', true, at(1, 100), 'closed'],
    ['its end was long past when the request left', null, at(1, CANDLE_CLOSE_LATE_MS), 'closed'],
    ['its end was just past when the request left', null, at(1, CANDLE_CLOSE_LATE_MS - 1), 'running'],
    ['the exchange says that it is not, at any time', false, at(1, CANDLE_CLOSE_LATE_MS), 'running'],
  ] as const)('take the last requested one as closed or running: %s', (_case, isClosed, sentMs, state) => {
    const { feed, published } = openFeed();
    feed.requested([candle(0, '1', isClosed)], sentMs, at(1, CANDLE_CLOSE_LATE_MS + 500));
    expect(published).toEqual([`0 ${state} 100000`]);
    // The close of the stream follows, once.
    feed.seen(candle(0, '2', true), at(1, CANDLE_CLOSE_LATE_MS + 600));
    expect(published.slice(1)).toEqual(state === 'closed' ? [] : ['0 closed 200000']);
  });

  it('take a requested one as closed when a later one follows', () => {
    const { feed, published } = openFeed();
    feed.requested([candle(0, '1', null), candle(1, '2', null)], at(1, 100), at(1, 200));
    expect(published).toEqual(['0 closed 100000', '1 running 200000']);
  });

  it('keep closed candles while there is no room, and publish them in order', () => {
    const { feed, published, room } = openFeed();
    room.isThere = false;
    feed.seen(candle(0, '1', true), at(1));
    feed.seen(candle(1, '2', true), at(2));
    expect(published).toEqual([]);
    room.isThere = true;
    feed.publish(at(2, 100));
    expect(published).toEqual(['0 closed 100000', '1 closed 200000']);
  });

  it('request closed candles again that are too many to keep', () => {
    const { feed, published, room } = openFeed();
    room.isThere = false;
    for (let minute = 0; minute <= CLOSED_CANDLES_WAITING_MAX; minute += 1) {
      feed.seen(candle(minute, '1', true), at(minute + 1));
    }
    room.isThere = true;
    const nowMs = at(CLOSED_CANDLES_WAITING_MAX + 1, 100);
    expect(feed.missingFromMs(nowMs)).toBe(at(0));
    feed.requested(
      Array.from({ length: CLOSED_CANDLES_WAITING_MAX + 1 }, (_, minute) => candle(minute, '1', true)),
      nowMs,
      nowMs,
    );
    expect(published.length).toBe(CLOSED_CANDLES_WAITING_MAX + 1);
  });

  it('keep low and high as the outermost prices', () => {
    const updates: MarketUpdate[] = [];
    const feed = new CandleFeed({
      instrument: BTC,
      interval: 'ONE_MINUTE',
      scale: new UnitScale(instrumentsOf('spot').at(BTC)),
      offer: (update) => updates.push(update) > 0,
      nextClosedMs: at(0),
    });
    feed.seen(candle(0, '1', true), at(1));
    expect(updates[0]).toMatchObject({ candle: { open: 10_000, high: 10_101, low: 9_900, close: 10_000 } });
  });
});
