import type { Candle } from '../../src/model/candle.js';
import type { InstrumentIndex } from '../../src/model/instrument.js';
import { feedKey, type MarketFeed, type MarketUpdate } from '../../src/model/market-feed.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import { BTC, BTC_PERPETUAL } from './catalogue.js';

type Follower = (update: MarketUpdate) => void;

/** Market feeds that tell what the test says, to whom follows them. */
export class FeedSource {
  readonly #followers = new Map<string, Set<Follower>>();

  readonly follow = (feed: MarketFeed, follower: Follower): (() => void) => {
    const key = feedKey(feed);
    const followers = this.#followers.get(key) ?? new Set();
    this.#followers.set(key, followers.add(follower));
    return () => {
      followers.delete(follower);
      if (followers.size === 0) this.#followers.delete(key);
    };
  };

  /** Keys of the feeds that somebody follows. */
  get followed(): string[] {
    return [...this.#followers.keys()];
  }

  /** A candle of a minute of BTC. */
  candle({ minute = 0, close = 100, isClosed = false } = {}): void {
    const interval = 'ONE_MINUTE';
    const candle = candleAt(minute, close);
    const update: MarketUpdate = { kind: 'CandleChanged', instrument: BTC, interval, candle, isClosed };
    this.#tell({ kind: 'candles', instrument: BTC, interval }, update);
  }

  openInterest(lots: number): void {
    const instrument: InstrumentIndex = BTC_PERPETUAL;
    const openInterest = { openInterest: lots as Lots, markPrice: 6_400_000 as Ticks, atMs: 5_000 as EpochMs };
    this.#tell({ kind: 'openInterest', instrument }, { kind: 'OpenInterestChanged', instrument, openInterest });
  }

  #tell(feed: MarketFeed, update: MarketUpdate): void {
    for (const follower of this.#followers.get(feedKey(feed)) ?? []) follower(update);
  }
}

/** Prices in ticks of 0.01. */
function candleAt(minute: number, close: number): Candle {
  return {
    openAtMs: (minute * 60_000) as EpochMs,
    open: 100 as Ticks,
    high: Math.max(100, close) as Ticks,
    low: Math.min(100, close) as Ticks,
    close: close as Ticks,
    volume: 150_000 as Lots,
  };
}
