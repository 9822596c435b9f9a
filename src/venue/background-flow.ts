import type { Lots } from '../model/quantity.js';
import type { DurationMs } from '../model/time.js';
import type { BackgroundOrder, BackgroundQuotes } from './background-quotes.js';
import type { MarketProfile } from './market-profile.js';
import type { Random } from './prng.js';

const DAY_MS = 24 * 3600 * 1000;
const ORDERS_PER_SECOND = 3;

/** The background's market orders: they come at random, on either side, and add up to the day's turnover. */
export class BackgroundFlow {
  readonly #quotes: BackgroundQuotes;
  readonly #profile: MarketProfile;
  readonly #random: Random;

  constructor(quotes: BackgroundQuotes, profile: MarketProfile, random: Random) {
    this.#quotes = quotes;
    this.#profile = profile;
    this.#random = random;
  }

  /** Lots traded in a time nobody looked at. */
  expectedLots(elapsedMs: DurationMs): number {
    return Math.round((this.#profile.dailyTurnover * elapsedMs) / DAY_MS);
  }

  /** The orders that arrive within the time. */
  *arrivals(elapsedMs: DurationMs): Generator<BackgroundOrder> {
    const count = this.#random.poisson((ORDERS_PER_SECOND * elapsedMs) / 1000);
    const mean = (this.#profile.dailyTurnover * 1000) / DAY_MS / ORDERS_PER_SECOND;
    for (let arrived = 0; arrived < count; arrived += 1) {
      const side = this.#random.uniform() < 0.5 ? 'BUY' : 'SELL';
      const quantity = Math.max(1, Math.round(mean * this.#random.exponential())) as Lots;
      yield { side, quantity, limit: this.#quotes.limitFor(side) };
    }
  }
}
