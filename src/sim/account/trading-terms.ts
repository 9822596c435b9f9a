import { type Lots, type Ticks, amountOfNotional, amountOfLots } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { Instrument } from '../../domain/instrument.js';
import type { Liquidity, Side } from '../../domain/order.js';
import { tiersOf, type MarginTier } from './margin-tier.js';

/**
 * Money value of an instrument's lots and ticks, precomputed. All units are counts of 10^-18, so that every product is
 * exact: a rate has six digits, and lot and tick precision leave room for them.
 */
export interface TradingTerms {
  readonly instrument: Instrument;
  readonly isFuture: boolean;
  /** Leverage and maintenance margin of a future; none for spot. */
  readonly tiers: readonly MarginTier[];
  /** Base currency in one lot. */
  readonly lotUnit: bigint;
  /** Quote currency in one lot at one tick, and a millionth of that. */
  readonly notionalUnit: bigint;
  readonly ppmUnit: bigint;
  /** Fee on one lot at one tick, in quote currency. */
  readonly makerFeeUnit: bigint;
  readonly takerFeeUnit: bigint;
}

const PPM = 1_000_000;

export function termsOf(instrument: Instrument): TradingTerms {
  const { makerFeePpm, takerFeePpm, assetCategory } = instrument;
  const notionalUnit = amountOfNotional(1, instrument);
  assert(notionalUnit % BigInt(PPM) === 0n, `fees on ${instrument.symbol} are exact`);
  const ppmUnit = notionalUnit / BigInt(PPM);
  return {
    instrument,
    isFuture: assetCategory === 'FUTURE',
    tiers: tiersOf(instrument),
    lotUnit: amountOfLots(1 as Lots, instrument),
    notionalUnit,
    ppmUnit,
    makerFeeUnit: ppmUnit * BigInt(makerFeePpm),
    takerFeeUnit: ppmUnit * BigInt(takerFeePpm),
  };
}

export function feeUnit(terms: TradingTerms, liquidity: Liquidity): bigint {
  return liquidity === 'MAKER' ? terms.makerFeeUnit : terms.takerFeeUnit;
}

/** Initial margin on one lot at one tick, in quote currency: 1 ÷ leverage, rounded up to a millionth. */
export function marginUnit({ ppmUnit }: TradingTerms, leverage: number): bigint {
  return ppmUnit * BigInt(Math.ceil(PPM / leverage));
}

/** The asset that a resting order locks: base for a spot sale, quote otherwise. */
export function heldAsset({ instrument, isFuture }: TradingTerms, side: Side): string {
  return side === 'SELL' && !isFuture ? instrument.base : instrument.quote;
}

/**
 * The amount that `lots` of a spot order lock when they trade for `notional` lot-ticks. Linear in both, so fills
 * release it exactly.
 */
export function heldAmount(terms: TradingTerms, side: Side, lots: Lots, notional: bigint): bigint {
  return side === 'SELL' ? BigInt(lots) * terms.lotUnit : notional * (terms.notionalUnit + terms.takerFeeUnit);
}

/** Lots × ticks. Each product is a safe integer, because the venue refuses larger orders. */
export function notionalOf(lots: Lots, price: Ticks): bigint {
  return BigInt(lots * price);
}
