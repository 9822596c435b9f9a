import type { MultiLegOrderRequest, OrderRequest } from '../../src/client/index.js';

const BTC = { exchange: 'BINANCE', symbol: 'BTC/USDT', asset_category: 'SPOT', quantity: '0.01' } as const;

/** Rests in the book, far below the prices of the simulated markets. */
export function restingOrder(clientOrderId?: string): OrderRequest {
  return { ...BTC, client_order_id: clientOrderId, side: 'BUY', strategy: 'LIMIT', limit_price: '50000' };
}

/** A resting order may be sent to an exchange: an account has at most so many there. */
const EXCHANGES = ['BINANCE', 'OKX', 'BYBIT', 'BITGET', 'GATEIO', 'KUCOIN', 'MEXC', 'HUOBI'] as const;

/** One of many resting orders, on the exchange of its index. */
export function smallOrder(clientOrderId: string, index: number): OrderRequest {
  const exchange = EXCHANGES[index % EXCHANGES.length]!;
  return { ...restingOrder(clientOrderId), exchange, quantity: '0.001' };
}

/** Fills at once. */
export function marketOrder(clientOrderId?: string): OrderRequest {
  return { ...BTC, client_order_id: clientOrderId, side: 'BUY', strategy: 'MARKET' };
}

/** Trades about once a second for the given seconds of service time. */
export function twapOrder(durationSeconds: number, clientOrderId?: string): OrderRequest {
  const params = { duration_seconds: String(durationSeconds), trading_style: 'AGGRESSIVE' } as const;
  return { ...BTC, client_order_id: clientOrderId, side: 'SELL', strategy: 'TWAP', params };
}

/** Buys on BINANCE for money, sells a future on OKX against it; worked for an hour, or so many seconds. */
export function pairOrder(clientOrderId?: string, seconds = 3600): MultiLegOrderRequest {
  const money = { asset_category: 'SPOT', side: 'BUY', target_value: '1000', ccy: 'USDT' } as const;
  const params = { duration_seconds: String(seconds), is_leading: true };
  return {
    client_order_id: clientOrderId,
    algo: 'PAIR',
    legs: [
      { ...money, exchange: 'BINANCE', symbol: 'BTC/USDT', strategy: 'TWAP', params },
      { ...money, exchange: 'OKX', symbol: 'BTC/USDT', asset_category: 'FUTURE', side: 'SELL', strategy: 'MARKET' },
    ],
  };
}
