import type { AssetCategory, ExchangeCode } from '../../model/exchange.js';
import type { ListedInstrument } from '../../model/instrument.js';
import { VENUE_OPEN_ORDERS_MAX } from '../../model/limits.js';
import type { ExchangeListing, ProductListing } from './exchange-listing.js';
import type { TradingRule } from './trading-rule.js';

/** What holds for one kind of instrument, by the product or by the exchange as a whole. */
type Product = ProductListing & Pick<ExchangeListing, 'selfTradePreventions'>;

/** What an exchange lists, spot before perpetuals. */
export function instrumentsOf(exchange: ExchangeCode, listing: ExchangeListing): ListedInstrument[] {
  return [...productsOf(exchange, 'SPOT', listing), ...productsOf(exchange, 'FUTURE', listing)];
}

function productsOf(
  exchange: ExchangeCode,
  assetCategory: AssetCategory,
  { spot, perpetual, selfTradePreventions }: ExchangeListing,
): ListedInstrument[] {
  const product = assetCategory === 'SPOT' ? spot : perpetual;
  if (product === null) return [];
  return product.rules.map((rule) => instrumentOf(exchange, assetCategory, { ...product, selfTradePreventions }, rule));
}

function instrumentOf(
  exchange: ExchangeCode,
  assetCategory: AssetCategory,
  { fees, bands, ownBands, isPostOnlyOffered, selfTradePreventions }: Product,
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
      selfTradePreventions,
    },
    makerFeePpm: fees.makerPpm,
    takerFeePpm: fees.takerPpm,
  };
}
