import type { TimelineEntry } from '../client/wire.js';
import type { KnownOrder } from './order-board.js';

export interface OriginLookupParts {
  /** A page of an order's timeline. */
  readonly timeline: (
    orderId: number,
    after: number,
    limit: number,
  ) => Promise<{ readonly events: readonly TimelineEntry[]; readonly next_after?: number }>;
  readonly learned: (orderId: number, entries: readonly TimelineEntry[]) => void;
}

/** Orders asked about at the same time: the read budget is for the operator, not for this. */
const AT_ONCE_MAX = 3;
/** The beginning of an order that starts at once; a trigger may put many entries before the start. */
const PAGE_ENTRIES = 20;
const PAGES_MAX = 50;

interface Search {
  after: number;
  pageCount: number;
  isOver: boolean;
}

/** Finds out how the orders that are looked at began, one request at a time for each. */
export class OriginLookup {
  readonly #parts: OriginLookupParts;
  readonly #searches = new Map<number, Search>();
  #underWayCount = 0;

  constructor(parts: OriginLookupParts) {
    this.#parts = parts;
  }

  /** Asks for what is not known of these orders, as far as there is room; call it again with what is looked at then. */
  want(orders: readonly KnownOrder[]): void {
    for (const { row, origin } of orders) {
      if (this.#underWayCount >= AT_ONCE_MAX) return;
      const isMissing = origin.createdAtMs === null || (origin.arrivalPrice === null && row.averagePrice > 0);
      if (isMissing) void this.#search(row.orderId);
    }
  }

  async #search(orderId: number): Promise<void> {
    const search = this.#searches.get(orderId) ?? { after: 0, pageCount: 0, isOver: false };
    if (search.isOver || search.pageCount >= PAGES_MAX) return;
    // Over as long as it is under way, and for good when it fails: the next connection looks again.
    search.isOver = true;
    search.pageCount += 1;
    this.#searches.set(orderId, search);
    this.#underWayCount += 1;
    try {
      const { events } = await this.#parts.timeline(orderId, search.after, PAGE_ENTRIES);
      search.after = events.at(-1)?.seq ?? search.after;
      search.isOver = false;
      this.#parts.learned(orderId, events);
    } catch {
      // What is missing in the table then is shown as missing.
    } finally {
      this.#underWayCount -= 1;
    }
  }
}
