import { AMOUNT_PRECISION } from '../../model/amount.js';
import { assert } from '../../model/assert.js';
import type { Instrument } from '../../model/instrument.js';
import type { Liquidity, Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import { tiersOf, type MarginTier } from './margin-tier.js';

/**
 * What an instrument's lots and ticks are worth in money, precomputed. All units are counts of 10^-18, so that every
 * product is exact: a rate has six digits, which lot and tick precision leave room for.
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
  const { quantityPrecision, pricePrecision, makerFeePpm, takerFeePpm, assetCategory } = instrument;
  const notionalUnit = 10n ** BigInt(AMOUNT_PRECISION - quantityPrecision - pricePrecision);
  assert(notionalUnit % BigInt(PPM) === 0n, `fees on ${instrument.symbol} are exact`);
  const ppmUnit = notionalUnit / BigInt(PPM);
  return {
    instrument,
    isFuture: assetCategory === 'FUTURE',
    tiers: tiersOf(instrument),
    lotUnit: 10n ** BigInt(AMOUNT_PRECISION - quantityPrecision),
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

/** What an order ties up while it waits: base for a spot sale, quote for the rest. */
export function heldAsset({ instrument, isFuture }: TradingTerms, side: Side): string {
  return side === 'SELL' && !isFuture ? instrument.base : instrument.quote;
}

/** What `lots` of a spot order tie up when they trade for `notional` lot-ticks. Linear in both, so fills release it exactly. */
export function heldAmount(terms: TradingTerms, side: Side, lots: Lots, notional: bigint): bigint {
  return side === 'SELL' ? BigInt(lots) * terms.lotUnit : notional * (terms.notionalUnit + terms.takerFeeUnit);
}

/** Lots × ticks. Each product is a safe integer, because an order whose own would not be is refused. */
export function notionalOf(lots: Lots, price: Ticks): bigint {
  return BigInt(lots * price);
}
