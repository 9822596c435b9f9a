import type { PriceBand, SelfTradePrevention, SelfTradePreventions } from '../../../domain/instrument.js';
import { VENUE_LISTINGS } from '../../listing/exchanges.js';
import type { Decimal } from '../json/decimal.js';
import { isInScope } from './listed-market.js';
import { asObject, memberOf, namesIn, type JsonFields } from '../json/json-fields.js';
import { type MarketEntry, MarketList, type MarketListResult, type ReportFinding } from './market-list.js';

const SPOT_MEMBERS = namesIn(`
  symbol status baseAsset baseAssetPrecision quoteAsset quotePrecision quoteAssetPrecision baseCommissionPrecision
  quoteCommissionPrecision orderTypes icebergAllowed ocoAllowed otoAllowed opoAllowed quoteOrderQtyMarketAllowed
  allowTrailingStop cancelReplaceAllowed amendAllowed pegInstructionsAllowed isSpotTradingAllowed
  isMarginTradingAllowed filters permissions permissionSets defaultSelfTradePreventionMode
  allowedSelfTradePreventionModes`);
const USDM_MEMBERS = namesIn(`
  symbol pair contractType deliveryDate onboardDate status maintMarginPercent requiredMarginPercent baseAsset quoteAsset
  marginAsset pricePrecision quantityPrecision baseAssetPrecision quotePrecision underlyingType underlyingSubType
  settlePlan triggerProtect liquidationFee marketTakeBound maxMoveOrderLimit filters orderTypes orderType timeInForce
  permissionSets`);
const SPOT_STATUSES = namesIn(
  'TRADING PRE_TRADING POST_TRADING END_OF_DAY HALT AUCTION_MATCH BREAK CANCEL_ONLY PENDING_TRADING',
);
const USDM_STATUSES = namesIn(
  'TRADING PENDING_TRADING PRE_DELIVERING DELIVERING DELIVERED PRE_SETTLE SETTLING CLOSE CLOSED',
);
/** An empty contract type belongs to a contract that does not trade yet. */
const CONTRACT_TYPES = new Set([
  ...namesIn('PERPETUAL CURRENT_MONTH NEXT_MONTH CURRENT_QUARTER NEXT_QUARTER PERPETUAL_DELIVERING TRADIFI_PERPETUAL'),
  '',
]);
const PREVENTIONS = namesIn('NONE EXPIRE_TAKER EXPIRE_MAKER EXPIRE_BOTH DECREMENT TRANSFER');
/** Filters that are read, and filters without a meaning for our orders. */
const FILTERS = namesIn(`
  PRICE_FILTER LOT_SIZE MARKET_LOT_SIZE PERCENT_PRICE PERCENT_PRICE_BY_SIDE NOTIONAL MIN_NOTIONAL MAX_NUM_ORDERS
  ICEBERG_PARTS TRAILING_DELTA MAX_NUM_ALGO_ORDERS MAX_NUM_ICEBERG_ORDERS MAX_NUM_ORDER_LISTS MAX_NUM_ORDER_AMENDS
  MAX_POSITION MAX_ASSET POSITION_RISK_CONTROL`);

/** Reads the answer of GET /api/v3/exchangeInfo. */
export function readBinanceSpotMarkets(answer: unknown, report: ReportFinding): MarketListResult {
  const list = new MarketList('BINANCE', report);
  for (const value of symbolsOf(list, answer)) {
    const entry = list.open(value, 'symbol', SPOT_MEMBERS);
    if (entry === null) continue;
    const status = entry.choice('status', SPOT_STATUSES);
    const quote = entry.text('quoteAsset');
    if (entry.problem === null && !isInScope('SPOT', quote, null)) {
      list.passOver();
      continue;
    }
    list.add(entry, {
      venue: 'BINANCE',
      assetCategory: 'SPOT',
      base: entry.text('baseAsset'),
      quote,
      rawSymbol: entry.name,
      isTrading: status === 'TRADING' && entry.value('isSpotTradingAllowed') !== false,
      ...boundsOf(entry, filtersOf(entry, list)),
      selfTradePreventions: preventionsOf(entry, list),
    });
  }
  return list;
}

/** Reads the answer of GET /fapi/v1/exchangeInfo. */
export function readBinanceUsdmMarkets(answer: unknown, report: ReportFinding): MarketListResult {
  const list = new MarketList('BINANCE', report);
  for (const value of symbolsOf(list, answer)) {
    const entry = list.open(value, 'symbol', USDM_MEMBERS);
    if (entry === null) continue;
    const status = entry.choice('status', USDM_STATUSES);
    const contractType = entry.choice('contractType', CONTRACT_TYPES);
    const quote = entry.text('quoteAsset');
    const settle = entry.text('marginAsset');
    if (entry.problem === null && (contractType !== 'PERPETUAL' || !isInScope('FUTURE', quote, settle))) {
      list.passOver();
      continue;
    }
    list.add(entry, {
      venue: 'BINANCE',
      assetCategory: 'FUTURE',
      base: entry.text('baseAsset'),
      quote,
      rawSymbol: entry.name,
      isTrading: status === 'TRADING',
      ...boundsOf(entry, filtersOf(entry, list)),
    });
  }
  return list;
}

function symbolsOf(list: MarketList, answer: unknown): readonly unknown[] {
  const object = asObject(answer);
  return list.entries(object === null ? undefined : memberOf(object, 'symbols'), 'symbols') ?? [];
}

/** The filters by their type. */
type Filters = ReadonlyMap<string, JsonFields>;

function filtersOf(entry: MarketEntry, list: MarketList): Filters {
  const filters = new Map<string, JsonFields>();
  const values = entry.value('filters');
  if (!Array.isArray(values)) {
    entry.fail('filters is no array');
    return filters;
  }
  for (const value of values as readonly unknown[]) {
    const object = asObject(value);
    const type = object === null ? null : memberOf(object, 'filterType');
    if (typeof type !== 'string') entry.fail('a filter has no filterType');
    else if (FILTERS.has(type)) filters.set(type, entry.open(value, type));
    else list.unknown(entry.name, `unknown filter ${type.slice(0, 64)}`);
  }
  return filters;
}

interface Bounds {
  readonly tick: Decimal;
  readonly lot: Decimal;
  readonly quantityMin: Decimal | null;
  readonly quantityMax: Decimal | null;
  readonly marketQuantityMax: Decimal | null;
  readonly notionalMin: Decimal | null;
  readonly notionalMax: Decimal | null;
  readonly priceMin: Decimal | null;
  readonly priceMax: Decimal | null;
  readonly buyBand: PriceBand;
  readonly sellBand: PriceBand;
  readonly openOrdersMax: number | null;
}

/** Spot and USD-M name the bounds of notional and of open orders differently. */
function boundsOf(entry: MarketEntry, filters: Filters): Bounds {
  const filter = (type: string): JsonFields => filters.get(type) ?? entry.open(null, type);
  const price = filter('PRICE_FILTER');
  const lotSize = filter('LOT_SIZE');
  const notional = filter('NOTIONAL');
  const leastNotional = filter('MIN_NOTIONAL');
  const orders = filter('MAX_NUM_ORDERS');
  return {
    tick: price.decimal('tickSize'),
    lot: lotSize.decimal('stepSize'),
    quantityMin: lotSize.bound('minQty'),
    quantityMax: lotSize.bound('maxQty'),
    marketQuantityMax: filter('MARKET_LOT_SIZE').bound('maxQty'),
    notionalMin: notional.bound('minNotional') ?? leastNotional.bound('minNotional') ?? leastNotional.bound('notional'),
    notionalMax: notional.bound('maxNotional'),
    priceMin: price.bound('minPrice'),
    priceMax: price.bound('maxPrice'),
    ...bandsOf(entry, filters),
    openOrdersMax: orders.count('maxNumOrders') ?? orders.count('limit'),
  };
}

/** Spot bounds both sides of both kinds of order. On USD-M a limit price is bounded only where it crosses. */
function bandsOf(entry: MarketEntry, filters: Filters): Pick<Bounds, 'buyBand' | 'sellBand'> {
  const bySide = filters.get('PERCENT_PRICE_BY_SIDE');
  if (bySide !== undefined) {
    return {
      buyBand: { minPpm: bySide.ppm('bidMultiplierDown'), maxPpm: bySide.ppm('bidMultiplierUp') },
      sellBand: { minPpm: bySide.ppm('askMultiplierDown'), maxPpm: bySide.ppm('askMultiplierUp') },
    };
  }
  const band = filters.get('PERCENT_PRICE') ?? entry.open(null, 'PERCENT_PRICE');
  const [minPpm, maxPpm] = [band.ppm('multiplierDown'), band.ppm('multiplierUp')];
  const isFuture = entry.value('contractType') !== undefined;
  return {
    buyBand: { minPpm: isFuture ? null : minPpm, maxPpm },
    sellBand: { minPpm, maxPpm: isFuture ? null : maxPpm },
  };
}

/** Our modes, in our order, that the symbol allows; all of ours when it does not say. */
function preventionsOf(entry: MarketEntry, list: MarketList): SelfTradePreventions {
  const ours = VENUE_LISTINGS.BINANCE.selfTradePreventions;
  const allowed = entry.value('allowedSelfTradePreventionModes');
  if (!Array.isArray(allowed)) return ours;
  for (const mode of allowed as readonly unknown[]) {
    if (typeof mode !== 'string' || !PREVENTIONS.has(mode)) {
      list.unknown(entry.name, `unknown self-trade prevention ${String(mode).slice(0, 64)}`);
    }
  }
  const isAllowed = (mode: SelfTradePrevention): boolean => allowed.includes(mode);
  const [first, ...others] = ours.filter(isAllowed);
  if (first !== undefined) return [first, ...others];
  entry.fail('allowedSelfTradePreventionModes has none of our modes');
  return ours;
}
