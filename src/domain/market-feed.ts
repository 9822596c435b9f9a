import type { InstrumentIndex } from './instrument.js';
import { FUNDING_INTERVAL_MS } from './limits/trading.js';
import type { TradePrint } from './market.js';
import type { Lots, Ticks } from './quantity.js';
import type { EpochMs } from './time.js';
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Intervals of candles in milliseconds. Each one is a whole number of the previous ones. */
export const CANDLE_INTERVAL_MS = {
  ONE_MINUTE: MINUTE_MS,
  FIVE_MINUTE: 5 * MINUTE_MS,
  FIFTEEN_MINUTE: 15 * MINUTE_MS,
  THIRTY_MINUTE: 30 * MINUTE_MS,
  ONE_HOUR: HOUR_MS,
  SIX_HOUR: 6 * HOUR_MS,
  ONE_DAY: 24 * HOUR_MS,
} as const;

export type CandleInterval = keyof typeof CANDLE_INTERVAL_MS;
export const CANDLE_INTERVALS = Object.keys(CANDLE_INTERVAL_MS) as readonly CandleInterval[];

/**
 * The trades from `openAtMs` for the length of an interval. Without a trade, all four prices are the previous close and
 * the volume is 0. low ≤ open, close ≤ high.
 */
export interface Candle {
  /** A whole number of intervals since the epoch. */
  readonly openAtMs: EpochMs;
  readonly open: Ticks;
  readonly high: Ticks;
  readonly low: Ticks;
  readonly close: Ticks;
  readonly volume: Lots;
}

/** Start of the candle that contains the instant. */
export function openOf(atMs: number, interval: CandleInterval): EpochMs {
  const lengthMs = CANDLE_INTERVAL_MS[interval];
  return (Math.floor(atMs / lengthMs) * lengthMs) as EpochMs;
}

/** Joins two candles; `later` begins at the end of `earlier` or after it. A candle without trades changes nothing. */
export function joined(earlier: Candle, later: Candle): Candle {
  if (later.volume === 0) return earlier;
  if (earlier.volume === 0) return { ...later, openAtMs: earlier.openAtMs };
  return {
    openAtMs: earlier.openAtMs,
    open: earlier.open,
    high: Math.max(earlier.high, later.high) as Ticks,
    low: Math.min(earlier.low, later.low) as Ticks,
    close: later.close,
    volume: (earlier.volume + later.volume) as Lots,
  };
}

/** A candle without trades: all prices are the previous close. */
export function flatCandle(openAtMs: EpochMs, price: Ticks): Candle {
  return { openAtMs, open: price, high: price, low: price, close: price, volume: 0 as Lots };
}

/** Mark price, index price and funding of a future. */
export interface Mark {
  /** Values positions. */
  readonly markPrice: Ticks;
  /** Median of the spot prices of all venues. */
  readonly indexPrice: Ticks;
  /**
   * The rate that longs would pay to shorts if the funding period ended now, in 10^-6 of the notional; negative: shorts
   * pay.
   */
  readonly fundingRatePpm: number;
  readonly nextFundingAtMs: EpochMs;
  readonly atMs: EpochMs;
}

/** Open interest of a future. */
export interface OpenInterest {
  readonly openInterest: Lots;
  /** The worth of the open interest is the product of the two. */
  readonly markPrice: Ticks;
  readonly atMs: EpochMs;
}

/** A market data feed of one instrument. Mark and open interest: futures only. */
export type MarketFeed =
  | { readonly kind: 'trades'; readonly instrument: InstrumentIndex }
  | { readonly kind: 'candles'; readonly instrument: InstrumentIndex; readonly interval: CandleInterval }
  | { readonly kind: 'mark'; readonly instrument: InstrumentIndex }
  | { readonly kind: 'openInterest'; readonly instrument: InstrumentIndex };

/** A unique key of every feed. */
export function feedKey(feed: MarketFeed): string {
  return `${feed.kind}/${feed.instrument}/${feed.kind === 'candles' ? feed.interval : ''}`;
}

/** Venue → main thread. Trades, running candles and marks may be dropped; closed candles never are. */
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

/** Time between the two newest of some rates, milliseconds. The usual one when there are fewer. */
export function fundingIntervalOf([newest, before]: readonly FundingRate[]): number {
  return newest === undefined || before === undefined ? FUNDING_INTERVAL_MS : newest.atMs - before.atMs;
}

/** The rate of a future at a funding time; for the next funding time the estimate so far. */
export interface FundingRate {
  /** The funding time. */
  readonly atMs: EpochMs;
  /** The rate that longs pay to shorts, in 10^-6 of the notional; negative: shorts pay. */
  readonly ratePpm: number;
  /** At the funding time, or now when that is in the future. null: the exchange does not state it. */
  readonly markPrice: Ticks | null;
}
