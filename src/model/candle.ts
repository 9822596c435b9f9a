import type { Lots, Ticks } from './quantity.js';
import type { EpochMs } from './time.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Intervals of candles and their lengths in milliseconds; each one is a whole number of the ones before it. */
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
 * What was traded from `openAtMs` for the length of an interval. Without a trade all four prices are the close before
 * and the volume is 0. low ≤ open, close ≤ high.
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

/** When the candle began that holds the instant. */
export function openOf(atMs: number, interval: CandleInterval): EpochMs {
  const lengthMs = CANDLE_INTERVAL_MS[interval];
  return (Math.floor(atMs / lengthMs) * lengthMs) as EpochMs;
}

/** The candle of both: `later` begins where `earlier` ends or after it. A time without trades adds nothing but its close. */
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

/** A time without trades: everything at the close before it. */
export function flatCandle(openAtMs: EpochMs, price: Ticks): Candle {
  return { openAtMs, open: price, high: price, low: price, close: price, volume: 0 as Lots };
}
