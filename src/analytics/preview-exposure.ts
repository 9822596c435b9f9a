import type { OutlinedSlice } from '../strategy/outline.js';
import { normalDensity, normalTail } from './normal-distribution.js';

/**
 * How long the whole of an order is exposed to the price, in ms: Σ Δt·(x/Q)², where x is what is still held between two
 * slices. Times σ² it is the variance of the cost as a part of the price: V = Σ σ²τx² of Almgren and Chriss, "Optimal
 * execution of portfolio transactions" (2000), equation 5, with intervals of any length.
 */
export function scheduleExposureMs(slices: readonly OutlinedSlice[], startMs: number): number {
  const quantity = slices.reduce((sum, slice) => sum + slice.quantity, 0);
  let held = quantity;
  let fromMs = startMs;
  let exposure = 0;
  for (const slice of slices) {
    exposure += (slice.atMs - fromMs) * (held / quantity) ** 2;
    fromMs = slice.atMs;
    held -= slice.quantity;
  }
  return exposure;
}

/**
 * Probability that a price reaches a level within a time: 2·(1 − Φ(c)) by the reflection principle for a price without
 * drift, c = distance ÷ (σ√T). 1 when there is no distance.
 */
export function touchProbability(deviations: number): number {
  return deviations <= 0 ? 1 : 2 * normalTail(deviations);
}

/**
 * How much of a time an order that rests so far away is exposed, as a part of it: E[min(τ, T)] ÷ T, τ the first time at
 * its price. By Wald's second identity that is the variance of the price at which it ends, as a part of σ²T:
 *
 *     1 − 2(1 + c²)(1 − Φ(c)) + 2cφ(c)
 */
export function restingExposure(deviations: number): number {
  const c = Math.max(0, deviations);
  return Math.max(0, 1 - 2 * (1 + c * c) * normalTail(c) + 2 * c * normalDensity(c));
}
