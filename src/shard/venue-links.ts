import type { Venue } from '../model/exchange.js';

/** Which venues can be reached: all through the one venue worker, and each by a connection of its own. */
export class VenueLinks {
  readonly #cutOff = new Set<Venue>();
  #isWorkerUp = true;

  isUp(venue: Venue): boolean {
    return this.#isWorkerUp && !this.#cutOff.has(venue);
  }

  /** True when that is news. A worker that starts again tells of the connections it lacks. */
  setWorker(isUp: boolean): boolean {
    if (this.#isWorkerUp === isUp) return false;
    this.#isWorkerUp = isUp;
    if (!isUp) this.#cutOff.clear();
    return true;
  }

  /** True when that is news. */
  setVenue(venue: Venue, isUp: boolean): boolean {
    if (isUp) return this.#cutOff.delete(venue);
    if (this.#cutOff.has(venue)) return false;
    this.#cutOff.add(venue);
    return true;
  }
}
