import type { AssetCategory, VenueEnvironment } from '../../../domain/exchange.js';
import type { DurationMs } from '../../../domain/time.js';
import type { RateLimit } from '../../throttle/rate-windows.js';
import { BINANCE_SPOT_MARKET, BINANCE_USDM_MARKET, type BinanceMarketDialect } from '../dialect/binance-streams.js';
import { readBinanceSpotMarkets, readBinanceUsdmMarkets } from '../listing/binance-markets.js';
import type { BinanceOrderCalls } from './binance-client.js';
import type { BinanceCall, BinanceAddresses } from './binance-rest.js';

/** What differs between spot and USD-M futures. */
export interface BinanceWallet {
  readonly category: AssetCategory;
  readonly market: BinanceMarketDialect;
  readonly orders: BinanceOrderCalls;
  readonly exchangeInfo: BinanceCall;
  readonly time: BinanceCall;
  readonly readMarkets: typeof readBinanceSpotMarkets;
  readonly socketPath: string;
  /** Limits until exchangeInfo is read: those that the exchange has published for years. */
  readonly limits: { readonly weights: readonly RateLimit[]; readonly orders: readonly RateLimit[] };
  /** How long an order that ended without a fill is known. USD-M futures count from its creation. */
  readonly orderHistoryMs: DurationMs;
  readonly addresses: Readonly<Record<VenueEnvironment, BinanceAddresses>>;
}

function call(rest: BinanceCall['rest'], socket: string | null, weight: number): BinanceCall {
  return { rest, socket, weight, security: 'SIGNED' };
}

function publicCall(rest: BinanceCall['rest'], weight: number): BinanceCall {
  return { rest, socket: null, weight, security: 'NONE' };
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const TEN_SECONDS_MS = 10_000;

export const BINANCE_SPOT: BinanceWallet = {
  category: 'SPOT',
  market: BINANCE_SPOT_MARKET,
  orders: {
    place: { ...call('POST /api/v3/order', 'order.place', 1), isOrder: true },
    cancel: call('DELETE /api/v3/order', 'order.cancel', 1),
    order: call('GET /api/v3/order', 'order.status', 4),
    trades: call('GET /api/v3/myTrades', null, 5),
    openOrders: call('GET /api/v3/openOrders', null, 80),
    openOrdersOfSymbol: call('GET /api/v3/openOrders', null, 6),
    tradesOfSymbol: call('GET /api/v3/myTrades', null, 20),
    allOrders: call('GET /api/v3/allOrders', null, 20),
  },
  exchangeInfo: publicCall('GET /api/v3/exchangeInfo', 20),
  time: publicCall('GET /api/v3/time', 1),
  readMarkets: readBinanceSpotMarkets,
  socketPath: '/ws-api/v3',
  limits: {
    weights: [{ name: 'REQUEST_WEIGHT 1m', lengthMs: MINUTE_MS, max: 6_000 }],
    orders: [
      { name: 'ORDERS 10s', lengthMs: TEN_SECONDS_MS, max: 100 },
      { name: 'ORDERS 1d', lengthMs: DAY_MS, max: 200_000 },
    ],
  },
  orderHistoryMs: (90 * DAY_MS) as DurationMs,
  addresses: {
    live: {
      rest: 'https://api.binance.com',
      walletApi: 'https://api.binance.com',
      streams: 'wss://stream.binance.com:9443',
      socketApi: 'wss://ws-api.binance.com:443',
    },
    testnet: {
      rest: 'https://testnet.binance.vision',
      walletApi: null,
      streams: 'wss://stream.testnet.binance.vision',
      socketApi: 'wss://ws-api.testnet.binance.vision',
    },
  },
};

export const BINANCE_USDM: BinanceWallet = {
  category: 'FUTURE',
  market: BINANCE_USDM_MARKET,
  orders: {
    place: { ...call('POST /fapi/v1/order', 'order.place', 1), isOrder: true },
    cancel: call('DELETE /fapi/v1/order', 'order.cancel', 1),
    order: call('GET /fapi/v1/order', 'order.status', 1),
    trades: call('GET /fapi/v1/userTrades', null, 5),
    openOrders: call('GET /fapi/v1/openOrders', null, 40),
    openOrdersOfSymbol: call('GET /fapi/v1/openOrders', null, 1),
    tradesOfSymbol: call('GET /fapi/v1/userTrades', null, 5),
    allOrders: call('GET /fapi/v1/allOrders', null, 5),
  },
  exchangeInfo: publicCall('GET /fapi/v1/exchangeInfo', 1),
  time: publicCall('GET /fapi/v1/time', 1),
  readMarkets: readBinanceUsdmMarkets,
  socketPath: '/ws-fapi/v1',
  limits: {
    weights: [{ name: 'REQUEST_WEIGHT 1m', lengthMs: MINUTE_MS, max: 2_400 }],
    orders: [
      { name: 'ORDERS 10s', lengthMs: TEN_SECONDS_MS, max: 300 },
      { name: 'ORDERS 1m', lengthMs: MINUTE_MS, max: 1_200 },
    ],
  },
  orderHistoryMs: (3 * DAY_MS) as DurationMs,
  addresses: {
    live: {
      rest: 'https://fapi.binance.com',
      walletApi: 'https://api.binance.com',
      streams: 'wss://fstream.binance.com',
      socketApi: 'wss://ws-fapi.binance.com',
    },
    testnet: {
      rest: 'https://testnet.binancefuture.com',
      walletApi: null,
      streams: 'wss://fstream.binancefuture.com',
      socketApi: 'wss://testnet.binancefuture.com',
    },
  },
};
