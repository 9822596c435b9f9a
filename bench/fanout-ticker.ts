import type { Instrument } from '../src/model/instrument.js';
import { buildCatalogue } from '../src/venue/index.js';

const VENUE = 'BINANCE';
const PAIRS = ['BTC', 'ETH', 'SOL', 'XRP', 'DOGE'].map((base) => `${base}/USDT`);
const SYMBOLS = [...PAIRS, ...PAIRS.map((pair) => `${pair}:USDT`)];

export const CATALOGUE = buildCatalogue();
export const TICKERS_MAX = SYMBOLS.length;
export const TICKER_PATH = '/api/v2/ws?listenKey=bench';

/** What a server of ticks is told, as JSON in its first argument. */
export interface TickPlan {
  /** Markets that change at each tick, at most TICKERS_MAX: all of them followed by every subscriber. */
  readonly tickerCount: number;
  /** Between two ticks, in milliseconds. */
  readonly pauseMs: number;
}

/** The markets whose ticks are fanned out. */
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
