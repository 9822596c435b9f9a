import type { PriceBand } from '../../model/instrument.js';

/** How far limits of either side may lie from the reference price. */
export interface PriceBands {
  readonly buyBand: PriceBand;
  readonly sellBand: PriceBand;
}

/** Limits of both sides lie between these multiples of the reference price. */
export function within(least: number, largest: number): PriceBands {
  const band: PriceBand = { minPpm: ppmOf(least), maxPpm: ppmOf(largest) };
  return { buyBand: band, sellBand: band };
}

/** A limit may cross the reference price by this share of it, and lie as far on its own side as one likes. */
export function crossing(share: number): PriceBands {
  return {
    buyBand: { minPpm: null, maxPpm: ppmOf(1 + share) },
    sellBand: { minPpm: ppmOf(1 - share), maxPpm: null },
  };
}

function ppmOf(multiple: number): number {
  return Math.round(multiple * 1_000_000);
}
