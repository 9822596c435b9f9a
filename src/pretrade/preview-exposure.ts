import type { OutlinedSlice } from '../strategy/outline.js';

/**
 * Returns how long an order is exposed to the price, in ms, weighted to its whole quantity: Σ Δt·(x/Q)², where x is the
 * quantity still held between two slices. Times σ² this is the variance of the cost as a fraction of the price: V = Σ
 * σ²τx² of Almgren and Chriss, "Optimal execution of portfolio transactions" (2000), equation 5, with intervals of any
 * length.
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
 * Returns the probability that a price without drift reaches a level within a time T: 2·(1 − Φ(c)) by the reflection
 * principle, with c = distance ÷ (σ√T). 1 for a distance of 0.
 */
export function touchProbability(deviations: number): number {
  return deviations <= 0 ? 1 : 2 * normalTail(deviations);
}

/**
 * Returns the mean exposed part of the time T of an order that rests at distance c: E[min(τ, T)] ÷ T, where τ is the
 * first time at its price. By Wald's second identity this is the variance of the price at which it ends, as a part of
 * σ²T:
 *
 *     1 − 2(1 + c²)(1 − Φ(c)) + 2cφ(c)
 */
export function restingExposure(deviations: number): number {
  const c = Math.max(0, deviations);
  return Math.max(0, 1 - 2 * (1 + c * c) * normalTail(c) + 2 * c * normalDensity(c));
}

/** A part of an order that rests at its own price. */
interface RestingPart {
  /** Fraction of the order's quantity. */
  readonly share: number;
  /** Distance of the price, in standard deviations over the order's time. */
  readonly deviations: number;
}

/**
 * Returns the variance of the cost of an order whose parts rest at their prices until its end, as a part of σ²T. The
 * rest is taken at the end. A part that the price reaches is cheaper by `saved`, in σ√T.
 *
 * The price has no drift and reaches nearer parts first. For two parts, i the nearer, p is the probability that the
 * price reaches the part, 1ᵤ indicates that it does not, and X is the price at which the part is filled. E[XᵢXⱼ] =
 * g(cᵢ) is the exposure. By optional stopping, E[Xᵢ1ᵤⱼ] = cᵢpⱼ and E[Xⱼ1ᵤᵢ] = cᵢpᵢ. So
 *
 *     cov(i, j) = g(cᵢ) + saved·cᵢ·(pᵢ + pⱼ) + saved²·pⱼ·(1 − pᵢ)
 */
export function restingVariance(resting: readonly RestingPart[], saved: number): number {
  let variance = 0;
  let beyond = 0;
  let reachedBeyond = 0;
  for (const { share, deviations } of resting.toSorted((one, other) => other.deviations - one.deviations)) {
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

/** Density of the standard normal distribution. */
function normalDensity(x: number): number {
  return Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
}

/**
 * Returns the probability that a standard normal variable is above x. Abramowitz and Stegun, "Handbook of Mathematical
 * Functions" (1964), 26.2.17; the error is below 7.5e-8.
 */
export function normalTail(x: number): number {
  if (x < 0) return 1 - normalTail(-x);
  const t = 1 / (1 + 0.2316419 * x);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return normalDensity(x) * series;
}
