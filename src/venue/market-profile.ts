import { assert } from '../model/assert.js';
import type { Instrument } from '../model/instrument.js';
import { PAIR_LISTINGS, PERPETUAL_LIQUIDITY, VENUE_LISTINGS } from './listing/index.js';

/** How the background of one instrument behaves, in its own ticks and lots. */
export interface MarketProfile {
  /** Where the mid starts, in ticks; not necessarily whole. */
  readonly referencePrice: number;
  /** Standard deviation of a day's return, as a fraction. */
  readonly dailyVolatility: number;
  /** Ticks between two background levels, at least 1. */
  readonly levelSpacing: number;
  /** Mean lots of the best background level. */
  readonly levelQuantity: number;
  /** Lots the background trades in a day. */
  readonly dailyTurnover: number;
}

const BPS = 10_000;

export function profileOf(instrument: Instrument): MarketProfile {
  const { base, quote, venue, assetCategory } = instrument;
  const pair = PAIR_LISTINGS.find((listing) => listing.base === base && listing.quote === quote);
  assert(pair !== undefined, `simulated venues list ${base}/${quote}`);
  const { weight, priceOffsetBps } = VENUE_LISTINGS[venue];
  const ticks = 10 ** instrument.pricePrecision;
  const liquidity =
    weight * (assetCategory === 'FUTURE' ? PERPETUAL_LIQUIDITY : 1) * 10 ** instrument.quantityPrecision;
  return {
    referencePrice: pair.referencePrice * ticks * (1 + priceOffsetBps / BPS),
    dailyVolatility: pair.dailyVolatility,
    levelSpacing: Math.max(1, Math.round(pair.levelSpacing * ticks)),
    levelQuantity: pair.levelQuantity * liquidity,
    dailyTurnover: pair.dailyTurnover * liquidity,
  };
}
