import { ticksPerUnit, lotsPerUnit } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { AssetCategory } from '../../domain/exchange.js';
import type { Instrument } from '../../domain/instrument.js';
import { VENUE_LISTINGS } from '../../venue/listing/exchanges.js';
import { PAIR_LISTINGS } from '../../venue/listing/pair-listing.js';

/** Behaviour of one instrument's market, in its own ticks and lots. */
export interface MarketProfile {
  /** Fair price when all paths are at 0, in ticks, not necessarily whole. */
  readonly referencePrice: number;
  /** Standard deviation of the daily return, as a fraction. */
  readonly dailyVolatility: number;
  /** Lots traded on an average day. */
  readonly dailyTurnover: number;
  /** Market orders on an average day. */
  readonly takersPerDay: number;
  /** Share of the turnover by market orders; the rest comes from sweeps and crossings when the touch moves. */
  readonly takenShare: number;
  /** Median size of a market order relative to the mean. Sizes are lognormal, so this fixes their deviation. */
  readonly takerMedianShare: number;
  /** Smallest market order. */
  readonly lotsMin: number;
  /** Mean lots at the touch, on one side. */
  readonly wallLots: number;
  /** Mean lots within each further basis point, on one side. */
  readonly lotsPerBps: number;
  /** Distance of the farthest quotes from the touch, in basis points. */
  readonly depthBps: number;
  /** Distance of the fair price from the touch at which the touch moves, in ticks. */
  readonly reach: number;
  /** Mean time until the walls re-form after a move. */
  readonly reformMs: number;
  /** Rate of maker activity relative to the busiest market, in (0, 1]. */
  readonly pace: number;
}

/** Measured shape of Bitcoin's spot and perpetual markets. Fields named `…Share` are relative to the daily turnover. */
interface Shape {
  readonly turnover: number;
  readonly takersPerDay: number;
  readonly takenShare: number;
  readonly takerMedianShare: number;
  readonly wallShare: number;
  readonly bpsShare: number;
  readonly reachBps: number;
  readonly reformMs: number;
}

/**
 * Measured on ten minutes of BTC/USDT of the largest exchange, spot and perpetual, around midnight of 8 to 9 August
 * 2024; `npm run bench -- simulation --data DIR` compares. The turnover is relative to spot.
 */
const SHAPES: { readonly [Category in AssetCategory]: Shape } = {
  SPOT: {
    turnover: 1,
    takersPerDay: 1_640_000,
    takenShare: 0.65,
    takerMedianShare: 0.028,
    wallShare: 3.2e-5,
    bpsShare: 1.02e-4,
    reachBps: 0.6,
    reformMs: 1.05,
  },
  FUTURE: {
    turnover: 10.8,
    takersPerDay: 2_250_000,
    takenShare: 0.9,
    takerMedianShare: 0.065,
    wallShare: 6.6e-6,
    bpsShare: 2.45e-5,
    reachBps: 0.55,
    reformMs: 0.5,
  },
};
/** Daily notional of the market that the shapes come from: 65,000 BTC at 64,000. */
const MEASURED_NOTIONAL = 65_000 * 64_000;
/**
 * Orders scale with the square root of turnover: a tenth of the turnover gives a third of the orders, each a third as
 * large.
 */
const ORDERS_EXPONENT = 0.5;
const PACE_MIN = 0.05;
/** Half a tick in each direction plus hysteresis: a coarser grid moves the touch less often. */
const REACH_TICKS_MIN = 0.75;
const DEPTH_BPS = 30;
/**
 * Depth of other pairs relative to their turnover, compared with Bitcoin's. Recorded books of Ether and Solana hold 2.2
 * to 2.9 times the quantity within 5 bps that Bitcoin's shape would give them.
 */
const DEPTH_OF_OTHER_PAIRS = 2.5;
const MEASURED_BASE = 'BTC';
const DEPTH_TICKS_MIN = 20;
const BPS = 10_000;

export function profileOf(instrument: Instrument): MarketProfile {
  const { base, quote, venue, assetCategory } = instrument;
  const pair = PAIR_LISTINGS.find((listing) => listing.base === base && listing.quote === quote);
  assert(pair !== undefined, `simulated venues list ${base}/${quote}`);
  const { weight, priceOffsetBps } = VENUE_LISTINGS[venue];
  const shape = SHAPES[assetCategory];
  const referencePrice = pair.referencePrice * ticksPerUnit(instrument) * (1 + priceOffsetBps / BPS);
  const dailyTurnover = pair.dailyTurnover * weight * shape.turnover * lotsPerUnit(instrument);
  const pace = Math.min(
    1,
    Math.max(PACE_MIN, ((weight * pair.dailyTurnover * dollarsOf(base)) / MEASURED_NOTIONAL) ** ORDERS_EXPONENT),
  );
  const ticksPerBps = referencePrice / BPS;
  const bpsShare = shape.bpsShare * (base === MEASURED_BASE ? 1 : DEPTH_OF_OTHER_PAIRS);
  return {
    referencePrice,
    dailyVolatility: pair.dailyVolatility,
    dailyTurnover,
    takersPerDay: shape.takersPerDay * pace,
    takenShare: shape.takenShare,
    takerMedianShare: shape.takerMedianShare,
    lotsMin: Math.max(instrument.quantityMin, Math.ceil(instrument.notionalMin / referencePrice)),
    // One tick of a coarse grid holds the quantity that a fine grid spreads over several prices.
    wallLots: dailyTurnover * (shape.wallShare + bpsShare / Math.max(1, ticksPerBps)),
    lotsPerBps: dailyTurnover * bpsShare,
    depthBps: Math.max(DEPTH_BPS, DEPTH_TICKS_MIN / ticksPerBps),
    reach: Math.max(REACH_TICKS_MIN, shape.reachBps * ticksPerBps),
    reformMs: shape.reformMs,
    pace,
  };
}

/** Approximate dollar value of one unit of the asset. */
function dollarsOf(asset: string): number {
  return PAIR_LISTINGS.find(({ base, quote }) => base === asset && quote === 'USDT')?.referencePrice ?? 1;
}
