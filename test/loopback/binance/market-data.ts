import { aggregate } from '../aggregate-trades.js';
import { candles, INTERVAL_MS } from '../candles.js';
import { divide, formatUnits, placesOf, type Units } from '../decimal.js';
import type { Exchange } from '../exchange.js';
import type { Level, Market } from '../market.js';
import { BAD_INTERVAL, BAD_SYMBOL } from './api-error.js';
import type { Endpoint, RequestContext } from './endpoint.js';
import { page } from './spot-orders.js';
import { listedMarket, marketOf } from './spot-order-form.js';

const DAY_MS = 86_400_000;
const KLINES_STANDARD = 500;
const KLINES_MAX = 1000;
const DEPTH_MAX = 5000;

/** How a section writes prices and quantities: spot with 8 places, futures with those of the step. */
export function writerOf({ instrument }: Market): {
  price: (value: Units) => string;
  quantity: (value: Units) => string;
} {
  const isSpot = instrument.kind === 'spot';
  return {
    price: (value) => formatUnits(value, isSpot ? 8 : placesOf(instrument.tick)),
    quantity: (value) => formatUnits(value, isSpot ? 8 : placesOf(instrument.lot)),
  };
}

export function writeLevels(market: Market, levels: readonly Level[]): readonly (readonly [string, string])[] {
  const write = writerOf(market);
  return levels.map(([price, quantity]) => [write.price(price), write.quantity(quantity)]);
}

/** Public market data that both sections offer under their own path: depth, trades, klines, tickers. */
export function marketDataEndpoints(exchange: Exchange, path: string): readonly Endpoint[] {
  const isSpot = path.startsWith('/api');
  const get = (name: string, weight: number, run: Endpoint['run'], socket?: string): Endpoint => {
    return { rest: `GET ${path}/${name}`, ...(socket !== undefined && { socket }), security: 'NONE', weight, run };
  };
  const tickers = (write: (market: Market, nowMs: number) => object): Endpoint['run'] => {
    return ({ parameters, nowMs }) => {
      const names = selectedSymbols(parameters.optional('symbol'), parameters.optional('symbols'));
      if (typeof names === 'string') return write(listedMarket(exchange, names), nowMs);
      const markets = names?.map((name) => listedMarket(exchange, name)) ?? exchange.markets;
      return markets.map((market) => write(market, nowMs));
    };
  };
  const extra = (nowMs: number): object => (isSpot ? {} : { time: nowMs });
  return [
    get('ping', 1, () => ({}), 'ping'),
    get('time', 1, ({ nowMs }) => ({ serverTime: nowMs }), 'time'),
    get('depth', 5, (context) => depth(marketOf(exchange, context.parameters), context), 'depth'),
    get('trades', 25, (context) => recentTrades(exchange, context), 'trades.recent'),
    get('aggTrades', 4, (context) => aggTrades(exchange, context), 'trades.aggregate'),
    get('klines', 2, (context) => klines(exchange, context), 'klines'),
    get('ticker/24hr', 2, tickers(dayTicker), 'ticker.24hr'),
    get(
      'ticker/price',
      2,
      tickers((market, nowMs) => ({
        symbol: market.instrument.symbol,
        price: writerOf(market).price(market.lastPrice),
        ...extra(nowMs),
      })),
      'ticker.price',
    ),
    get(
      'ticker/bookTicker',
      2,
      tickers((market, nowMs) => ({
        ...bestQuotes(market),
        ...extra(nowMs),
      })),
      'ticker.book',
    ),
  ];
}

function selectedSymbols(symbol: string | null, symbols: string | null): string | readonly string[] | null {
  if (symbol !== null || symbols === null) return symbol;
  try {
    const names: unknown = JSON.parse(symbols);
    if (Array.isArray(names)) return names.map(String);
  } catch {
    // Falls through: a text that is no JSON list names no symbol.
  }
  throw BAD_SYMBOL();
}

function bestQuotes(market: Market): object {
  const [bid] = market.depth('BUY', 1);
  const [ask] = market.depth('SELL', 1);
  const write = writerOf(market);
  return {
    symbol: market.instrument.symbol,
    bidPrice: write.price(bid?.[0] ?? 0n),
    bidQty: write.quantity(bid?.[1] ?? 0n),
    askPrice: write.price(ask?.[0] ?? 0n),
    askQty: write.quantity(ask?.[1] ?? 0n),
  };
}

function depth(market: Market, { parameters, nowMs }: RequestContext): object {
  const isSpot = market.instrument.kind === 'spot';
  const limit = parameters.limit(isSpot ? 100 : 500, DEPTH_MAX);
  return {
    lastUpdateId: market.updateId,
    ...(!isSpot && { E: nowMs, T: nowMs }),
    bids: writeLevels(market, market.depth('BUY', limit)),
    asks: writeLevels(market, market.depth('SELL', limit)),
  };
}

function recentTrades(exchange: Exchange, { parameters }: RequestContext): object {
  const market = marketOf(exchange, parameters);
  const write = writerOf(market);
  const isSpot = market.instrument.kind === 'spot';
  return market.trades.slice(-parameters.limit(500, 1000)).map(({ id, price, quantity, atMs, isBuyerMaker }) => ({
    id,
    price: write.price(price),
    qty: write.quantity(quantity),
    quoteQty: formatUnits((price * quantity) / 100_000_000n, isSpot ? 8 : 2),
    time: atMs,
    isBuyerMaker,
    ...(isSpot && { isBestMatch: true }),
  }));
}

function aggTrades(exchange: Exchange, { parameters }: RequestContext): object {
  const market = marketOf(exchange, parameters);
  const write = writerOf(market);
  const fromId = parameters.integer('fromId');
  const fromMs = parameters.integer('startTime');
  const toMs = parameters.integer('endTime') ?? Number.MAX_SAFE_INTEGER;
  const found = aggregate(market.trades).filter(({ id, atMs }) => {
    return id >= (fromId ?? 0) && atMs >= (fromMs ?? 0) && atMs <= toMs;
  });
  return page(found, parameters.limit(500, 1000), fromId !== null || fromMs !== null).map((trade) => ({
    a: trade.id,
    p: write.price(trade.price),
    q: write.quantity(trade.quantity),
    ...(market.instrument.kind === 'linear' && { nq: write.quantity(trade.quantity) }),
    f: trade.firstTradeId,
    l: trade.lastTradeId,
    T: trade.atMs,
    m: trade.isBuyerMaker,
    ...(market.instrument.kind === 'spot' && { M: true }),
  }));
}

function klines(exchange: Exchange, { parameters, nowMs }: RequestContext): object {
  const market = marketOf(exchange, parameters);
  const lengthMs = INTERVAL_MS[parameters.required('interval')];
  if (lengthMs === undefined) throw BAD_INTERVAL();
  const fromMs = parameters.integer('startTime');
  const toMs = Math.min(parameters.integer('endTime') ?? nowMs, nowMs);
  const write = writerOf(market);
  const limit = parameters.limit(KLINES_STANDARD, KLINES_MAX);
  return candles(market, { lengthMs, fromMs, toMs, limit }).map((candle) => [
    candle.openMs,
    write.price(candle.open),
    write.price(candle.high),
    write.price(candle.low),
    write.price(candle.close),
    write.quantity(candle.volume),
    candle.closeMs,
    formatUnits(candle.quoteVolume),
    candle.tradeCount,
    write.quantity(candle.takerBuyVolume),
    formatUnits(candle.takerBuyQuoteVolume),
    '0',
  ]);
}

function dayTicker(market: Market, nowMs: number): object {
  const [day] = candles(market, { lengthMs: 10 * 365 * DAY_MS, fromMs: null, toMs: nowMs, limit: 1 });
  const write = writerOf(market);
  const { open, close, high, low, volume, quoteVolume, tradeCount, firstTradeId, lastTradeId } = day!;
  const quotes = market.instrument.kind === 'spot' ? bestQuotes(market) : {};
  const change = close - open;
  return {
    symbol: market.instrument.symbol,
    priceChange: write.price(change),
    priceChangePercent: formatUnits(divide(change * 100n, open), 3),
    weightedAvgPrice: write.price(volume === 0n ? close : divide(quoteVolume, volume)),
    ...(market.instrument.kind === 'spot' && { prevClosePrice: write.price(open) }),
    lastPrice: write.price(close),
    lastQty: write.quantity(market.trades.at(-1)?.quantity ?? 0n),
    ...quotes,
    openPrice: write.price(open),
    highPrice: write.price(high),
    lowPrice: write.price(low),
    volume: write.quantity(volume),
    quoteVolume: formatUnits(quoteVolume, market.instrument.kind === 'spot' ? 8 : 2),
    openTime: nowMs - DAY_MS,
    closeTime: nowMs,
    firstId: firstTradeId,
    lastId: lastTradeId,
    count: tradeCount,
  };
}
