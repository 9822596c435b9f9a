import { amountOf } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { Instrument } from '../../domain/instrument.js';

/** One row of a future's leverage table: larger positions carry less leverage and need more margin. */
export interface MarginTier {
  /** Largest notional of the tier in quote currency, as a count of 10^-18; null: no limit. */
  readonly notionalMax: bigint | null;
  readonly leverageMax: number;
  /** Maintenance margin in units of 10^-6 of the notional, less the deduction. */
  readonly maintenancePpm: number;
  /** Keeps the maintenance margin continuous where a tier begins; a count of 10^-18. */
  readonly deduction: bigint;
}

type PublishedTier = readonly [notionalMax: number | null, leverageMax: number, maintenancePpm: number];

/** Published by Binance for BTCUSDT, in USDT: USDⓈ-M Futures, Leverage and Margin, 2023. */
const MAJOR: readonly PublishedTier[] = [
  [50_000, 125, 4_000],
  [500_000, 100, 5_000],
  [8_000_000, 50, 10_000],
  [50_000_000, 20, 25_000],
  [80_000_000, 10, 50_000],
  [100_000_000, 5, 100_000],
  [120_000_000, 4, 125_000],
  [200_000_000, 3, 150_000],
  [300_000_000, 2, 250_000],
  [null, 1, 500_000],
];
/** Similar to the tables of less liquid contracts. */
const MINOR: readonly PublishedTier[] = [
  [50_000, 50, 10_000],
  [500_000, 25, 20_000],
  [4_000_000, 20, 25_000],
  [20_000_000, 10, 50_000],
  [40_000_000, 5, 100_000],
  [60_000_000, 4, 125_000],
  [100_000_000, 2, 250_000],
  [null, 1, 500_000],
];
const MAJOR_BASES: ReadonlySet<string> = new Set(['BTC', 'ETH']);
const PPM = 1_000_000n;

const majorTiers = tiersFrom(MAJOR);
const minorTiers = tiersFrom(MINOR);

/** The tiers of a future, by growing notional; none for spot. */
export function tiersOf({ assetCategory, base }: Pick<Instrument, 'assetCategory' | 'base'>): readonly MarginTier[] {
  if (assetCategory === 'SPOT') return [];
  return MAJOR_BASES.has(base) ? majorTiers : minorTiers;
}

/** The tier of a notional of 0 or more, a count of 10^-18. */
export function tierOf(tiers: readonly MarginTier[], notional: bigint): MarginTier {
  const tier = tiers.find(({ notionalMax }) => notionalMax === null || notional <= notionalMax);
  assert(tier !== undefined, 'a future has a tier for every notional');
  return tier;
}

/** Largest notional of a position at this leverage, as a count of 10^-18; null: no limit. */
export function notionalCap(tiers: readonly MarginTier[], leverage: number): bigint | null {
  const tier = tiers.findLast(({ leverageMax }) => leverageMax >= leverage);
  return tier === undefined ? 0n : tier.notionalMax;
}

/** Maintenance margin of a position of this notional; both are counts of 10^-18. */
export function maintenanceOf(tiers: readonly MarginTier[], notional: bigint): bigint {
  const { maintenancePpm, deduction } = tierOf(tiers, notional);
  return (notional * BigInt(maintenancePpm)) / PPM - deduction;
}

function tiersFrom(published: readonly PublishedTier[]): MarginTier[] {
  let [deduction, floor, ppmBelow] = [0n, 0n, 0];
  return published.map(([max, leverageMax, maintenancePpm], index) => {
    if (index > 0) deduction += (floor * BigInt(maintenancePpm - ppmBelow)) / PPM;
    ppmBelow = maintenancePpm;
    const notionalMax = max === null ? null : amountOf(max, 0);
    floor = notionalMax ?? floor;
    return { notionalMax, leverageMax, maintenancePpm, deduction };
  });
}
