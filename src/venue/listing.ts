import type { Venue } from '../model/exchange.js';

/** Grid of one contract: decimals behind the point of its prices and quantities. */
export interface Precisions {
  readonly price: number;
  readonly quantity: number;
}

/** One pair as every simulated venue lists it. Quantities in base units, prices in quote units. */
export interface PairListing {
  readonly base: string;
  readonly quote: string;
  readonly spot: Precisions;
  /** null: no perpetual. */
  readonly perpetual: Precisions | null;
  /** Smallest notional of one child, in whole multiples of 10^-4 quote units. */
  readonly notionalMinTenThousandths: number;
  readonly quantityMax: number;
  readonly referencePrice: number;
  /** Standard deviation of a day's return, as a fraction. */
  readonly dailyVolatility: number;
  /** Distance of two background price levels. */
  readonly levelSpacing: number;
  /** Mean background quantity of the best price level, at a venue of weight 1. */
  readonly levelQuantity: number;
  /** Traded by the background in a day, at a venue of weight 1. */
  readonly dailyTurnover: number;
}

const USDT_NOTIONAL_MIN = 50_000;

export const PAIR_LISTINGS: readonly PairListing[] = [
  {
    base: 'BTC',
    quote: 'USDT',
    spot: { price: 2, quantity: 5 },
    perpetual: { price: 1, quantity: 3 },
    notionalMinTenThousandths: USDT_NOTIONAL_MIN,
    quantityMax: 100,
    referencePrice: 64_000,
    dailyVolatility: 0.03,
    levelSpacing: 1,
    levelQuantity: 1,
    dailyTurnover: 25_000,
  },
  {
    base: 'ETH',
    quote: 'USDT',
    spot: { price: 2, quantity: 4 },
    perpetual: { price: 2, quantity: 3 },
    notionalMinTenThousandths: USDT_NOTIONAL_MIN,
    quantityMax: 2_000,
    referencePrice: 2_680,
    dailyVolatility: 0.038,
    levelSpacing: 0.05,
    levelQuantity: 20,
    dailyTurnover: 350_000,
  },
  {
    base: 'SOL',
    quote: 'USDT',
    spot: { price: 2, quantity: 3 },
    perpetual: { price: 3, quantity: 2 },
    notionalMinTenThousandths: USDT_NOTIONAL_MIN,
    quantityMax: 30_000,
    referencePrice: 155,
    dailyVolatility: 0.045,
    levelSpacing: 0.01,
    levelQuantity: 250,
    dailyTurnover: 2_500_000,
  },
  {
    base: 'XRP',
    quote: 'USDT',
    spot: { price: 4, quantity: 1 },
    perpetual: { price: 4, quantity: 1 },
    notionalMinTenThousandths: USDT_NOTIONAL_MIN,
    quantityMax: 5_000_000,
    referencePrice: 0.6,
    dailyVolatility: 0.04,
    levelSpacing: 0.0001,
    levelQuantity: 60_000,
    dailyTurnover: 300_000_000,
  },
  {
    base: 'DOGE',
    quote: 'USDT',
    spot: { price: 5, quantity: 0 },
    perpetual: { price: 5, quantity: 0 },
    notionalMinTenThousandths: USDT_NOTIONAL_MIN,
    quantityMax: 20_000_000,
    referencePrice: 0.105,
    dailyVolatility: 0.05,
    levelSpacing: 0.00001,
    levelQuantity: 200_000,
    dailyTurnover: 1_000_000_000,
  },
  {
    base: 'ETH',
    quote: 'BTC',
    spot: { price: 5, quantity: 4 },
    perpetual: null,
    notionalMinTenThousandths: 1,
    quantityMax: 1_000,
    referencePrice: 0.0419,
    dailyVolatility: 0.02,
    levelSpacing: 0.00001,
    levelQuantity: 15,
    dailyTurnover: 12_000,
  },
];

/** Fee rates in units of 10^-6 of the notional. */
interface FeeRates {
  readonly makerPpm: number;
  readonly takerPpm: number;
}

/** What distinguishes one simulated venue from the next. */
export interface VenueTraits {
  /** Liquidity relative to the deepest venue, in (0, 1]. */
  readonly weight: number;
  /** Its prices against the reference, in basis points. */
  readonly priceOffsetBps: number;
  readonly spot: FeeRates;
  readonly perpetual: FeeRates;
}

type MakerTakerPpm = readonly [makerPpm: number, takerPpm: number];

function traits(weight: number, priceOffsetBps: number, spot: MakerTakerPpm, perpetual: MakerTakerPpm): VenueTraits {
  return { weight, priceOffsetBps, spot: feeRates(spot), perpetual: feeRates(perpetual) };
}

function feeRates([makerPpm, takerPpm]: MakerTakerPpm): FeeRates {
  return { makerPpm, takerPpm };
}

export const VENUE_TRAITS: { readonly [V in Venue]: VenueTraits } = {
  BINANCE: traits(1, 0, [1000, 1000], [200, 500]),
  HUOBI: traits(0.2, -0.8, [2000, 2000], [200, 600]),
  BYBIT: traits(0.6, 0.3, [1000, 1000], [200, 550]),
  KUCOIN: traits(0.25, -0.5, [1000, 1000], [200, 600]),
  OKX: traits(0.6, 0.2, [800, 1000], [200, 500]),
  GATEIO: traits(0.3, 0.6, [2000, 2000], [200, 500]),
  KRAKEN: traits(0.25, 1.2, [2500, 4000], [200, 500]),
  BITGET: traits(0.4, -0.3, [1000, 1000], [200, 600]),
  WOO: traits(0.15, -1.0, [200, 500], [100, 500]),
  MEXC: traits(0.3, 0.9, [0, 500], [100, 400]),
  BULLISH: traits(0.2, 0.4, [0, 100], [0, 200]),
  B2C2: traits(0.15, -0.6, [500, 500], [500, 500]),
  HYPERLIQUID: traits(0.35, -0.2, [400, 700], [150, 450]),
  COINBASE_PRIME: traits(0.5, 1.5, [500, 1000], [200, 400]),
  COINBASE_INTL: traits(0.2, 0.8, [400, 800], [100, 300]),
};

/** How much more liquid a perpetual is than the spot pair. */
export const PERPETUAL_LIQUIDITY = 2;
