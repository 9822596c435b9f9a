import { type Candle, feedKey, type MarketFeed, type MarketUpdate } from '../../src/domain/market-feed.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { BTC, BTC_PERPETUAL } from './catalogue.js';

type Follower = (update: MarketUpdate) => void;

/** Market feeds that publish the values of the test to their subscribers. */
export class FeedSource {
  readonly #followers = new Map<string, Set<Follower>>();

  readonly follow = (feed: MarketFeed, hedging: Follower): (() => void) => {
    const key = feedKey(feed);
    const followers = this.#followers.get(key) ?? new Set();
    this.#followers.set(key, followers.add(hedging));
    return () => {
      followers.delete(hedging);
      if (followers.size === 0) this.#followers.delete(key);
    };
  };

  /** Keys of the feeds with subscribers. */
  get followed(): string[] {
    return [...this.#followers.keys()];
  }

  /** A candle of one minute of BTC. */
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
    for (const hedging of this.#followers.get(feedKey(feed)) ?? []) hedging(update);
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
