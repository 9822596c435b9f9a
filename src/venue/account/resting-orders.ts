import type { VenueOrder } from '../order/venue-order.js';

/** The orders of one account that wait in the books of one venue, oldest first. */
export class RestingOrders {
  readonly #orders = new Set<VenueOrder>();
  readonly #counts = new Map<string, number>();

  add(order: VenueOrder): void {
    this.#orders.add(order);
    this.#count(order, 1);
  }

  remove(order: VenueOrder): void {
    this.#orders.delete(order);
    this.#count(order, -1);
  }

  /** How many wait in one instrument. */
  countIn(symbol: string): number {
    return this.#counts.get(symbol) ?? 0;
  }

  /** Those for which the condition holds, the newest first; a copy. */
  newestFirst(isWanted: (order: VenueOrder) => boolean): VenueOrder[] {
    return [...this.#orders].filter(isWanted).toReversed();
  }

  #count({ terms }: VenueOrder, more: 1 | -1): void {
    const { symbol } = terms.instrument;
    const count = this.countIn(symbol) + more;
    if (count === 0) this.#counts.delete(symbol);
    else this.#counts.set(symbol, count);
  }
}
