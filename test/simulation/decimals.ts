/** Arithmetic of the audit on whole numbers of any size. It shares no code with the service. */

/** A whole number of units of 10^-precision as a decimal without trailing zeros. */
export function decimalOf(units: bigint, precision: number): string {
  if (units < 0n) return `-${decimalOf(-units, precision)}`;
  const scale = 10n ** BigInt(precision);
  const fraction = (units % scale).toString().padStart(precision, '0').replace(/0+$/, '');
  return fraction === '' ? `${units / scale}` : `${units / scale}.${fraction}`;
}

/** The decimal in units of 10^-precision. null when it is not a whole number of units. */
export function unitsOf(decimal: string, precision: number): bigint | null {
  const [whole = '', fraction = ''] = decimal.split('.');
  const digits = fraction.padEnd(precision, '0');
  if (!/^0*$/.test(digits.slice(precision))) return null;
  return BigInt(whole + digits.slice(0, precision));
}

/** The average price as published: rounded half up at the eighth digit after those of a tick; 0 without fills. */
export function averageOf(notional: bigint, filled: bigint, pricePrecision: number): string {
  if (filled === 0n) return '0';
  const digits = pricePrecision + 8;
  return decimalOf((notional * 10n ** 8n * 2n + filled) / (filled * 2n), digits);
}
