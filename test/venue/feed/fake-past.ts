import { CANDLE_INTERVAL_MS, type Candle } from '../../../src/model/candle.js';
import type { Instrument } from '../../../src/model/instrument.js';
import type { TradePrint } from '../../../src/model/market.js';
import type { Lots, Ticks } from '../../../src/model/quantity.js';
import type { EpochMs } from '../../../src/model/time.js';
import type { MarketPast } from '../../../src/venue/feed/port.js';
import { instrumentAt } from '../simulated-exchange.js';

export const MINUTE = CANDLE_INTERVAL_MS.ONE_MINUTE;
export const HOUR = CANDLE_INTERVAL_MS.ONE_HOUR;
export const DAY = CANDLE_INTERVAL_MS.ONE_DAY;
/** The beginning of a day. */
export const DAY_START = 20_000 * DAY;
export const SPOT = instrumentAt('BINANCE', 'BTC/USDT');
export const FUTURE = instrumentAt('BINANCE', 'BTC/USDT:USDT');

/** Waves about 10,000 ticks and trades two lots a second, at every instrument alike. */
export class FakePast implements MarketPast {
  /** How often a price was looked up. */
  lookUps = 0;

  priceAt(_: Instrument, ms: number): number {
    this.lookUps += 1;
    return 10_000 + 40 * Math.sin(ms / 47_000) + 300 * Math.sin(ms / 5_000_000);
  }

  volumeUntil(_: Instrument, ms: number): number {
    return ms / 500;
  }
}

export const at = (ms: number): EpochMs => ms as EpochMs;

export function print(atMs: number, price: number, quantity: number, instrument = SPOT): TradePrint {
  return {
    instrument: instrument.index,
    price: price as Ticks,
    quantity: quantity as Lots,
    takerSide: 'BUY',
    atMs: at(atMs),
  };
}

/** The numbers of a candle, for short comparisons: open, high, low, close, volume. */
export function numbers({ open, high, low, close, volume }: Candle): number[] {
  return [open, high, low, close, volume];
}

export function isSound({ openAtMs, open, high, low, close, volume }: Candle): boolean {
  const isOrdered = low <= Math.min(open, close) && Math.max(open, close) <= high;
  return openAtMs % MINUTE === 0 && low > 0 && isOrdered && volume >= 0 && (volume > 0 || low === high);
}
