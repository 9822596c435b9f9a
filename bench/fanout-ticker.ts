import type { Venue } from '../src/model/exchange.js';

/** The market whose ticks are fanned out. */
export const TICKER_VENUE: Venue = 'BINANCE';
export const TICKER_SYMBOL = 'BTC/USDT';

export const TICKER_PATH = '/api/v2/ws?listenKey=bench';
export const TICKER_REQUEST = JSON.stringify({
  method: 'subscribe',
  topic: 'ticker',
  exchange: TICKER_VENUE,
  symbol: TICKER_SYMBOL,
});
