import type { OrderRequest } from '../../src/client/index.js';

const BTC = { exchange: 'BINANCE', symbol: 'BTC/USDT', asset_category: 'SPOT', quantity: '0.01' } as const;

/** Rests in the book: far below what the simulated markets trade at. */
export function restingOrder(clientOrderId?: string): OrderRequest {
  return { ...BTC, client_order_id: clientOrderId, side: 'BUY', strategy: 'LIMIT', limit_price: '50000' };
}

/** Fills at once. */
export function marketOrder(clientOrderId?: string): OrderRequest {
  return { ...BTC, client_order_id: clientOrderId, side: 'BUY', strategy: 'MARKET' };
}

/** Trades about once a second for so long (service time). */
export function twapOrder(durationSeconds: number, clientOrderId?: string): OrderRequest {
  const params = { duration_seconds: String(durationSeconds), trading_style: 'AGGRESSIVE' } as const;
  return { ...BTC, client_order_id: clientOrderId, side: 'SELL', strategy: 'TWAP', params };
}
