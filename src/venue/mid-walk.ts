import type { DurationMs } from '../model/time.js';
import type { MarketProfile } from './market-profile.js';
import type { Random } from './prng.js';

const DAY_MS = 24 * 3600 * 1000;
/** The walk is kept within this factor of the reference price, for ever: a book needs room below its mid. */
const RANGE_FACTOR = 4;

/** The price the background believes in: a random walk in the logarithm, in ticks and parts of them. */
export class MidWalk {
  readonly #profile: MarketProfile;
  readonly #random: Random;
  #mid: number;

  constructor(profile: MarketProfile, random: Random, mid: number) {
    this.#profile = profile;
    this.#random = random;
    this.#mid = mid;
  }

  get mid(): number {
    return this.#mid;
  }

  /** One draw, however long the time: a sleep of an hour costs what a step does. */
  advance(elapsedMs: DurationMs): void {
    const { referencePrice, dailyVolatility } = this.#profile;
    const deviation = dailyVolatility * Math.sqrt(elapsedMs / DAY_MS);
    const moved = this.#mid * Math.exp(deviation * this.#random.normal());
    this.#mid = Math.min(Math.max(moved, referencePrice / RANGE_FACTOR), referencePrice * RANGE_FACTOR);
  }
}
