/* Orders that break no rule, for tests to modify. Their prices are far from the simulated markets. */

const BTC = { exchange: 'BINANCE', symbol: 'BTC/USDT', asset_category: 'SPOT' } as const;

/** A limit order that rests until it is cancelled. */
export const RESTING = { ...BTC, side: 'BUY', quantity: '0.01', strategy: 'LIMIT', limit_price: '50000' } as const;

/** A market order that fills at once. */
export const IMMEDIATE = { ...BTC, side: 'BUY', quantity: '0.01', strategy: 'MARKET' } as const;

/** A TWAP over ten minutes. */
export const SCHEDULED = {
  ...BTC,
  side: 'SELL',
  quantity: '0.1',
  strategy: 'TWAP',
  params: { duration_seconds: '600' },
} as const;

/** A limit order in a future that rests. */
export const FUTURE = { ...RESTING, symbol: 'BTC/USDT:USDT', asset_category: 'FUTURE' } as const;

/** The request without one of its fields. */
export function without(order: object, field: string): object {
  return Object.fromEntries(Object.entries(order).filter(([name]) => name !== field));
}
