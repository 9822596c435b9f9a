import type { AssetCategory, ExchangeCode } from '../../model/exchange.js';
import type { ListedInstrument } from '../../model/instrument.js';
import { VENUE_OPEN_ORDERS_MAX } from '../../model/limits.js';
import type { ExchangeListing, ProductListing } from './exchange-listing.js';
import type { TradingRule } from './trading-rule.js';

/** What an exchange lists, spot before perpetuals. */
export function instrumentsOf(exchange: ExchangeCode, { spot, perpetual }: ExchangeListing): ListedInstrument[] {
  return [...productsOf(exchange, 'SPOT', spot), ...productsOf(exchange, 'FUTURE', perpetual)];
}

function productsOf(
  exchange: ExchangeCode,
  assetCategory: AssetCategory,
  product: ProductListing | null,
): ListedInstrument[] {
  if (product === null) return [];
  return product.rules.map((rule) => instrumentOf(exchange, assetCategory, product, rule));
}

function instrumentOf(
  exchange: ExchangeCode,
  assetCategory: AssetCategory,
  { fees, bands, ownBands, isPostOnlyOffered }: ProductListing,
  rule: TradingRule,
): ListedInstrument {
  const { symbol, pricePrecision, quantityPrecision, quantityMin, quantityMax, notionalMin } = rule;
  const { priceMin, priceMax, marketQuantityMax, notionalMax } = rule;
  const [pair = ''] = symbol.split(':');
  const [base = '', quote = ''] = pair.split('/');
  return {
    venue: exchange,
    symbol,
    assetCategory,
    base,
    quote,
    quantityPrecision,
    pricePrecision,
    quantityMin,
    quantityMax,
    notionalMin,
    filters: {
      priceMin,
      priceMax,
      ...(ownBands?.[symbol] ?? bands),
      marketQuantityMax,
      notionalMax,
      isReducingExempt: assetCategory === 'FUTURE',
      openOrdersMax: VENUE_OPEN_ORDERS_MAX,
      isPostOnlyOffered,
    },
    makerFeePpm: fees.makerPpm,
    takerFeePpm: fees.takerPpm,
  };
}
