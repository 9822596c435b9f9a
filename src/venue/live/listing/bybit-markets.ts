import type { AssetCategory } from '../../../domain/exchange.js';
import { isInScope, type MarketRules } from './listed-market.js';
import { asObject, memberOf, namesIn } from '../json/json-fields.js';
import { type MarketEntry, MarketList, type MarketListResult, type ReportFinding } from './market-list.js';

const MEMBERS = namesIn(`
  symbol contractType status baseCoin quoteCoin launchTime deliveryTime deliveryFeeRate priceScale leverageFilter
  priceFilter lotSizeFilter unifiedMarginTrade fundingInterval settleCoin copyTrading upperFundingRate lowerFundingRate
  isPreListing preListingInfo riskParameters displayName innovation marginTrading stTag symbolType symbolId
  xstockMultiplier skipCallAuction forbidUplWithdrawal isPublicRpi myRpiPermission curPreOpenTime fullName
  marketRegion underlyingTicker`);
const LOT_MEMBERS = namesIn(`
  basePrecision quotePrecision minOrderQty maxOrderQty minOrderAmt maxOrderAmt maxLimitOrderQty maxMarketOrderQty
  postOnlyMaxLimitOrderSize qtyStep postOnlyMaxOrderQty maxMktOrderQty minNotionalValue`);
const PRICE_MEMBERS = namesIn('minPrice maxPrice tickSize');
const STATUSES = namesIn('Trading PreLaunch Delivering Closed Settling');
const CONTRACT_TYPES = namesIn('LinearPerpetual LinearFutures InversePerpetual InverseFutures');

/**
 * Reads one page of GET /v5/market/instruments-info of the category spot (SPOT) or linear (FUTURE). Prices have no
 * band: the exchange's price limits follow several prices and are not a fixed share of one.
 */
export function readBybitMarkets(
  answer: unknown,
  assetCategory: AssetCategory,
  report: ReportFinding,
): MarketListResult {
  const list = new MarketList('BYBIT', report);
  const result =
    asObject(answer) === null ? undefined : memberOf(answer as Readonly<Record<string, unknown>>, 'result');
  const object = asObject(result);
  for (const value of list.entries(object === null ? undefined : memberOf(object, 'list'), 'result.list') ?? []) {
    const entry = list.open(value, 'symbol', MEMBERS);
    if (entry === null) continue;
    const rules = assetCategory === 'SPOT' ? spotRules(entry) : linearRules(entry);
    if (rules === null) list.passOver();
    else list.add(entry, rules);
  }
  return list;
}

/** Rules of a spot pair; null: it is out of scope. */
function spotRules(entry: MarketEntry): MarketRules | null {
  const quote = entry.text('quoteCoin');
  if (entry.problem === null && !isInScope('SPOT', quote, null)) return null;
  const size = entry.inside('lotSizeFilter', LOT_MEMBERS);
  return {
    ...commonRules(entry, 'SPOT'),
    lot: size.decimal('basePrecision'),
    quantityMin: size.bound('minOrderQty'),
    // maxOrderQty is older than the two bounds by order type.
    quantityMax: size.bound('maxLimitOrderQty') ?? size.bound('maxOrderQty'),
    marketQuantityMax: size.bound('maxMarketOrderQty'),
    notionalMin: size.bound('minOrderAmt'),
    notionalMax: size.bound('maxOrderAmt'),
  };
}

/** Rules of a perpetual; null: it is out of scope. */
function linearRules(entry: MarketEntry): MarketRules | null {
  const contractType = entry.choice('contractType', CONTRACT_TYPES);
  const isScope = isInScope('FUTURE', entry.text('quoteCoin'), entry.text('settleCoin'));
  if (entry.problem === null && (contractType !== 'LinearPerpetual' || !isScope)) return null;
  const size = entry.inside('lotSizeFilter', LOT_MEMBERS);
  return {
    ...commonRules(entry, 'FUTURE'),
    lot: size.decimal('qtyStep'),
    quantityMin: size.bound('minOrderQty'),
    quantityMax: size.bound('maxOrderQty'),
    marketQuantityMax: size.bound('maxMktOrderQty'),
    notionalMin: size.bound('minNotionalValue'),
  };
}

function commonRules(entry: MarketEntry, assetCategory: AssetCategory) {
  const price = entry.inside('priceFilter', PRICE_MEMBERS);
  return {
    venue: 'BYBIT' as const,
    assetCategory,
    base: entry.text('baseCoin'),
    quote: entry.text('quoteCoin'),
    rawSymbol: entry.name,
    isTrading: entry.choice('status', STATUSES) === 'Trading',
    tick: price.decimal('tickSize'),
    priceMin: price.bound('minPrice'),
    priceMax: price.bound('maxPrice'),
  };
}
