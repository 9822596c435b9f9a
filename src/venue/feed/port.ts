import type { CandleInterval } from '../../model/candle.js';
import type { Depth } from '../../model/depth.js';
import type { Instrument, InstrumentIndex } from '../../model/instrument.js';
import type { MarketFeed, MarketUpdate } from '../../model/market-feed.js';
import type { EpochMs } from '../../model/time.js';

/** What a market was worth and how busy it was expected to be at any instant, whether it lived then or slept. */
export interface MarketPast {
  /** Above 0, in ticks and parts of them. */
  priceAt(instrument: Instrument, ms: number): number;
  /** Lots that were to be expected from an instant long ago until then; not whole. */
  volumeUntil(instrument: Instrument, ms: number): number;
}

/** Which feeds somebody follows, and how far he has got. */
export interface FeedInterest {
  /** Another number after every change of `followed`. */
  readonly version: number;
  followed(): MarketFeed[];
  /** When the first candle began whose end the follower has not been told of. */
  nextClosedMs(instrument: InstrumentIndex, interval: CandleInterval): EpochMs;
}

/** The way out of the feeds. Nothing here waits. */
export interface FeedOutlet {
  readonly interest: FeedInterest;
  /** False when there is no room: it is to be told later, as it is then. */
  offer(update: MarketUpdate): boolean;
  isDepthWanted(instrument: InstrumentIndex): boolean;
  /** The depth is only lent. */
  showDepth(instrument: InstrumentIndex, depth: Depth): void;
  /** Service milliseconds in a real one: followers are spared in real time. */
  readonly speed: number;
}
