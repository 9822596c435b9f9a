/* Orders that break no rule, for tests to bend. Prices are far from any that the simulated markets trade at. */

const BTC = { exchange: 'BINANCE', symbol: 'BTC/USDT', asset_category: 'SPOT' } as const;

/** Rests until it is cancelled. */
export const RESTING = { ...BTC, side: 'BUY', quantity: '0.01', strategy: 'LIMIT', limit_price: '50000' } as const;

/** Fills at once. */
export const IMMEDIATE = { ...BTC, side: 'BUY', quantity: '0.01', strategy: 'MARKET' } as const;

/** Trades for ten minutes. */
export const SCHEDULED = {
  ...BTC,
  side: 'SELL',
  quantity: '0.1',
  strategy: 'TWAP',
  params: { duration_seconds: '600' },
} as const;

/** Rests as a future. */
export const FUTURE = { ...RESTING, symbol: 'BTC/USDT:USDT', asset_category: 'FUTURE' } as const;

/** The request without one of its fields. */
export function without(order: object, field: string): object {
  return Object.fromEntries(Object.entries(order).filter(([name]) => name !== field));
}
