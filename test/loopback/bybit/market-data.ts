import { candles, openTime } from '../candles.js';
import { divide, formatShort, formatUnits, placesOf, type Units } from '../decimal.js';
import type { LoopbackInstrument } from '../instrument.js';
import type { Level, Market } from '../market.js';
import { parameterError } from './api-error.js';
import type { Endpoint, RequestContext } from './endpoint.js';
import type { Category } from './instruments.js';
import { pageOf } from './parameters.js';
import { marketOf, optionalMarket, type Section, sectionOf, type Sections } from './section.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const FUNDING_MS = 8 * HOUR_MS;
const LAUNCHED_MS = 1_585_526_400_000;

/** Lengths of candles by the exchange's name. The month has no fixed length and is left out. */
export const INTERVAL_MS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    [1, 3, 5, 15, 30, 60, 120, 240, 360, 720].map((minutes) => [String(minutes), minutes * MINUTE_MS]),
  ),
  D: DAY_MS,
  W: 7 * DAY_MS,
};
const OPEN_INTEREST_MS: Readonly<Record<string, number>> = {
  '5min': 5 * MINUTE_MS,
  '15min': 15 * MINUTE_MS,
  '30min': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '4h': 4 * HOUR_MS,
  '1d': DAY_MS,
};
const FUNDING_RATE = '0.0001';

/** How prices and quantities of a market are written. */
export function writerOf({ instrument }: Market) {
  return {
    price: (value: Units) => formatUnits(value, placesOf(instrument.tick)),
    quantity: (value: Units) => formatUnits(value, placesOf(instrument.lot)),
  };
}

export function writeLevels(market: Market, levels: readonly Level[]): readonly (readonly [string, string])[] {
  const write = writerOf(market);
  return levels.map(([price, quantity]) => [write.price(price), write.quantity(quantity)]);
}

/** Public data by HTTP. */
export function marketEndpoints(sections: Sections): readonly Endpoint[] {
  const get = (name: string, run: (section: Section, context: RequestContext) => object): Endpoint => ({
    rest: `GET /v5/market/${name}`,
    security: 'PUBLIC',
    run: (context) => run(sectionOf(sections, context.parameters), context),
  });
  return [
    {
      rest: 'GET /v5/market/time',
      security: 'PUBLIC',
      run: ({ nowMs }) => ({ timeSecond: String(Math.floor(nowMs / 1_000)), timeNano: `${nowMs}000000` }),
    },
    get('instruments-info', (section, { parameters }) => {
      const market = optionalMarket(section, parameters);
      const status = parameters.optional('status') ?? 'Trading';
      const shown = section.exchange.markets.filter((one) => {
        return statusOf(section, one) === status && (market === null || one === market);
      });
      const { list, nextPageCursor } = pageOf(shown, parameters, { standard: 500, most: 1_000 });
      return {
        category: section.category,
        list: list.map((one) => instrumentRow(one, status)),
        ...(section.category === 'linear' && { nextPageCursor }),
      };
    }),
    get('tickers', (section, { parameters, nowMs }) => {
      const market = optionalMarket(section, parameters);
      const shown = section.exchange.markets.filter((one) => market === null || one === market);
      return {
        category: section.category,
        list: shown.map((one) => tickerRow(one, openInterestOf(section, one), nowMs)),
      };
    }),
    get('orderbook', (section, { parameters, nowMs }) => {
      const market = marketOf(section, parameters);
      const limit = parameters.limit(section.category === 'spot' ? 1 : 25, 500);
      return {
        s: market.instrument.symbol,
        b: writeLevels(market, market.depth('BUY', limit)),
        a: writeLevels(market, market.depth('SELL', limit)),
        ts: nowMs,
        u: market.updateId,
        seq: market.updateId,
        cts: nowMs,
      };
    }),
    get('kline', (section, context) => klines(section, context, true)),
    get('mark-price-kline', (section, context) => klines(section, context, false)),
    get('recent-trade', (section, { parameters }) => {
      const market = marketOf(section, parameters);
      const write = writerOf(market);
      const count = parameters.limit(section.category === 'spot' ? 60 : 500, 1_000);
      const list = market.trades
        .slice(-count)
        .toReversed()
        .map((trade) => ({
          execId: tradeId(section.category, trade.id),
          symbol: market.instrument.symbol,
          price: write.price(trade.price),
          size: write.quantity(trade.quantity),
          side: trade.isBuyerMaker ? 'Sell' : 'Buy',
          time: String(trade.atMs),
          isBlockTrade: false,
          isRPITrade: false,
          seq: String(trade.id),
        }));
      return { category: section.category, list };
    }),
    get('funding/history', fundingHistory),
    get('open-interest', openInterest),
  ];
}

/** Public trade ids: digits at spot, UUIDs elsewhere. */
export function tradeId(category: Category, id: number): string {
  return category === 'spot'
    ? `2290000${String(id).padStart(12, '0')}`
    : `b0a2b5a2-0000-5000-8000-${id.toString(16).padStart(12, '0')}`;
}

/** How a suspended perpetual is listed. */
const STATUSES = { PRELAUNCH: 'PreLaunch', HALTED: 'Settling', DELIVERING: 'Delivering', DELISTED: 'Closed' } as const;

/** The status by which a market is listed; null: by none. A spot market that does not trade is in no list. */
function statusOf({ category, exchange }: Section, { instrument }: Market): string | null {
  const suspension = exchange.suspensionOf(instrument.symbol);
  if (suspension === null) return 'Trading';
  return category === 'linear' ? STATUSES[suspension] : null;
}

function instrumentRow({ rules }: Market, status: string): object {
  return { ...(rules.kind === 'spot' ? spotRow(rules) : linearRow(rules)), status };
}

function spotRow(instrument: LoopbackInstrument): object {
  const { symbol, base, quote, tick, lot } = instrument;
  return {
    symbol,
    baseCoin: base,
    quoteCoin: quote,
    innovation: '0',
    status: 'Trading',
    marginTrading: 'utaOnly',
    stTag: '0',
    lotSizeFilter: {
      basePrecision: formatShort(lot),
      quotePrecision: '0.00000001',
      minOrderQty: formatShort(instrument.quantityMin),
      maxOrderQty: formatShort(instrument.quantityMax),
      minOrderAmt: formatShort(instrument.notionalMin),
      maxOrderAmt: formatShort(instrument.notionalMax),
      maxLimitOrderQty: formatShort(instrument.quantityMax),
      maxMarketOrderQty: formatShort(instrument.marketQuantityMax),
      postOnlyMaxLimitOrderSize: formatShort(instrument.quantityMax),
    },
    priceFilter: { tickSize: formatShort(tick) },
    riskParameters: { priceLimitRatioX: '0.05', priceLimitRatioY: '0.05' },
    symbolType: '',
    forbidUplWithdrawal: false,
  };
}

function linearRow(instrument: LoopbackInstrument): object {
  const { symbol, base, quote, tick, lot } = instrument;
  return {
    symbol,
    contractType: 'LinearPerpetual',
    status: 'Trading',
    baseCoin: base,
    quoteCoin: quote,
    launchTime: String(LAUNCHED_MS),
    deliveryTime: '0',
    deliveryFeeRate: '',
    priceScale: String(placesOf(tick)),
    leverageFilter: { minLeverage: '1', maxLeverage: '100.00', leverageStep: '0.01' },
    priceFilter: {
      minPrice: formatShort(instrument.priceMin),
      maxPrice: formatShort(instrument.priceMax),
      tickSize: formatUnits(tick, placesOf(tick)),
    },
    lotSizeFilter: {
      maxOrderQty: formatShort(instrument.quantityMax),
      minOrderQty: formatShort(instrument.quantityMin),
      qtyStep: formatShort(lot),
      postOnlyMaxOrderQty: formatShort(instrument.quantityMax),
      maxMktOrderQty: formatShort(instrument.marketQuantityMax),
      minNotionalValue: formatShort(instrument.notionalMin),
    },
    unifiedMarginTrade: true,
    fundingInterval: FUNDING_MS / MINUTE_MS,
    settleCoin: quote,
    copyTrading: 'none',
    upperFundingRate: '0.00375',
    lowerFundingRate: '-0.00375',
    isPreListing: false,
    preListingInfo: null,
    riskParameters: { priceLimitRatioX: '0.05', priceLimitRatioY: '0.05' },
    displayName: '',
    forbidUplWithdrawal: false,
    symbolType: '',
  };
}

/** Open interest counts the contracts of the accounts of this exchange. */
export function openInterestOf({ exchange }: Section, market: Market): Units {
  const fills = exchange.ledger.fills.filter(({ symbol }) => symbol === market.instrument.symbol);
  return fills.reduce((sum, { quantity }) => sum + quantity, 0n);
}

/** Funding is paid at 00:00, 08:00 and 16:00 UTC. */
export function nextFundingMs(nowMs: number): number {
  return Math.floor(nowMs / FUNDING_MS + 1) * FUNDING_MS;
}

export function tickerRow(market: Market, openInterest: Units, nowMs: number): Record<string, unknown> {
  const write = writerOf(market);
  const { instrument, lastPrice } = market;
  const [bid] = market.depth('BUY', 1);
  const [ask] = market.depth('SELL', 1);
  const [day] = candles(market, { lengthMs: 3_650 * DAY_MS, fromMs: null, toMs: nowMs, limit: 1 });
  const { open, high, low, volume, quoteVolume } = day!;
  const head = {
    symbol: instrument.symbol,
    lastPrice: write.price(lastPrice),
    prevPrice24h: write.price(open),
    price24hPcnt: formatUnits(divide(lastPrice - open, open), 6),
    highPrice24h: write.price(high),
    lowPrice24h: write.price(low),
    turnover24h: formatUnits(quoteVolume, 4),
    volume24h: write.quantity(volume),
  };
  const best = {
    bid1Price: write.price(bid?.[0] ?? 0n),
    bid1Size: write.quantity(bid?.[1] ?? 0n),
    ask1Price: write.price(ask?.[0] ?? 0n),
    ask1Size: write.quantity(ask?.[1] ?? 0n),
  };
  if (instrument.kind === 'spot') return { ...head, ...best, usdIndexPrice: write.price(lastPrice) };
  return {
    ...head,
    tickDirection: 'ZeroPlusTick',
    prevPrice1h: write.price(open),
    markPrice: write.price(lastPrice),
    indexPrice: write.price(lastPrice),
    openInterest: write.quantity(openInterest),
    openInterestValue: formatUnits((openInterest * lastPrice) / 100_000_000n, 4),
    nextFundingTime: String(nextFundingMs(nowMs)),
    fundingRate: FUNDING_RATE,
    fundingIntervalHour: '8',
    ...best,
  };
}

/** Candles of trades, or of the mark price, which has no volume. The newest is first. */
function klines(section: Section, { parameters, nowMs }: RequestContext, hasVolume: boolean): object {
  const market = marketOf(section, parameters);
  const lengthMs = INTERVAL_MS[parameters.required('interval')];
  if (lengthMs === undefined) throw parameterError('Invalid period!');
  const write = writerOf(market);
  const [fromMs, endMs] = [parameters.integer('start'), parameters.integer('end')];
  const limit = parameters.limit(200, 1_000);
  const toMs = Math.min(endMs ?? nowMs, nowMs);
  // A longer period shows its newest candles.
  const firstMs = fromMs === null ? null : Math.max(fromMs, openTime(toMs, lengthMs) - (limit - 1) * lengthMs);
  const rows = candles(market, { lengthMs, fromMs: firstMs, toMs, limit }).map((candle) => [
    String(candle.openMs),
    write.price(candle.open),
    write.price(candle.high),
    write.price(candle.low),
    write.price(candle.close),
    ...(hasVolume ? [write.quantity(candle.volume), formatUnits(candle.quoteVolume)] : []),
  ]);
  return { symbol: market.instrument.symbol, category: section.category, list: rows.toReversed() };
}

/** One rate every 8 hours, always the same; the newest first. */
function fundingHistory(section: Section, { parameters, nowMs }: RequestContext): object {
  if (section.category === 'spot') throw parameterError('params error: Category is invalid');
  const { symbol } = marketOf(section, parameters).instrument;
  const [fromMs, endMs] = [parameters.integer('startTime'), parameters.integer('endTime')];
  if (fromMs !== null && endMs === null) throw parameterError('params error: endTime is required');
  const lastMs = nextFundingMs(Math.min(endMs ?? nowMs, nowMs)) - FUNDING_MS;
  const times = Array.from({ length: parameters.limit(200, 200) }, (_, index) => lastMs - index * FUNDING_MS);
  const list = times
    .filter((ms) => ms >= (fromMs ?? 0))
    .map((ms) => ({ symbol, fundingRate: FUNDING_RATE, fundingRateTimestamp: String(ms) }));
  return { category: section.category, list };
}

function openInterest(section: Section, { parameters, nowMs }: RequestContext): object {
  if (section.category === 'spot') throw parameterError('params error: Category is invalid');
  const market = marketOf(section, parameters);
  const lengthMs = OPEN_INTEREST_MS[parameters.required('intervalTime')];
  if (lengthMs === undefined) throw parameterError('params error: intervalTime invalid');
  const write = writerOf(market);
  const lastMs = Math.floor(Math.min(parameters.integer('endTime') ?? nowMs, nowMs) / lengthMs) * lengthMs;
  const list = Array.from({ length: parameters.limit(50, 200) }, (_, index) => ({
    openInterest: write.quantity(openInterestOf(section, market)),
    timestamp: String(lastMs - index * lengthMs),
  }));
  return { symbol: market.instrument.symbol, category: section.category, list, nextPageCursor: '' };
}
