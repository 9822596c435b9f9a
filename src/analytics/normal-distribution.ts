/** Density of the standard normal distribution. */
export function normalDensity(x: number): number {
  return Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
}

/**
 * Probability that a standard normal variable is above x: Abramowitz and Stegun, "Handbook of Mathematical Functions"
 * (1964), 26.2.17; off by less than 7.5e-8.
 */
export function normalTail(x: number): number {
  if (x < 0) return 1 - normalTail(-x);
  const t = 1 / (1 + 0.2316419 * x);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return normalDensity(x) * series;
}
