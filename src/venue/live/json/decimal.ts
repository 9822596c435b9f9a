/** An exact decimal: units × 10^-precision. The precision is 0 or more, and units do not end with a needless zero. */
export interface Decimal {
  readonly units: bigint;
  readonly precision: number;
}

export const ZERO: Decimal = { units: 0n, precision: 0 };
export const ONE: Decimal = { units: 1n, precision: 0 };

/** Exchanges write up to 38 characters, such as `2000000.000000000000000000000000000000`. */
const CHARACTERS_MAX = 64;
const QUOTIENT_DIGITS = 18;
const FORM = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,2}))?$/;

/** Reads a decimal text or a JSON number; null for anything else. A number stands for its shortest decimal text. */
export function parseDecimal(value: unknown): Decimal | null {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.length > CHARACTERS_MAX) return null;
  const match = FORM.exec(text);
  if (match === null) return null;
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  return decimal(BigInt(`${sign}${whole}${fraction}`), fraction.length - Number(exponent));
}

/** units × 10^-precision, with any precision. */
export function decimal(units: bigint, precision: number): Decimal {
  if (precision < 0) return { units: units * 10n ** BigInt(-precision), precision: 0 };
  let [rest, digits] = [units, precision];
  while (digits > 0 && rest % 10n === 0n) {
    rest /= 10n;
    digits -= 1;
  }
  return { units: rest, precision: digits };
}

export function times(one: Decimal, other: Decimal): Decimal {
  return decimal(one.units * other.units, one.precision + other.precision);
}

/** The exact quotient with at most 18 digits after the point; null: it has more. The divisor is positive. */
export function dividedExactly(dividend: Decimal, divisor: Decimal): Decimal | null {
  const scaled = dividend.units * 10n ** BigInt(QUOTIENT_DIGITS + divisor.precision);
  const parts = divisor.units * 10n ** BigInt(dividend.precision);
  return scaled % parts === 0n ? decimal(scaled / parts, QUOTIENT_DIGITS) : null;
}

export function plus(one: Decimal, other: Decimal): Decimal {
  const [left, right] = onOneScale(one, other);
  return decimal(left + right, Math.max(one.precision, other.precision));
}

/** How many whole steps fit into a value; the step is positive. */
export function stepsBelow(value: Decimal, step: Decimal): bigint {
  const [dividend, divisor] = onOneScale(value, step);
  const quotient = dividend / divisor;
  return dividend < 0n && quotient * divisor !== dividend ? quotient - 1n : quotient;
}

/** The fewest whole steps that reach a value; the step is positive. */
export function stepsAbove(value: Decimal, step: Decimal): bigint {
  return -stepsBelow({ units: -value.units, precision: value.precision }, step);
}

function onOneScale(one: Decimal, other: Decimal): readonly [bigint, bigint] {
  const precision = Math.max(one.precision, other.precision);
  const scaled = (value: Decimal): bigint => value.units * 10n ** BigInt(precision - value.precision);
  return [scaled(one), scaled(other)];
}
