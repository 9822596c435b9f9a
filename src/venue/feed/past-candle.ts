import { CANDLE_INTERVAL_MS, flatCandle, openOf, type Candle } from '../../model/candle.js';
import type { Instrument } from '../../model/instrument.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { MarketPast } from './port.js';

const MINUTE_MS = CANDLE_INTERVAL_MS.ONE_MINUTE;
/** The price of a time nobody looked at is looked at so often. */
const SAMPLE_MS = 10_000;

/**
 * The candle of a minute, or of a part of it, in which the market slept: [fromMs, toMs) within one minute. It follows the
 * price the market would have had, and trades what was to be expected, at least a lot.
 */
export function pastCandle(past: MarketPast, instrument: Instrument, fromMs: number, toMs: number): Candle {
  const openAtMs = openOf(fromMs, 'ONE_MINUTE');
  const open = priceAt(past, instrument, fromMs);
  if (toMs <= fromMs) return flatCandle(openAtMs, open);
  const volumeBefore = past.volumeUntil(instrument, fromMs);
  let [high, low] = [open, open];
  for (let ms = fromMs + SAMPLE_MS; ms < toMs; ms += SAMPLE_MS) {
    const price = priceAt(past, instrument, ms);
    if (price > high) high = price;
    if (price < low) low = price;
  }
  const close = priceAt(past, instrument, toMs);
  const volume = Math.max(1, Math.round(past.volumeUntil(instrument, toMs) - volumeBefore)) as Lots;
  return {
    openAtMs,
    open,
    high: Math.max(high, close) as Ticks,
    low: Math.min(low, close) as Ticks,
    close,
    volume,
  };
}

/** The whole minute that begins then. */
export function pastMinute(past: MarketPast, instrument: Instrument, openAtMs: number): Candle {
  return pastCandle(past, instrument, openAtMs, openAtMs + MINUTE_MS);
}

function priceAt(past: MarketPast, instrument: Instrument, ms: number): Ticks {
  return Math.max(1, Math.round(past.priceAt(instrument, ms))) as Ticks;
}
