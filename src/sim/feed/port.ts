import type { CandleInterval, MarketFeed, MarketUpdate } from '../../domain/market-feed.js';
import type { Depth } from '../../domain/market.js';
import type { Instrument, InstrumentIndex } from '../../domain/instrument.js';
import type { EpochMs } from '../../domain/time.js';

/** Fair price and expected volume of a market at any instant, also while it slept. */
export interface MarketPast {
  /** In ticks, above 0, not necessarily whole. */
  priceAt(instrument: Instrument, ms: number): number;
  /** Expected lots from a fixed start until then; not whole. */
  volumeUntil(instrument: Instrument, ms: number): number;
}

/** The followed feeds and the progress of their candles. */
export interface FollowedFeedSet {
  /** Changes with every change of `followed`. */
  readonly version: number;
  followed(): MarketFeed[];
  /** Start of the first candle whose close has not been delivered. */
  nextClosedMs(instrument: InstrumentIndex, interval: CandleInterval): EpochMs;
}

/** Output of the feeds. No call blocks. */
export interface FeedOutlet {
  readonly subscriptions: FollowedFeedSet;
  /** False when there is no space; the caller offers the current state later. */
  offer(update: MarketUpdate): boolean;
  isDepthWanted(instrument: InstrumentIndex): boolean;
  /** The callee must not keep `depth`. */
  showDepth(instrument: InstrumentIndex, depth: Depth): void;
  /** Service milliseconds per real millisecond: update intervals are in real time. */
  readonly speed: number;
}
