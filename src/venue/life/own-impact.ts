import type { Side } from '../../model/order.js';
import type { DurationMs } from '../../model/time.js';

/** How long it takes until arbitrage has brought half of the way back that our taking moved the price. */
export const IMPACT_HALF_LIFE_MS = 20_000 as DurationMs;
/** Taking a whole day's turnover at once would move the price by so many daily deviations: the square root law's constant. */
const SQUARE_ROOT_FACTOR = 0.4;

/**
 * What our own taking does to the price that a venue's makers quote around: it grows with the square root of what we
 * took, and decays as other venues' prices, which we did not move, draw it back.
 */
export class OwnImpact {
  readonly #dailyVolatility: number;
  readonly #dailyTurnover: number;
  /** Signed lots taken, each counting half as much after every half-life. */
  #taken = 0;
  #atMs = 0;

  constructor({ dailyVolatility, dailyTurnover }: { dailyVolatility: number; dailyTurnover: number }) {
    this.#dailyVolatility = dailyVolatility;
    this.#dailyTurnover = dailyTurnover;
  }

  note(takerSide: Side, lots: number, atMs: number): void {
    this.#decay(atMs);
    this.#taken += takerSide === 'BUY' ? lots : -lots;
  }

  /** The displacement at an instant not before the latest note, as a fraction of the price. */
  at(ms: number): number {
    if (this.#taken === 0) return 0;
    this.#decay(ms);
    const share = Math.sqrt(Math.abs(this.#taken) / this.#dailyTurnover);
    return Math.sign(this.#taken) * SQUARE_ROOT_FACTOR * this.#dailyVolatility * share;
  }

  #decay(ms: number): void {
    if (ms <= this.#atMs) return;
    this.#taken *= 2 ** ((this.#atMs - ms) / IMPACT_HALF_LIFE_MS);
    this.#atMs = ms;
    if (Math.abs(this.#taken) < 0.5) this.#taken = 0;
  }
}
