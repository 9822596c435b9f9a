/** An exact decimal as an integer count of 10^-8. All prices, quantities and money of the loopback exchange. */
export type Units = bigint;

const DECIMALS = 8;
export const ONE: Units = 10n ** BigInt(DECIMALS);
const PATTERN = /^(\d{1,20})(?:\.(\d{1,20}))?$/;

/** Parses digits with at most one point. Returns null for other texts and for more than 8 significant decimals. */
export function parseUnits(text: string): Units | null {
  const match = PATTERN.exec(text);
  if (match === null) return null;
  const [, whole = '', fraction = ''] = match;
  const significant = fraction.replace(/0+$/, '');
  if (significant.length > DECIMALS) return null;
  return BigInt(whole) * ONE + BigInt(significant.padEnd(DECIMALS, '0'));
}

/** Parses a literal of a table. Throws on a wrong text. */
export function units(text: string): Units {
  const parsed = parseUnits(text.replace(/^-/, ''));
  if (parsed === null) throw new RangeError(`not a decimal with at most 8 places: ${text}`);
  return text.startsWith('-') ? -parsed : parsed;
}

/** Writes with exactly `places` decimals; further digits are cut. */
export function formatUnits(value: Units, places = DECIMALS): string {
  const sign = value < 0n ? '-' : '';
  const digits = (value < 0n ? -value : value).toString().padStart(DECIMALS + 1, '0');
  const point = digits.length - DECIMALS;
  const fraction = digits.slice(point, point + places);
  return `${sign}${digits.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Writes without trailing zeros: `0.00100000` becomes `0.001`. */
export function formatShort(value: Units): string {
  const text = formatUnits(value);
  return text.replace(/\.?0+$/, '') || '0';
}

/** Product of two decimals, cut to 8 places. */
export function multiply(one: Units, other: Units): Units {
  return (one * other) / ONE;
}

/** Quotient of two decimals, cut to 8 places; 0 for a zero divisor. */
export function divide(one: Units, other: Units): Units {
  return other === 0n ? 0n : (one * ONE) / other;
}

/** Decimals of a step: 2 for 0.01. */
export function placesOf(step: Units): number {
  const text = formatShort(step);
  const point = text.indexOf('.');
  return point === -1 ? 0 : text.length - point - 1;
}
