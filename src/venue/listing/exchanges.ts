import type { ExchangeCode, Venue } from '../../domain/exchange.js';
import { ORDER_HISTORY_MS } from '../../domain/limits/trading.js';
import type { DurationMs } from '../../domain/time.js';
import { crossing, type ExchangeListing, latency, requestsIn, type VenueListing, within } from './exchange-listing.js';
import { PERPETUAL_RULES } from './perpetual-rules.js';
import { SPOT_RULES } from './spot-rules.js';

const ORDER_HISTORY = ORDER_HISTORY_MS as DurationMs;

/** The exchanges that are simulated as venues. */
export const VENUE_LISTINGS: { readonly [V in Venue]: VenueListing } = {
  /**
   * Rules from its public exchangeInfo of August 2025. Instruments that were missing there in 2021 have the steps of
   * later announcements. Fees: VIP 0 of the public fee schedule.
   */
  BINANCE: {
    weight: 1,
    priceOffsetBps: 0,
    orderHistoryMs: ORDER_HISTORY,
    requestRate: requestsIn(10, 100),
    selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'DECREMENT'],
    latency: latency([2500, 0.35], [3500, 0.4], [2000, 0.35]),
    spot: {
      fees: { makerPpm: 1000, takerPpm: 1000 },
      bands: within(0.2, 5),
      isPostOnlyOffered: true,
      rules: SPOT_RULES.BINANCE,
    },
    perpetual: {
      fees: { makerPpm: 200, takerPpm: 500 },
      bands: crossing(0.05),
      ownBands: { 'LINK/USDT:USDT': crossing(0.1) },
      isPostOnlyOffered: true,
      rules: PERPETUAL_RULES.BINANCE,
    },
  },
  /** Rules in the style of its public symbol list. Fees: Prime 0 of the public schedule. */
  HUOBI: {
    weight: 0.2,
    priceOffsetBps: -0.8,
    orderHistoryMs: ORDER_HISTORY,
    requestRate: requestsIn(2, 100),
    selfTradePreventions: ['EXPIRE_TAKER'],
    latency: latency([9000, 0.45], [12_000, 0.5], [8000, 0.45]),
    spot: {
      fees: { makerPpm: 2000, takerPpm: 2000 },
      bands: crossing(0.1),
      isPostOnlyOffered: true,
      rules: SPOT_RULES.HUOBI,
    },
    perpetual: {
      fees: { makerPpm: 200, takerPpm: 600 },
      bands: crossing(0.05),
      isPostOnlyOffered: true,
      rules: PERPETUAL_RULES.HUOBI,
    },
  },
  /** Rules in the style of its public instruments-info. Fees: VIP 0 of the public schedule. */
  BYBIT: {
    weight: 0.6,
    priceOffsetBps: 0.3,
    orderHistoryMs: ORDER_HISTORY,
    requestRate: requestsIn(1, 10),
    selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
    latency: latency([35_000, 0.3], [37_000, 0.35], [34_000, 0.3]),
    spot: {
      fees: { makerPpm: 1000, takerPpm: 1000 },
      bands: crossing(0.1),
      isPostOnlyOffered: true,
      rules: SPOT_RULES.BYBIT,
    },
    perpetual: {
      fees: { makerPpm: 200, takerPpm: 550 },
      bands: crossing(0.05),
      isPostOnlyOffered: true,
      rules: PERPETUAL_RULES.BYBIT,
    },
  },
  /** Rules in the style of its public symbol list. Fees: LV 0 of the public schedule. */
  KUCOIN: {
    weight: 0.25,
    priceOffsetBps: -0.5,
    orderHistoryMs: ORDER_HISTORY,
    requestRate: requestsIn(30, 1000),
    selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'DECREMENT'],
    latency: latency([4000, 0.5], [7000, 0.55], [4500, 0.5]),
    spot: {
      fees: { makerPpm: 1000, takerPpm: 1000 },
      bands: crossing(0.1),
      isPostOnlyOffered: true,
      rules: SPOT_RULES.KUCOIN,
    },
    perpetual: {
      fees: { makerPpm: 200, takerPpm: 600 },
      bands: crossing(0.05),
      isPostOnlyOffered: true,
      rules: PERPETUAL_RULES.KUCOIN,
    },
  },
  /** Rules in the style of its public instruments list, with coarser lots. Fees: Lv 1 of the public schedule. */
  OKX: {
    weight: 0.6,
    priceOffsetBps: 0.2,
    orderHistoryMs: ORDER_HISTORY,
    requestRate: requestsIn(2, 60),
    selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
    latency: latency([24_000, 0.35], [28_000, 0.4], [24_000, 0.35]),
    spot: {
      fees: { makerPpm: 800, takerPpm: 1000 },
      bands: crossing(0.05),
      isPostOnlyOffered: true,
      rules: SPOT_RULES.OKX,
    },
    perpetual: {
      fees: { makerPpm: 200, takerPpm: 500 },
      bands: crossing(0.05),
      isPostOnlyOffered: true,
      rules: PERPETUAL_RULES.OKX,
    },
  },
  /** Rules in the style of its public currency-pair and contract lists. Fees: VIP 0 of the public schedule. */
  GATEIO: {
    weight: 0.3,
    priceOffsetBps: 0.6,
    orderHistoryMs: ORDER_HISTORY,
    requestRate: requestsIn(1, 10),
    selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
    latency: latency([5000, 0.5], [8000, 0.55], [5000, 0.5]),
    spot: {
      fees: { makerPpm: 1000, takerPpm: 1000 },
      bands: crossing(0.1),
      isPostOnlyOffered: true,
      rules: SPOT_RULES.GATEIO,
    },
    perpetual: {
      fees: { makerPpm: 200, takerPpm: 500 },
      bands: crossing(0.05),
      isPostOnlyOffered: true,
      rules: PERPETUAL_RULES.GATEIO,
    },
  },
  /**
   * Rules in the style of its public asset-pair and instrument lists. Fees: the lowest tier of the public schedules.
   */
  KRAKEN: {
    weight: 0.25,
    priceOffsetBps: 1.2,
    orderHistoryMs: ORDER_HISTORY,
    requestRate: requestsIn(60, 60),
    selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
    latency: latency([108_000, 0.15], [112_000, 0.2], [108_000, 0.15]),
    spot: {
      fees: { makerPpm: 2500, takerPpm: 4000 },
      bands: crossing(0.1),
      isPostOnlyOffered: true,
      rules: SPOT_RULES.KRAKEN,
    },
    perpetual: {
      fees: { makerPpm: 200, takerPpm: 500 },
      bands: crossing(0.05),
      isPostOnlyOffered: true,
      rules: PERPETUAL_RULES.KRAKEN,
    },
  },
  /** Rules in the style of its public symbol and contract lists. Fees: VIP 0 of the public schedule. */
  BITGET: {
    weight: 0.4,
    priceOffsetBps: -0.3,
    orderHistoryMs: ORDER_HISTORY,
    requestRate: requestsIn(1, 10),
    selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
    latency: latency([6000, 0.45], [9000, 0.5], [6000, 0.45]),
    spot: {
      fees: { makerPpm: 1000, takerPpm: 1000 },
      bands: crossing(0.05),
      isPostOnlyOffered: true,
      rules: SPOT_RULES.BITGET,
    },
    perpetual: {
      fees: { makerPpm: 200, takerPpm: 600 },
      bands: crossing(0.05),
      isPostOnlyOffered: true,
      rules: PERPETUAL_RULES.BITGET,
    },
  },
  /** Rules in the style of its public instrument list. Fees: plausible, between the tiers with and without staking. */
  WOO: {
    weight: 0.15,
    priceOffsetBps: -1,
    orderHistoryMs: ORDER_HISTORY,
    requestRate: requestsIn(1, 10),
    selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
    latency: latency([3000, 0.4], [5000, 0.45], [3000, 0.4]),
    spot: {
      fees: { makerPpm: 200, takerPpm: 500 },
      bands: crossing(0.1),
      isPostOnlyOffered: true,
      rules: SPOT_RULES.WOO,
    },
    perpetual: {
      fees: { makerPpm: 100, takerPpm: 500 },
      bands: crossing(0.1),
      isPostOnlyOffered: true,
      rules: PERPETUAL_RULES.WOO,
    },
  },
  /** Rules in the style of its public symbol and contract lists. Fees: the base tier of the public schedule. */
  MEXC: {
    weight: 0.3,
    priceOffsetBps: 0.9,
    orderHistoryMs: ORDER_HISTORY,
    requestRate: requestsIn(2, 20),
    selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
    latency: latency([10_000, 0.5], [15_000, 0.55], [10_000, 0.5]),
    spot: {
      fees: { makerPpm: 0, takerPpm: 500 },
      bands: crossing(0.1),
      isPostOnlyOffered: true,
      rules: SPOT_RULES.MEXC,
    },
    perpetual: {
      fees: { makerPpm: 0, takerPpm: 400 },
      bands: crossing(0.1),
      isPostOnlyOffered: true,
      rules: PERPETUAL_RULES.MEXC,
    },
  },
  /**
   * Rules in the style of its public market list. Fees: the public schedule of its spot markets; perpetuals plausible.
   */
  BULLISH: {
    weight: 0.2,
    priceOffsetBps: 0.4,
    orderHistoryMs: ORDER_HISTORY,
    requestRate: requestsIn(1, 10),
    selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH'],
    latency: latency([34_000, 0.25], [36_000, 0.3], [34_000, 0.25]),
    spot: {
      fees: { makerPpm: 0, takerPpm: 100 },
      bands: crossing(0.1),
      isPostOnlyOffered: true,
      rules: SPOT_RULES.BULLISH,
    },
    perpetual: {
      fees: { makerPpm: 0, takerPpm: 200 },
      bands: crossing(0.1),
      isPostOnlyOffered: true,
      rules: PERPETUAL_RULES.BULLISH,
    },
  },
  /**
   * An over-the-counter dealer without public rules or fees; its prices include the margin. All figures are plausible
   * ones.
   */
  B2C2: {
    weight: 0.15,
    priceOffsetBps: -0.6,
    orderHistoryMs: ORDER_HISTORY,
    requestRate: requestsIn(1, 10),
    selfTradePreventions: ['EXPIRE_TAKER'],
    latency: latency([106_000, 0.15], [115_000, 0.2], [106_000, 0.15]),
    spot: {
      fees: { makerPpm: 500, takerPpm: 500 },
      bands: crossing(0.02),
      isPostOnlyOffered: false,
      rules: SPOT_RULES.B2C2,
    },
    perpetual: {
      fees: { makerPpm: 500, takerPpm: 500 },
      bands: crossing(0.02),
      isPostOnlyOffered: false,
      rules: PERPETUAL_RULES.B2C2,
    },
  },
  /**
   * Prices have five significant figures, as its documentation requires. A limit lies within 95 % of the reference
   * price. Fees: the base tier of the public schedule.
   */
  HYPERLIQUID: {
    weight: 0.35,
    priceOffsetBps: -0.2,
    orderHistoryMs: ORDER_HISTORY,
    requestRate: requestsIn(60, 1200),
    selfTradePreventions: ['EXPIRE_MAKER'],
    latency: latency([90_000, 0.3], [250_000, 0.35], [120_000, 0.3]),
    spot: {
      fees: { makerPpm: 400, takerPpm: 700 },
      bands: within(0.05, 1.95),
      isPostOnlyOffered: true,
      rules: SPOT_RULES.HYPERLIQUID,
    },
    perpetual: {
      fees: { makerPpm: 150, takerPpm: 450 },
      bands: within(0.05, 1.95),
      isPostOnlyOffered: true,
      rules: PERPETUAL_RULES.HYPERLIQUID,
    },
  },
  /** Rules in the style of its public product list. Fees are negotiated with each client; these are plausible. */
  COINBASE_PRIME: {
    weight: 0.5,
    priceOffsetBps: 1.5,
    orderHistoryMs: ORDER_HISTORY,
    requestRate: requestsIn(1, 25),
    selfTradePreventions: ['EXPIRE_TAKER'],
    latency: latency([82_000, 0.2], [86_000, 0.25], [82_000, 0.2]),
    spot: {
      fees: { makerPpm: 500, takerPpm: 1000 },
      bands: crossing(0.1),
      isPostOnlyOffered: true,
      rules: SPOT_RULES.COINBASE_PRIME,
    },
    perpetual: {
      fees: { makerPpm: 200, takerPpm: 400 },
      bands: crossing(0.05),
      isPostOnlyOffered: true,
      rules: PERPETUAL_RULES.COINBASE_PRIME,
    },
  },
  /** Rules in the style of its public instrument list. Fees: the base tier of the public schedule, rounded. */
  COINBASE_INTL: {
    weight: 0.2,
    priceOffsetBps: 0.8,
    orderHistoryMs: ORDER_HISTORY,
    requestRate: requestsIn(1, 10),
    selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_BOTH'],
    latency: latency([80_000, 0.2], [84_000, 0.25], [80_000, 0.2]),
    spot: {
      fees: { makerPpm: 400, takerPpm: 800 },
      bands: crossing(0.1),
      isPostOnlyOffered: true,
      rules: SPOT_RULES.COINBASE_INTL,
    },
    perpetual: {
      fees: { makerPpm: 100, takerPpm: 300 },
      bands: crossing(0.05),
      isPostOnlyOffered: true,
      rules: PERPETUAL_RULES.COINBASE_INTL,
    },
  },
};

/** Exchanges that list instruments but accept no orders here. */
export const LISTING_ONLY: { readonly [Code in Exclude<ExchangeCode, Venue>]: ExchangeListing } = {
  /** Rules in the style of its public product list. Fees: the lowest tier, plausible. */
  COINBASE_ADV: {
    selfTradePreventions: ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'DECREMENT'],
    spot: {
      fees: { makerPpm: 6000, takerPpm: 12_000 },
      bands: crossing(0.1),
      isPostOnlyOffered: true,
      rules: SPOT_RULES.COINBASE_ADV,
    },
    perpetual: null,
  },
  /** Rules in the style of its public market list. Fees: the public schedule. */
  EXTENDED: {
    selfTradePreventions: ['EXPIRE_TAKER'],
    spot: null,
    perpetual: {
      fees: { makerPpm: 0, takerPpm: 250 },
      bands: crossing(0.05),
      isPostOnlyOffered: true,
      rules: PERPETUAL_RULES.EXTENDED,
    },
  },
  /** Rules in the style of its public order-book list. Fees: the standard account. */
  LIGHTER: {
    selfTradePreventions: ['EXPIRE_MAKER'],
    spot: null,
    perpetual: {
      fees: { makerPpm: 0, takerPpm: 0 },
      bands: crossing(0.05),
      isPostOnlyOffered: true,
      rules: PERPETUAL_RULES.LIGHTER,
    },
  },
};
