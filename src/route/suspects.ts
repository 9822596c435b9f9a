import type { OrderId } from '../model/ids.js';
import { SUSPECT_DEATHS_MIN } from '../model/limits.js';

/** Orders that a thread worked whenever it died. The next start quarantines those of SUSPECT_DEATHS_MIN deaths. */
export class Suspects {
  readonly #deaths = new Map<OrderId, number>();

  /** A thread died. `orderId` is the order it worked, null when it worked none. */
  noteDeath(orderId: OrderId | null): void {
    if (orderId !== null) this.#deaths.set(orderId, (this.#deaths.get(orderId) ?? 0) + 1);
  }

  get list(): readonly OrderId[] {
    return [...this.#deaths].filter(([, deaths]) => deaths >= SUSPECT_DEATHS_MIN).map(([orderId]) => orderId);
  }
}
