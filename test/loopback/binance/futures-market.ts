import { formatUnits, placesOf } from '../decimal.js';
import type { Exchange } from '../exchange.js';
import type { LoopbackInstrument } from '../instrument.js';
import type { Market } from '../market.js';
import type { Endpoint, RequestContext } from './endpoint.js';
import { linearFilters } from './filters.js';
import type { RateLimit } from './request-limits.js';
import { marketOf } from './spot-order-form.js';
import { FUNDING_RATE, nextFunding } from './stream-frames.js';

const FUNDING_MS = 8 * 3_600_000;
const ONBOARD_MS = 1_569_398_400_000;
/** A perpetual has a delivery date far in the future. */
const DELIVERY_MS = 4_133_404_800_000;
const FUNDING_STANDARD = 100;
const FUNDING_MAX = 1000;

/** Reference data, mark prices, funding and open interest of the futures API. */
export function futuresMarketEndpoints(exchange: Exchange, limits: readonly RateLimit[]): readonly Endpoint[] {
  return [
    get('exchangeInfo', ({ nowMs }) => ({
      exchangeFilters: [],
      rateLimits: limits,
      serverTime: nowMs,
      assets: [{ asset: 'USDT', marginAvailable: true, autoAssetExchange: '-10000' }],
      symbols: exchange.markets.flatMap(({ rules }) => {
        const suspension = exchange.suspensionOf(rules.symbol);
        return suspension === 'DELISTED' ? [] : [symbolInfo(rules, suspension !== null)];
      }),
      timezone: 'UTC',
    })),
    get('premiumIndex', (context) => {
      if (context.parameters.optional('symbol') !== null) {
        return premiumIndex(marketOf(exchange, context.parameters), context.nowMs);
      }
      return exchange.markets.map((market) => premiumIndex(market, context.nowMs));
    }),
    get('fundingRate', (context) => fundingRates(exchange, context)),
    get('fundingInfo', () => []),
    get('openInterest', ({ parameters, nowMs }) => {
      const { symbol, lot } = marketOf(exchange, parameters).instrument;
      const fills = exchange.ledger.fills.filter((fill) => fill.symbol === symbol);
      const traded = fills.reduce((sum, { quantity }) => sum + quantity, 0n);
      return { openInterest: formatUnits(traded, placesOf(lot)), symbol, time: nowMs };
    }),
  ];
}

function get(name: string, run: Endpoint['run']): Endpoint {
  return { rest: `GET /fapi/v1/${name}`, security: 'NONE', weight: 1, run };
}

function premiumIndex({ instrument, lastPrice }: Market, nowMs: number): object {
  const price = formatUnits(lastPrice);
  return {
    symbol: instrument.symbol,
    markPrice: price,
    indexPrice: price,
    estimatedSettlePrice: price,
    lastFundingRate: FUNDING_RATE,
    interestRate: FUNDING_RATE,
    nextFundingTime: nextFunding(nowMs),
    time: nowMs,
  };
}

/** One rate every 8 hours, always the same. */
function fundingRates(exchange: Exchange, { parameters, nowMs }: RequestContext): object {
  const { instrument, lastPrice } = marketOf(exchange, parameters);
  const fromMs = parameters.integer('startTime');
  const last = nextFunding(Math.min(parameters.integer('endTime') ?? nowMs, nowMs)) - FUNDING_MS;
  const limit = parameters.limit(FUNDING_STANDARD, FUNDING_MAX);
  const first = fromMs === null ? last - (limit - 1) * FUNDING_MS : nextFunding(fromMs - 1);
  const count = Math.max(0, Math.min(limit, (last - first) / FUNDING_MS + 1));
  return Array.from({ length: count }, (_, index) => ({
    symbol: instrument.symbol,
    fundingTime: first + index * FUNDING_MS,
    fundingRate: FUNDING_RATE,
    markPrice: formatUnits(lastPrice),
  }));
}

function symbolInfo(instrument: LoopbackInstrument, isHalted: boolean): object {
  return {
    symbol: instrument.symbol,
    pair: instrument.symbol,
    contractType: 'PERPETUAL',
    deliveryDate: DELIVERY_MS,
    onboardDate: ONBOARD_MS,
    status: isHalted ? 'SETTLING' : 'TRADING',
    maintMarginPercent: '2.5000',
    requiredMarginPercent: '5.0000',
    baseAsset: instrument.base,
    quoteAsset: instrument.quote,
    marginAsset: instrument.quote,
    pricePrecision: placesOf(instrument.tick),
    quantityPrecision: placesOf(instrument.lot),
    baseAssetPrecision: 8,
    quotePrecision: 8,
    underlyingType: 'COIN',
    underlyingSubType: ['PoW'],
    triggerProtect: '0.0500',
    liquidationFee: '0.012500',
    marketTakeBound: '0.05',
    maxMoveOrderLimit: 1e4,
    filters: linearFilters(instrument),
    orderTypes: ['LIMIT', 'MARKET'],
    timeInForce: ['GTC', 'IOC', 'FOK', 'GTX'],
    permissionSets: ['GRID'],
  };
}
