import type { OrderRequest } from '../../src/client/index.js';

/** A create with only the required members. */
export const PLAIN_REQUEST: OrderRequest = {
  exchange: 'BINANCE',
  symbol: 'BTC/USDT',
  asset_category: 'SPOT',
  side: 'BUY',
  quantity: '0.5',
  strategy: 'MARKET',
};
