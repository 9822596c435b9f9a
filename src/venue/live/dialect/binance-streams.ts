import type { CandleInterval } from '../../../domain/market-feed.js';
import type { BinanceCall } from '../binance/binance-rest.js';
import { asObject, memberOf } from '../json/json-fields.js';
import type { MarketTopic } from '../live-exchange.js';
import type { StreamRules } from '../market/stream-rules.js';
import { readBinanceFrame } from '../normal/binance-frame.js';

/** Binance's names of our candle intervals. */
export const BINANCE_INTERVALS: Readonly<Record<CandleInterval, string>> = {
  ONE_MINUTE: '1m',
  FIVE_MINUTE: '5m',
  FIFTEEN_MINUTE: '15m',
  THIRTY_MINUTE: '30m',
  ONE_HOUR: '1h',
  SIX_HOUR: '6h',
  ONE_DAY: '1d',
};

/** What differs between the market data of spot and of USD-M futures. */
export interface BinanceMarketDialect {
  readonly isFuture: boolean;
  readonly streams: StreamRules<StreamRoute>;
  readonly calls: {
    readonly bookTicker: BinanceCall;
    /** A snapshot of 1,000 levels. */
    readonly depth: BinanceCall;
    /** For a number of candles. */
    klines(count: number): BinanceCall;
    readonly openInterest: BinanceCall | null;
    readonly fundingRates: BinanceCall | null;
    readonly premiumIndex: BinanceCall | null;
  };
}

/** Futures serve books under `/public` and all other market data under `/market`. */
export type StreamRoute = 'public' | 'market';

/** Weights are those that the exchange documents for these parameters. */
function read(rest: BinanceCall['rest'], weight: number): BinanceCall {
  return { rest, socket: null, weight, security: 'NONE' };
}

/** Each name of a stream is a symbol in lower case and what it carries. */
const STREAMS: Omit<StreamRules<StreamRoute>, 'routes' | 'sequence' | 'streamsOf'> = {
  venue: 'BINANCE',
  confirmsEachName: false,
  ping: null,
  intervals: BINANCE_INTERVALS,
  bookKinds: new Set(['depth']),
  commandText: ({ id, isSubscribe, names }) => {
    return JSON.stringify({ method: isSubscribe ? 'SUBSCRIBE' : 'UNSUBSCRIBE', params: names, id });
  },
  frameOf: (frame) => {
    const message = asObject(frame);
    const [stream, id] = [memberOf(message, 'stream'), memberOf(message, 'id')];
    if (typeof stream === 'string') return { kind: 'records', stream };
    const isRefused = memberOf(message, 'error') !== undefined || typeof id !== 'number';
    return isRefused ? { kind: 'refused', message: 'a message was refused' } : { kind: 'confirmed', id };
  },
  recordsOf: readBinanceFrame,
};

export const BINANCE_SPOT_MARKET: BinanceMarketDialect = {
  isFuture: false,
  streams: {
    ...STREAMS,
    routes: ['public'],
    streamsOf: (topic) => namesOf(topic).map((name) => ({ route: 'public', name })),
    // Each id belongs to one change: none may be missing.
    sequence: {
      first: ({ firstUpdateId, lastUpdateId }, snapshotId) =>
        Number(firstUpdateId) <= snapshotId + 1 && Number(lastUpdateId) > snapshotId,
      next: ({ firstUpdateId }, previousId) => Number(firstUpdateId) === previousId + 1,
    },
  },
  calls: {
    bookTicker: read('GET /api/v3/ticker/bookTicker', 2),
    depth: read('GET /api/v3/depth', 50),
    klines: () => read('GET /api/v3/klines', 2),
    openInterest: null,
    fundingRates: null,
    premiumIndex: null,
  },
};

export const BINANCE_USDM_MARKET: BinanceMarketDialect = {
  isFuture: true,
  streams: {
    ...STREAMS,
    routes: ['public', 'market'],
    streamsOf: (topic) => {
      const route = topic.kind === 'topOfBook' || topic.kind === 'depth' ? 'public' : 'market';
      return namesOf(topic).map((name) => ({ route, name }));
    },
    // Ids have holes. Each change names the last id of the change before it.
    sequence: {
      first: ({ previousUpdateId, lastUpdateId }, snapshotId) =>
        Number(previousUpdateId) <= snapshotId && Number(lastUpdateId) > snapshotId,
      next: ({ previousUpdateId }, previousId) => Number(previousUpdateId) === previousId,
    },
  },
  calls: {
    bookTicker: read('GET /fapi/v1/ticker/bookTicker', 2),
    depth: read('GET /fapi/v1/depth', 20),
    klines: (count) => read('GET /fapi/v1/klines', count < 100 ? 1 : count < 500 ? 2 : 5),
    openInterest: read('GET /fapi/v1/openInterest', 1),
    fundingRates: read('GET /fapi/v1/fundingRate', 1),
    premiumIndex: read('GET /fapi/v1/premiumIndex', 1),
  },
};

/** The streams of a topic. Open interest has none. */
function namesOf(topic: MarketTopic): readonly string[] {
  const symbol = topic.symbol.toLowerCase();
  switch (topic.kind) {
    case 'topOfBook':
      return [`${symbol}@bookTicker`];
    case 'depth':
      return [`${symbol}@depth@100ms`];
    case 'trades':
      return [`${symbol}@aggTrade`];
    case 'mark':
      return [`${symbol}@markPrice@1s`];
    case 'candles':
      return [`${symbol}@kline_${BINANCE_INTERVALS[topic.interval]}`];
    case 'openInterest':
      return [];
  }
}
