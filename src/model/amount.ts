import type { Brand } from './brand.js';
import { formatSteps, parseSteps } from './quantity.js';

/**
 * Money or balance of one asset as an integer count of 10^-18 units. Eighteen digits hold
 * lot × tick × fee rate of every instrument without rounding, so balances add up exactly.
 */
export type Amount = Brand<bigint, 'Amount'>;

export const AMOUNT_PRECISION = 18;
export const ZERO_AMOUNT = 0n as Amount;

/** The amount of `units` steps of 10^-precision (precision 0..18). */
export function amountOf(units: number | bigint, precision: number): Amount {
  return (BigInt(units) * 10n ** BigInt(AMOUNT_PRECISION - precision)) as Amount;
}

export function formatAmount(amount: Amount): string {
  return formatSteps(amount, AMOUNT_PRECISION);
}

/** Reads what formatAmount wrote (a minus sign allowed); throws on anything else, for it is our own text. */
export function parseAmount(text: string): Amount {
  const negative = text.startsWith('-');
  const digits = negative ? text.slice(1) : text;
  const point = digits.indexOf('.');
  const fraction = point === -1 ? '' : digits.slice(point + 1);
  const probe = parseSteps(fraction === '' ? '0' : `0.${fraction}`, AMOUNT_PRECISION);
  if (typeof probe === 'string' && probe !== 'too large') throw new RangeError(`not an amount: ${text}`);
  const whole = point === -1 ? digits : digits.slice(0, point);
  const units = BigInt(whole + fraction.padEnd(AMOUNT_PRECISION, '0'));
  return (negative ? -units : units) as Amount;
}
