import type { MarketDataQuery } from '../../src/intake/market-query.js';
import { NO_MARKET } from '../../src/domain/market.js';
import type { OrRejection } from '../../src/domain/rejection.js';

/** The mid of every instrument is 60000.005 quote units. */
export const TWICE_MID = 12_000_001;
export const PRICES: Pick<MarketDataQuery, 'twiceMid' | 'latest'> = {
  twiceMid: (_instrument, answer) => answer(TWICE_MID),
  latest: () => NO_MARKET,
};

/** Answers when the test calls `answer`. */
export class LatePrices implements Pick<MarketDataQuery, 'twiceMid' | 'latest'> {
  readonly latest = PRICES.latest;
  readonly #waiting: ((result: OrRejection<number>) => void)[] = [];

  twiceMid(_instrument: unknown, answer: (result: OrRejection<number>) => void): void {
    this.#waiting.push(answer);
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Answers all waiting questions and those that follow from their answers. */
  answer(result: OrRejection<number>): void {
    for (let waiting = this.#waiting.shift(); waiting !== undefined; waiting = this.#waiting.shift()) waiting(result);
  }
}
