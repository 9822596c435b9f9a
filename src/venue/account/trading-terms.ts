import { AMOUNT_PRECISION } from '../../model/amount.js';
import { assert } from '../../model/assert.js';
import type { Instrument } from '../../model/instrument.js';
import type { Liquidity, Side } from '../../model/order.js';
import type { Lots, Ticks } from '../../model/quantity.js';
import type { ChildSubmission } from '../../model/venue-message.js';

/**
 * What an instrument's lots and ticks are worth in money, precomputed. All units are counts of 10^-18, so that every
 * product is exact: a fee rate has six digits, which lot and tick precision leave room for.
 */
export interface TradingTerms {
  readonly instrument: Instrument;
  readonly isFuture: boolean;
  /** Base currency in one lot. */
  readonly lotUnit: bigint;
  /** Quote currency in one lot at one tick. */
  readonly notionalUnit: bigint;
  /** Fee and initial margin on one lot at one tick, in quote currency. */
  readonly makerFeeUnit: bigint;
  readonly takerFeeUnit: bigint;
  readonly marginUnit: bigint;
}

const PPM = 1_000_000n;
/** Initial margin is a tenth of the notional. */
const MARGIN_DIVISOR = 10n;

export function termsOf(instrument: Instrument): TradingTerms {
  const { quantityPrecision, pricePrecision, makerFeePpm, takerFeePpm, assetCategory } = instrument;
  const notionalUnit = 10n ** BigInt(AMOUNT_PRECISION - quantityPrecision - pricePrecision);
  assert(notionalUnit % PPM === 0n, `fees on ${instrument.symbol} are exact`);
  return {
    instrument,
    isFuture: assetCategory === 'FUTURE',
    lotUnit: 10n ** BigInt(AMOUNT_PRECISION - quantityPrecision),
    notionalUnit,
    makerFeeUnit: (notionalUnit / PPM) * BigInt(makerFeePpm),
    takerFeeUnit: (notionalUnit / PPM) * BigInt(takerFeePpm),
    marginUnit: notionalUnit / MARGIN_DIVISOR,
  };
}

export function feeUnit(terms: TradingTerms, liquidity: Liquidity): bigint {
  return liquidity === 'MAKER' ? terms.makerFeeUnit : terms.takerFeeUnit;
}

/** What an order ties up while it waits: base for a spot sale, quote for the rest. */
export function heldAsset({ instrument, isFuture }: TradingTerms, side: Side): string {
  return side === 'SELL' && !isFuture ? instrument.base : instrument.quote;
}

/** What `lots` of an order tie up when they trade for `notional` lot-ticks. Linear in both, so fills release it exactly. */
export function heldAmount(terms: TradingTerms, order: ChildSubmission, lots: Lots, notional: bigint): bigint {
  if (terms.isFuture) return order.reduceOnly ? 0n : notional * (terms.marginUnit + terms.takerFeeUnit);
  return order.side === 'SELL' ? BigInt(lots) * terms.lotUnit : notional * (terms.notionalUnit + terms.takerFeeUnit);
}

/** Lots × ticks. Each product is a safe integer, because an order whose own would not be is refused. */
export function notionalOf(lots: Lots, price: Ticks): bigint {
  return BigInt(lots * price);
}
