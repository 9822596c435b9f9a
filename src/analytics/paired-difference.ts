import { assert } from '../model/assert.js';

/** A mean with the interval that covers the true one in 95 % of samples like this. */
export interface EstimatedMean {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** How many observations it is of. */
  readonly count: number;
}

export const RESAMPLES_COUNT = 4_000;
const TAIL = 0.025;

/**
 * The mean by the percentile bootstrap: as many observations again, drawn with replacement, many times over.
 * `uniform` draws from [0, 1). At least one observation; each is one of its own, so what depends on another (two orders
 * in one window) has been made one before.
 */
export function estimateMean(
  values: readonly number[],
  uniform: () => number,
  resamples = RESAMPLES_COUNT,
): EstimatedMean {
  assert(values.length > 0, 'a mean is of something');
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

/** The mean of one minus other, pair by pair, over the pairs in which both are known. null: there is no such pair. */
export function pairedDifference(
  one: readonly (number | null)[],
  other: readonly (number | null)[],
  uniform: () => number,
): EstimatedMean | null {
  assert(one.length === other.length, 'what is paired is as many');
  const differences = one.flatMap((value, index) => {
    const against = other[index] ?? null;
    return value === null || against === null ? [] : [value - against];
  });
  return differences.length === 0 ? null : estimateMean(differences, uniform);
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Of sorted values, linear between two of them. */
function quantileOf(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
  return below + (above - below) * (place - Math.floor(place));
}
