import type { Candle, CandleInterval } from './candle.js';
import type { InstrumentIndex } from './instrument.js';
import type { TradePrint } from './market.js';
import type { Lots, Ticks } from './quantity.js';
import type { EpochMs } from './time.js';

/** What a future is valued at, and what it pays. */
export interface Mark {
  /** What positions are valued at. */
  readonly markPrice: Ticks;
  /** Median of the spot prices of all venues. */
  readonly indexPrice: Ticks;
  /** What longs would pay shorts if the funding period ended now, in 10^-6 of the notional; negative: shorts pay. */
  readonly fundingRatePpm: number;
  readonly nextFundingAtMs: EpochMs;
  readonly atMs: EpochMs;
}

/** All that is open in a future. */
export interface OpenInterest {
  readonly openInterest: Lots;
  /** What it is worth is this many times the open interest. */
  readonly markPrice: Ticks;
  readonly atMs: EpochMs;
}

/** One thing that a venue tells of one instrument again and again. Mark and open interest: futures only. */
export type MarketFeed =
  | { readonly kind: 'trades'; readonly instrument: InstrumentIndex }
  | { readonly kind: 'candles'; readonly instrument: InstrumentIndex; readonly interval: CandleInterval }
  | { readonly kind: 'mark'; readonly instrument: InstrumentIndex }
  | { readonly kind: 'openInterest'; readonly instrument: InstrumentIndex };

/** A text of its own for every feed. */
export function feedKey(feed: MarketFeed): string {
  return `${feed.kind}/${feed.instrument}/${feed.kind === 'candles' ? feed.interval : ''}`;
}

/** Venue → main thread. A trade, a running candle and a mark may be left out, a closed candle never. */
export type MarketUpdate =
  | { readonly kind: 'Traded'; readonly print: TradePrint }
  | {
      readonly kind: 'CandleChanged';
      readonly instrument: InstrumentIndex;
      readonly interval: CandleInterval;
      readonly candle: Candle;
      readonly isClosed: boolean;
    }
  | { readonly kind: 'MarkChanged'; readonly instrument: InstrumentIndex; readonly mark: Mark }
  | {
      readonly kind: 'OpenInterestChanged';
      readonly instrument: InstrumentIndex;
      readonly openInterest: OpenInterest;
    };

/** The rate a future paid at a funding time; of the one to come, as reckoned so far. */
export interface FundingRate {
  /** The funding time. */
  readonly atMs: EpochMs;
  /** What longs pay shorts, in 10^-6 of the notional; negative: shorts pay. */
  readonly ratePpm: number;
  /** At the funding time, or now when that is to come. */
  readonly markPrice: Ticks;
}
