import type { Instrument } from '../../src/domain/instrument.js';
import { WS_CONNECTIONS_PER_ACCOUNT_MAX } from '../../src/domain/limits/clients.js';
import type { Market } from '../../src/domain/market.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { buildCatalogue } from '../../src/venue/listing/catalogue.js';

const VENUE = 'BINANCE';
const PAIRS = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE'].map((base) => `${base}/USDT`);
const SYMBOLS = [...PAIRS, ...PAIRS.map((pair) => `${pair}:USDT`)];

export const CATALOGUE = buildCatalogue();
export const TICKERS_MAX = SYMBOLS.length;

/** The stream of a subscriber. Each account has as many subscribers as it may have connections. */
export function tickerPath(subscriber: number): string {
  return `/api/v2/ws?listenKey=bench-${Math.floor(subscriber / WS_CONNECTIONS_PER_ACCOUNT_MAX)}`;
}

/** Options of the ticker server: the JSON text of its first argument. */
export interface TickPlan {
  /** Markets that change at each tick, at most TICKERS_MAX: all of them followed by every subscriber. */
  readonly tickerCount: number;
  /** Between two ticks, in milliseconds. */
  readonly pauseMs: number;
}

/** Returns the first `count` markets of the benchmark. */
export function tickers(count: number): Instrument[] {
  return SYMBOLS.slice(0, count).map((symbol) => {
    const instrument = CATALOGUE.findCanonical(VENUE, symbol);
    if (instrument === null) throw new Error(`${symbol} is not listed on ${VENUE}`);
    return instrument;
  });
}

export function tickerRequest({ venue, symbol }: Instrument): string {
  return JSON.stringify({ method: 'subscribe', topic: 'ticker', exchange: venue, symbol });
}

/**
 * A market whose bid quantity is its write time in microseconds. A client computes the age of a ticker from it, because
 * the time stamp of the frame is too coarse. The last digit is not zero: a decimal text drops trailing zeros.
 */
export function stampedMarket(stampUs: number): Market {
  return {
    bid: 6_400_000 as Ticks,
    ask: 6_400_100 as Ticks,
    bidQuantity: (Math.floor(stampUs) * 10 + 1) as Lots,
    askQuantity: 123_456 as Lots,
    last: 6_400_050 as Ticks,
    volume: 0 as Lots,
    volatility: 0,
    atMs: Math.floor(stampUs / 1000) as EpochMs,
  };
}

const FIELD = Buffer.from('"bid_qty":');
const POINT = '.'.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);
const NINE = '9'.charCodeAt(0);

/** The stamp in the ticker frame between two places of a buffer; null when there is no such frame. */
export function stampUsIn(bytes: Buffer, from: number, to: number): number | null {
  const field = bytes.indexOf(FIELD, from);
  if (field === -1 || field >= to) return null;
  let digits = 0;
  for (let at = field + FIELD.length; at < to; at += 1) {
    const byte = bytes[at] as number;
    if (byte === POINT) continue;
    if (byte < ZERO || byte > NINE) break;
    digits = digits * 10 + (byte - ZERO);
  }
  return Math.floor(digits / 10);
}
