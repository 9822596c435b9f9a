import type { Progress } from './order.js';
import type { Traded } from './pair.js';
import { formatSteps } from './quantity.js';

/** Decimals that a converted value is told with. */
const CONVERTED_PRECISION = 8;
const RATE_PRECISION = 12;

/** What tells how far a pair's other leg has come. */
export interface Followed extends Progress {
  /** What one unit of its quote currency is worth in that of the leading leg. */
  readonly quoteRate: number;
}

/**
 * Filled value of the leading leg − that of the other, as decimal text in the leading leg's quote currency: exact where
 * both legs have the same, else at the rate at which it was last hedged, to 8 decimals.
 */
export function mishedge(lead: Traded, led: Progress, follower: Traded, followed: Followed): string {
  const [leadPrecision, otherPrecision] = [precisionOf(lead), precisionOf(follower)];
  if (followed.quoteRate === 1) {
    const precision = Math.max(leadPrecision, otherPrecision);
    const value = scale(led.notional, precision - leadPrecision) - scale(followed.notional, precision - otherPrecision);
    return formatSteps(value, precision);
  }
  const rate = BigInt(Math.round(followed.quoteRate * 10 ** RATE_PRECISION));
  const precision = leadPrecision + otherPrecision + RATE_PRECISION;
  const exact =
    scale(led.notional, precision - leadPrecision) -
    scale(followed.notional * rate, precision - otherPrecision - RATE_PRECISION);
  return formatSteps(
    exact / 10n ** BigInt(Math.max(0, precision - CONVERTED_PRECISION)),
    Math.min(precision, CONVERTED_PRECISION),
  );
}

function precisionOf({ quantityPrecision, pricePrecision }: Traded): number {
  return quantityPrecision + pricePrecision;
}

function scale(value: bigint, digits: number): bigint {
  return value * 10n ** BigInt(digits);
}
