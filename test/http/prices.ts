import type { PriceDesk } from '../../src/http/port.js';
import type { OrRejection } from '../../src/model/rejection.js';

/** Everything is worth 60000.005 quote units. */
export const TWICE_MID = 12_000_001;
export const PRICES: PriceDesk = { twiceMid: (_instrument, answer) => answer(TWICE_MID) };

/** Answers when the test says so. */
export class LatePrices implements PriceDesk {
  readonly #askers: ((result: OrRejection<number>) => void)[] = [];

  twiceMid(_instrument: unknown, answer: (result: OrRejection<number>) => void): void {
    this.#askers.push(answer);
  }

  get askerCount(): number {
    return this.#askers.length;
  }

  /** Tells all that wait, and those that ask next because of it. */
  tell(result: OrRejection<number>): void {
    for (let asker = this.#askers.shift(); asker !== undefined; asker = this.#askers.shift()) asker(result);
  }
}
