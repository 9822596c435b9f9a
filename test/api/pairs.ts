type Fields = Readonly<Record<string, unknown>>;

/** A leg that buys half a bitcoin on BINANCE by TWAP; `fields` replace or add. */
export function legBody(fields: Fields = {}): Record<string, unknown> {
  return {
    exchange: 'BINANCE',
    symbol: 'BTC/USDT',
    asset_category: 'SPOT',
    side: 'BUY',
    target_value: '0.5',
    ccy: 'BTC',
    strategy: 'TWAP',
    params: { duration_seconds: '60' },
    ...fields,
  };
}

/** A leg that sells the same quantity on OKX at once. */
export function hedgeBody(fields: Fields = {}): Record<string, unknown> {
  return legBody({ exchange: 'OKX', side: 'SELL', strategy: 'MARKET', params: undefined, ...fields });
}

/** A valid create request with both legs, the first leading. Each argument replaces or adds members. */
export function pairBody(fields: Fields = {}, first: Fields = {}, second: Fields = {}): Record<string, unknown> {
  return { algo: 'PAIR', legs: [legBody(first), hedgeBody(second)], ...fields };
}
