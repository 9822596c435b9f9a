import { assert } from '../../model/assert.js';
import type { AssetCategory } from '../../model/exchange.js';
import type { Instrument } from '../../model/instrument.js';
import { PAIR_LISTINGS, VENUE_LISTINGS } from '../listing/index.js';

/** How the market of one instrument behaves, in its own ticks and lots. */
export interface MarketProfile {
  /** What the pair is worth when its paths are at 0, in ticks; not necessarily whole. */
  readonly referencePrice: number;
  /** Standard deviation of a day's return, as a fraction. */
  readonly dailyVolatility: number;
  /** Lots traded in a mean day. */
  readonly dailyTurnover: number;
  /** Market orders in a mean day. */
  readonly takersPerDay: number;
  /** Part of the turnover that comes with them; the rest is swept or crossed when the touch moves. */
  readonly takenShare: number;
  /** Median lots of a market order as a part of their mean. The rest of the sizes follows: they are lognormal. */
  readonly takerMedianShare: number;
  /** Smallest market order. */
  readonly lotsMin: number;
  /** Mean lots at the touch, on one side. */
  readonly wallLots: number;
  /** Mean lots within each further basis point, on one side. */
  readonly lotsPerBps: number;
  /** How far behind the touch the book reaches. */
  readonly depthBps: number;
  /** How far the fair price strays from the touch before the touch follows, in ticks. */
  readonly reach: number;
  /** How long the touch takes to form anew after the price has left it, on average. */
  readonly gatheringMs: number;
  /** How often the makers look at the market, against those of the busiest market; in (0, 1]. */
  readonly pace: number;
}

/** What spot and perpetual markets of Bitcoin were like, as parts of the daily turnover where it says share. */
interface Shape {
  readonly turnover: number;
  readonly takersPerDay: number;
  readonly takenShare: number;
  readonly takerMedianShare: number;
  readonly wallShare: number;
  readonly bpsShare: number;
  readonly reachBps: number;
  readonly gatheringMs: number;
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
    gatheringMs: 1.05,
  },
  FUTURE: {
    turnover: 10.8,
    takersPerDay: 2_250_000,
    takenShare: 0.9,
    takerMedianShare: 0.065,
    wallShare: 6.6e-6,
    bpsShare: 2.45e-5,
    reachBps: 0.55,
    gatheringMs: 0.5,
  },
};
/** Daily notional of the market that the shapes come from: 65,000 BTC at 64,000. */
const MEASURED_NOTIONAL = 65_000 * 64_000;
/** A market of a tenth of the turnover has a third of the orders, each a third as large. */
const ORDERS_EXPONENT = 0.5;
const PACE_MIN = 0.05;
/** Half a tick either way, and some patience: a coarser grid moves the touch less often. */
const REACH_TICKS_MIN = 0.75;
const DEPTH_BPS = 30;
const DEPTH_TICKS_MIN = 20;
const BPS = 10_000;

export function profileOf(instrument: Instrument): MarketProfile {
  const { base, quote, venue, assetCategory } = instrument;
  const pair = PAIR_LISTINGS.find((listing) => listing.base === base && listing.quote === quote);
  assert(pair !== undefined, `simulated venues list ${base}/${quote}`);
  const { weight, priceOffsetBps } = VENUE_LISTINGS[venue];
  const shape = SHAPES[assetCategory];
  const referencePrice = pair.referencePrice * 10 ** instrument.pricePrecision * (1 + priceOffsetBps / BPS);
  const dailyTurnover = pair.dailyTurnover * weight * shape.turnover * 10 ** instrument.quantityPrecision;
  const pace = Math.min(
    1,
    Math.max(PACE_MIN, ((weight * pair.dailyTurnover * dollarsOf(base)) / MEASURED_NOTIONAL) ** ORDERS_EXPONENT),
  );
  const ticksPerBps = referencePrice / BPS;
  return {
    referencePrice,
    dailyVolatility: pair.dailyVolatility,
    dailyTurnover,
    takersPerDay: shape.takersPerDay * pace,
    takenShare: shape.takenShare,
    takerMedianShare: shape.takerMedianShare,
    lotsMin: Math.max(instrument.quantityMin, Math.ceil(instrument.notionalMin / referencePrice)),
    // One tick of a coarse grid gathers what a fine one spreads over all the prices within it.
    wallLots: dailyTurnover * (shape.wallShare + shape.bpsShare / Math.max(1, ticksPerBps)),
    lotsPerBps: dailyTurnover * shape.bpsShare,
    depthBps: Math.max(DEPTH_BPS, DEPTH_TICKS_MIN / ticksPerBps),
    reach: Math.max(REACH_TICKS_MIN, shape.reachBps * ticksPerBps),
    gatheringMs: shape.gatheringMs,
    pace,
  };
}

/** What one unit of the asset is worth, roughly. */
function dollarsOf(asset: string): number {
  return PAIR_LISTINGS.find(({ base, quote }) => base === asset && quote === 'USDT')?.referencePrice ?? 1;
}
