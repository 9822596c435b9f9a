import type { Amount } from '../model/amount.js';
import type { Fill } from '../model/event.js';
import type { Grid } from '../model/quantity.js';

/** An instrument by its symbol: `BTC/USDT`, or `BTC/USDT:USDT`. */
interface Traded extends Grid {
  readonly symbol: string;
}

/** The currency that an instrument's prices are in. */
export function quoteOf(symbol: string): string {
  return symbol
    .slice(symbol.indexOf('/') + 1)
    .split(':', 1)[0]!
    .toUpperCase();
}

/** What a fill's fee is worth in quote currency, a fee in base currency at the price of the fill; null for any other. */
export function feeInQuote({ fee, feeCurrency, price }: Fill, { symbol, pricePrecision }: Traded): Amount | null {
  if (feeCurrency === quoteOf(symbol)) return fee;
  const base = symbol.slice(0, symbol.indexOf('/')).toUpperCase();
  return feeCurrency === base ? (((fee * BigInt(price)) / 10n ** BigInt(pricePrecision)) as Amount) : null;
}
