import { assert } from '../src/domain/rejection.js';

/** A mean and its 95 % confidence interval. */
export interface EstimatedMean {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Number of observations. */
  readonly count: number;
}

export const RESAMPLES_COUNT = 4_000;
const TAIL = 0.025;

/**
 * Estimates a mean by the percentile bootstrap: resamples as many observations with replacement, many times. `uniform`
 * draws from [0, 1). Needs at least one observation. Observations must be independent: average dependent ones first,
 * such as two orders in one window.
 */
export function estimateMean(
  values: readonly number[],
  uniform: () => number,
  resamples = RESAMPLES_COUNT,
): EstimatedMean {
  assert(values.length > 0, 'a mean needs at least one observation');
  const means = new Float64Array(resamples);
  for (let sample = 0; sample < resamples; sample += 1) {
    let sum = 0;
    for (let draw = 0; draw < values.length; draw += 1) sum += values[Math.floor(uniform() * values.length)]!;
    means[sample] = sum / values.length;
  }
  means.sort();
  return {
    mean: meanOf(values),
    low: quantileOf(means, TAIL),
    high: quantileOf(means, 1 - TAIL),
    count: values.length,
  };
}

/** Estimates the mean of `one` minus `other` over the pairs in which both are known; null without such a pair. */
export function pairedDifference(
  one: readonly (number | null)[],
  other: readonly (number | null)[],
  uniform: () => number,
): EstimatedMean | null {
  assert(one.length === other.length, 'both lists of pairs have the same length');
  const differences = one.flatMap((value, index) => {
    const against = other[index] ?? null;
    return value === null || against === null ? [] : [value - against];
  });
  return differences.length === 0 ? null : estimateMean(differences, uniform);
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Quantile of sorted values, with linear interpolation. */
function quantileOf(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return below + (above - below) * (place - Math.floor(place));
}
