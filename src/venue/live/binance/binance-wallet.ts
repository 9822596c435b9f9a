import type { AssetCategory, VenueEnvironment } from '../../../domain/exchange.js';
import type { DurationMs } from '../../../domain/time.js';
import type { RateLimit } from '../../throttle/rate-windows.js';
import { BINANCE_SPOT_MARKET, BINANCE_USDM_MARKET, type BinanceMarketDialect } from '../dialect/binance-streams.js';
import { readBinanceSpotMarkets, readBinanceUsdmMarkets } from '../listing/binance-markets.js';
import type { BinanceOrderCalls } from './binance-line.js';
import type { BinanceCall } from './binance-requests.js';

/** Where a section of Binance is reached. Addresses have no slash at the end. */
export interface BinanceAddresses {
  /** Replaces the library's hosts: each original host with a scheme and a host. null: the real ones. */
  readonly hosts: ReadonlyMap<string, string> | null;
  /** `wss://` and a host. */
  readonly streams: string;
  readonly socketApi: string;
}

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

function call(rest: string, socket: string | null, weight: number): BinanceCall {
  return { rest, socket, weight };
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const TEN_SECONDS_MS = 10_000;

export const BINANCE_SPOT: BinanceWallet = {
  category: 'SPOT',
  market: BINANCE_SPOT_MARKET,
  orders: {
    place: { ...call('privatePostOrder', 'order.place', 1), isOrder: true },
    cancel: call('privateDeleteOrder', 'order.cancel', 1),
    order: call('privateGetOrder', 'order.status', 4),
    trades: call('privateGetMyTrades', null, 5),
    openOrders: call('privateGetOpenOrders', null, 80),
    openOrdersOfSymbol: call('privateGetOpenOrders', null, 6),
    tradesOfSymbol: call('privateGetMyTrades', null, 20),
    allOrders: call('privateGetAllOrders', null, 20),
  },
  exchangeInfo: call('publicGetExchangeInfo', null, 20),
  time: call('publicGetTime', null, 1),
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
    live: { hosts: null, streams: 'wss://stream.binance.com:9443', socketApi: 'wss://ws-api.binance.com:443' },
    testnet: {
      hosts: new Map([['api.binance.com', 'https://testnet.binance.vision']]),
      streams: 'wss://stream.testnet.binance.vision',
      socketApi: 'wss://ws-api.testnet.binance.vision',
    },
  },
};

export const BINANCE_USDM: BinanceWallet = {
  category: 'FUTURE',
  market: BINANCE_USDM_MARKET,
  orders: {
    place: { ...call('fapiPrivatePostOrder', 'order.place', 1), isOrder: true },
    cancel: call('fapiPrivateDeleteOrder', 'order.cancel', 1),
    order: call('fapiPrivateGetOrder', 'order.status', 1),
    trades: call('fapiPrivateGetUserTrades', null, 5),
    openOrders: call('fapiPrivateGetOpenOrders', null, 40),
    openOrdersOfSymbol: call('fapiPrivateGetOpenOrders', null, 1),
    tradesOfSymbol: call('fapiPrivateGetUserTrades', null, 5),
    allOrders: call('fapiPrivateGetAllOrders', null, 5),
  },
  exchangeInfo: call('fapiPublicGetExchangeInfo', null, 1),
  time: call('fapiPublicGetTime', null, 1),
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
    live: { hosts: null, streams: 'wss://fstream.binance.com', socketApi: 'wss://ws-fapi.binance.com' },
    testnet: {
      hosts: new Map([['fapi.binance.com', 'https://testnet.binancefuture.com']]),
      streams: 'wss://fstream.binancefuture.com',
      socketApi: 'wss://testnet.binancefuture.com',
    },
  },
};
