import { BURST_SECONDS } from '../../model/limits.js';

/** What a budget says of one request, for the RateLimit headers. */
export interface BudgetAnswer {
  readonly isWithin: boolean;
  /** Requests a full budget holds. */
  readonly limit: number;
  /** Requests that would pass right now. */
  readonly remaining: number;
  /** Whole seconds until the budget is full again. */
  readonly resetS: number;
  /** Whole seconds, at least 1, after which the refused request would pass; 0 when it was within. */
  readonly retryAfterS: number;
}

/**
 * One budget by the generic cell rate algorithm: a token bucket kept as a single instant.
 *
 *     now                    fullAt                 now + burst
 *      |── owed by requests ──|──── still free ──────────|
 *
 * Every request pushes `fullAt` out by 1/rate; it passes while fullAt stays within the burst.
 */
export class RateLimit {
  readonly #requestMs: number;
  readonly #burstMs: number;
  #fullAtMs = 0;

  /** `rate`: requests a second, above 0. A full budget holds twice that. */
  constructor(rate: number) {
    this.#requestMs = 1000 / rate;
    this.#burstMs = 1000 * BURST_SECONDS;
  }

  /**
   * Takes `count` requests (at least 1) at `nowMs` of a clock that never steps back; takes nothing when they do not fit.
   * More than a full budget holds needs a full budget and is owed: no batch is too large for ever.
   */
  take(count: number, nowMs: number): BudgetAnswer {
    const owedMs = Math.max(0, this.#fullAtMs - nowMs);
    const costMs = count * this.#requestMs;
    const excessMs = owedMs + Math.min(costMs, this.#burstMs) - this.#burstMs;
    const isWithin = excessMs <= ROUNDING_MS;
    const dueMs = isWithin ? owedMs + costMs : owedMs;
    if (isWithin) this.#fullAtMs = nowMs + dueMs;
    return this.#answer(isWithin, dueMs, excessMs);
  }

  /** Takes `count` requests whatever is left: they are owed, and later requests wait for them. */
  charge(count: number, nowMs: number): BudgetAnswer {
    const dueMs = Math.max(0, this.#fullAtMs - nowMs) + count * this.#requestMs;
    this.#fullAtMs = nowMs + dueMs;
    return this.#answer(true, dueMs, 0);
  }

  /** True when nothing is owed: the budget can be forgotten. */
  isIdle(nowMs: number): boolean {
    return this.#fullAtMs <= nowMs;
  }

  #answer(isWithin: boolean, dueMs: number, excessMs: number): BudgetAnswer {
    return {
      isWithin,
      limit: Math.round(this.#burstMs / this.#requestMs),
      remaining: Math.max(0, Math.floor((this.#burstMs - dueMs + ROUNDING_MS) / this.#requestMs)),
      resetS: Math.ceil(dueMs / 1000),
      retryAfterS: isWithin ? 0 : Math.max(1, Math.ceil(excessMs / 1000)),
    };
  }
}

/** Sums of 1/rate are not exact in binary; a request is never refused for that. */
const ROUNDING_MS = 1e-6;
