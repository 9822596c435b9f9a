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

/** A part of an order at a price of its own. */
export interface Stand {
  /** Of the order's quantity. */
  readonly share: number;
  /** How far the price has to come, in standard deviations over the order's time. */
  readonly deviations: number;
}

/**
 * Variance of what an order costs whose parts wait at their prices until its end and are taken then, as a part of σ²T,
 * when a part that the price comes to is cheaper by `saved`, in σ√T. The price has no drift and comes to nearer parts
 * first. So for two, i the nearer, with probabilities p of being reached, 1ᵤ that a part is not, and X what the price
 * makes of it: E[XᵢXⱼ] = g(cᵢ) is the exposure, E[Xᵢ1ᵤⱼ] = cᵢpⱼ and E[Xⱼ1ᵤᵢ] = cᵢpᵢ by optional stopping, and
 *
 *     cov(i, j) = g(cᵢ) + saved·cᵢ·(pᵢ + pⱼ) + saved²·pⱼ·(1 − pᵢ)
 */
export function restingVariance(stands: readonly Stand[], saved: number): number {
  let variance = 0;
  let beyond = 0;
  let reachedBeyond = 0;
  for (const { share, deviations } of stands.toSorted((one, other) => other.deviations - one.deviations)) {
    const distance = Math.max(0, deviations);
    const probability = touchProbability(distance);
    const reached = share * probability;
    variance +=
      share *
      ((share + 2 * beyond) * (restingExposure(distance) + saved * distance * probability) +
        (reached + 2 * reachedBeyond) * saved * (distance + saved * (1 - probability)));
    beyond += share;
    reachedBeyond += reached;
  }
  return Math.max(0, variance);
}
