import type { EpochMs } from '../domain/time.js';

const MINUTE_MS = 60_000;
/** Shorter returns are mostly bounces of the mid between price levels. */
const SAMPLE_MS = 10_000;
/** Time in which the weight of a sample falls to 1/e. */
const MEMORY_MS = 10 * MINUTE_MS;

/** Standard deviation of the mid's return over one minute: an exponentially weighted mean of its squared returns. */
export class VolatilityEstimate {
  #variance: number;
  #mid = 0;
  #sampledAtMs = 0;

  /** `dailyVolatility`: standard deviation of a daily return, the estimate before the first sample. */
  constructor(dailyVolatility: number) {
    this.#variance = (dailyVolatility * dailyVolatility) / (24 * 60);
  }

  get perMinute(): number {
    return Math.sqrt(this.#variance);
  }

  /** `mid` in any unit, above 0. */
  observe(mid: number, nowMs: EpochMs): void {
    const elapsedMs = nowMs - this.#sampledAtMs;
    if (this.#mid > 0) {
      if (elapsedMs < SAMPLE_MS) return;
      const change = Math.log(mid / this.#mid);
      const sample = (change * change * MINUTE_MS) / elapsedMs;
      this.#variance += (sample - this.#variance) * (1 - Math.exp(-elapsedMs / MEMORY_MS));
    }
    this.#mid = mid;
    this.#sampledAtMs = nowMs;
  }
}
