import type { EpochMs } from './time.js';

const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 24 * 60;

/** Weights of the returns of one market. */
interface ReturnWeights {
  /** Shortest time of a return. Short returns are mostly bounces of the mid between price levels. */
  readonly sampleMs: number;
  /** Time in which the weight of a return falls to 1/e. */
  readonly memoryMs: number;
}

const USUAL: ReturnWeights = { sampleMs: 10_000, memoryMs: 10 * MINUTE_MS };

/**
 * Standard deviation of the mid's return over one minute, as a fraction: an exponentially weighted mean of its squared
 * returns. Without a first estimate the weights count from the first return on, so that it weighs no more than the next
 * ones.
 */
export class VolatilityEstimate {
  readonly #weights: ReturnWeights;
  /** Of one minute. */
  #variance = 0;
  /** Sum of the weights: 0 before the first return without a first estimate, 1 after a long time. */
  #weight = 0;
  #mid = 0;
  #sampledAtMs = 0;

  /** `dailyVolatility`: standard deviation of a daily return, the first estimate; null: none. */
  constructor(dailyVolatility: number | null, weights: ReturnWeights = USUAL) {
    this.#weights = weights;
    if (dailyVolatility === null) return;
    this.#variance = (dailyVolatility * dailyVolatility) / MINUTES_PER_DAY;
    this.#weight = 1;
  }

  /** 0 while it is not known. */
  get perMinute(): number {
    return Math.sqrt(this.#variance);
  }

  /** `mid` in any unit, above 0. */
  observe(mid: number, nowMs: EpochMs): void {
    const elapsedMs = nowMs - this.#sampledAtMs;
    if (this.#mid > 0) {
      if (elapsedMs < this.#weights.sampleMs) return;
      // One return over a long gap would outweigh all earlier ones.
      if (elapsedMs <= this.#weights.memoryMs) this.#add(Math.log(mid / this.#mid), elapsedMs);
    }
    this.#mid = mid;
    this.#sampledAtMs = nowMs;
  }

  #add(change: number, elapsedMs: number): void {
    const share = 1 - Math.exp(-elapsedMs / this.#weights.memoryMs);
    this.#weight += (1 - this.#weight) * share;
    const sample = (change * change * MINUTE_MS) / elapsedMs;
    this.#variance += (sample - this.#variance) * (share / this.#weight);
  }
}
