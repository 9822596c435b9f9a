import { type Candle, CANDLE_INTERVAL_MS } from '../../../src/domain/market-feed.js';
import type { Instrument } from '../../../src/domain/instrument.js';
import type { TradePrint } from '../../../src/domain/market.js';
import type { Lots, Ticks } from '../../../src/domain/quantity.js';
import type { EpochMs } from '../../../src/domain/time.js';
import type { MarketPast } from '../../../src/sim/feed/port.js';
import { instrumentAt } from '../simulated-exchange.js';

export const MINUTE = CANDLE_INTERVAL_MS.ONE_MINUTE;
export const HOUR = CANDLE_INTERVAL_MS.ONE_HOUR;
export const DAY = CANDLE_INTERVAL_MS.ONE_DAY;
/** The start of a day. */
export const DAY_START = 20_000 * DAY;
export const SPOT = instrumentAt('BINANCE', 'BTC/USDT');
export const FUTURE = instrumentAt('BINANCE', 'BTC/USDT:USDT');

/** A price that waves around 10,000 ticks and a volume of two lots a second, for every instrument. */
export class FakePast implements MarketPast {
  /** Number of price lookups. */
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

/** Open, high, low, close and volume of a candle. */
export function numbers({ open, high, low, close, volume }: Candle): number[] {
  return [open, high, low, close, volume];
}

export function isSound({ openAtMs, open, high, low, close, volume }: Candle): boolean {
  const isOrdered = low <= Math.min(open, close) && Math.max(open, close) <= high;
  return openAtMs % MINUTE === 0 && low > 0 && isOrdered && volume >= 0 && (volume > 0 || low === high);
}
