import type { OrderDetails, OrderFrame, TimelineEntry } from '../../client/wire.js';
import { BOARD_VIEWS, type BoardView, isInView, matcherOf, type OrderFilter } from './order-filter.js';
import {
  isOver,
  type KnownOrder,
  type OrderRow,
  originAfter,
  rowOfDetails,
  rowOfFrame,
  UNKNOWN_ORIGIN,
} from './order-row.js';
import { SEARCH_ORDERS_MAX } from './order-search.js';

export interface BoardQuery {
  readonly view: BoardView;
  readonly filter: OrderFilter;
  readonly rank: (order: KnownOrder) => number | string;
  readonly isDescending: boolean;
  readonly rowsMax: number;
}

interface BoardPage {
  readonly orders: readonly KnownOrder[];
  /** Matching rows beyond rowsMax. */
  readonly hiddenCount: number;
  /** All orders of each view. */
  readonly counts: Readonly<Record<BoardView, number>>;
  /** Those that match the filter. */
  readonly matchCounts: Readonly<Record<BoardView, number>>;
}

/** Ended orders that the page keeps, a search with all its orders among them; the oldest are dropped first. */
export const ENDED_ORDERS_MAX = 2 * SEARCH_ORDERS_MAX;

/**
 * The orders of the account. A list of open orders is already old when it arrives. The board applies the frames that
 * came after the request once more on top of it, so that it ends with the latest state.
 */
export class OrderBoard {
  readonly #open = new Map<number, KnownOrder>();
  /** In the order of their end. */
  readonly #ended = new Map<number, KnownOrder>();
  /** A list of frames for each request that is under way. */
  readonly #framesSince = new Set<OrderFrame[]>();

  /** Call it before a request for the open orders: begins a list of the frames that arrive meanwhile. */
  beginRequest(): OrderFrame[] {
    const framesSince: OrderFrame[] = [];
    this.#framesSince.add(framesSince);
    return framesSince;
  }

  /** Call it when the request is answered or has failed. */
  endRequest(framesSince: OrderFrame[]): void {
    this.#framesSince.delete(framesSince);
  }

  /**
   * Takes the answer. Returns the ids that were open here and are neither in the answer nor in a frame since: ended.
   */
  takeOpen(open: readonly OrderDetails[], framesSince: readonly OrderFrame[]): readonly number[] {
    const openIds = new Set(open.map((details) => details.order_id));
    const frameIds = new Set(framesSince.map(({ order }) => Number(order.order_id)));
    const missingIds = [...this.#open.keys()].filter((id) => !openIds.has(id) && !frameIds.has(id));
    for (const details of open) this.take(details);
    for (const frame of framesSince) this.#put(rowOfFrame(frame));
    return missingIds;
  }

  take(details: OrderDetails): void {
    const row = rowOfDetails(details);
    if (row !== null) this.#put(row);
  }

  /** Takes ended orders of earlier times, newest first. The page knows the state of the others better. */
  takeFound(found: readonly OrderDetails[]): void {
    const older: [number, KnownOrder][] = [];
    for (const details of found) {
      const row = rowOfDetails(details);
      if (row === null || !isOver(row) || this.find(row.orderId) !== null) continue;
      older.push([row.orderId, { row, origin: UNKNOWN_ORIGIN }]);
    }
    const later = [...this.#ended];
    const room = Math.max(0, ENDED_ORDERS_MAX - later.length);
    this.#ended.clear();
    for (const [id, order] of [...older.slice(0, room).toReversed(), ...later]) this.#ended.set(id, order);
  }

  /**
   * A multi-leg order is in the feeds of both exchanges, in no common order: the feed of its leading leg counts. A feed
   * has the frames of an order in the order of its events. Their times are no help: an exchange has its own clock.
   */
  takeFrame(frame: OrderFrame): void {
    if (frame.exchange_id !== frame.order.exchange_id) return;
    for (const list of this.#framesSince) list.push(frame);
    this.#put(rowOfFrame(frame));
  }

  /** Adds the facts of further timeline entries of an order. */
  learn(orderId: number, entries: readonly TimelineEntry[]): void {
    const known = this.find(orderId);
    if (known === null) return;
    const place = isOver(known.row) ? this.#ended : this.#open;
    place.set(orderId, { ...known, origin: originAfter(known.origin, entries) });
  }

  find(orderId: number): KnownOrder | null {
    return this.#open.get(orderId) ?? this.#ended.get(orderId) ?? null;
  }

  clear(): void {
    this.#open.clear();
    this.#ended.clear();
    this.#framesSince.clear();
  }

  page({ view, filter, rank, isDescending, rowsMax }: BoardQuery): BoardPage {
    const matches = matcherOf(filter);
    const counts = { open: 0, quarantined: 0, attention: 0, ended: 0 };
    const matchCounts = { ...counts };
    // Computes ranks once per order, not once per comparison: there may be 100,000 orders.
    const ranked: { readonly order: KnownOrder; readonly rank: number | string }[] = [];
    for (const orders of [this.#open, this.#ended]) {
      for (const order of orders.values()) {
        const isMatch = matches(order.row);
        for (const name of BOARD_VIEWS) {
          if (!isInView(name, order.row)) continue;
          counts[name] += 1;
          if (isMatch) matchCounts[name] += 1;
          if (isMatch && name === view) ranked.push({ order, rank: rank(order) });
        }
      }
    }
    const sign = isDescending ? -1 : 1;
    ranked.sort((a, b) => sign * compared(a.rank, b.rank) || b.order.row.orderId - a.order.row.orderId);
    return {
      orders: ranked.slice(0, rowsMax).map(({ order }) => order),
      hiddenCount: Math.max(0, ranked.length - rowsMax),
      counts,
      matchCounts,
    };
  }

  #put(row: OrderRow): void {
    const { orderId } = row;
    const order = { row, origin: this.find(orderId)?.origin ?? UNKNOWN_ORIGIN };
    this.#open.delete(orderId);
    this.#ended.delete(orderId);
    if (!isOver(row)) return void this.#open.set(orderId, order);
    this.#ended.set(orderId, order);
    const [oldestId] = this.#ended.keys();
    if (oldestId !== undefined && this.#ended.size > ENDED_ORDERS_MAX) this.#ended.delete(oldestId);
  }
}

function compared(one: number | string, other: number | string): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one).localeCompare(String(other));
}

interface OriginLookupParts {
  /** One page of an order's timeline. */
  readonly timeline: (
    orderId: number,
    after: number,
    limit: number,
  ) => Promise<{ readonly events: readonly TimelineEntry[]; readonly next_after?: number }>;
  readonly learned: (orderId: number, entries: readonly TimelineEntry[]) => void;
}

/** Requests under way at once: most of the read budget stays for the operator. */
const REQUESTS_MAX = 3;
/** Enough for an order that starts at once. An order with a trigger may have many entries before its start. */
const PAGE_ENTRIES = 20;
const PAGES_MAX = 50;

interface Search {
  after: number;
  pageCount: number;
  isOver: boolean;
}

/** Reads how the visible orders began, with one request at a time for each order. */
export class OriginLookup {
  readonly #parts: OriginLookupParts;
  readonly #searches = new Map<number, Search>();
  #requestCount = 0;

  constructor(parts: OriginLookupParts) {
    this.#parts = parts;
  }

  /** Requests missing facts of these orders, up to the limit of requests. Call it again after each change. */
  want(orders: readonly KnownOrder[]): void {
    for (const { row, origin } of orders) {
      if (this.#requestCount >= REQUESTS_MAX) return;
      const isMissing = !origin.isRead || (origin.arrivalPrice === null && row.averagePrice > 0);
      if (isMissing) void this.#search(row.orderId);
    }
  }

  async #search(orderId: number): Promise<void> {
    const search = this.#searches.get(orderId) ?? { after: 0, pageCount: 0, isOver: false };
    if (search.isOver || search.pageCount >= PAGES_MAX) return;
    // Over while the request is under way, and for good when it fails: the next session searches again.
    search.isOver = true;
    search.pageCount += 1;
    this.#searches.set(orderId, search);
    this.#requestCount += 1;
    try {
      const { events } = await this.#parts.timeline(orderId, search.after, PAGE_ENTRIES);
      search.after = events.at(-1)?.seq ?? search.after;
      search.isOver = false;
      this.#parts.learned(orderId, events);
    } catch {
      // The table shows missing facts as missing.
    } finally {
      this.#requestCount -= 1;
    }
  }
}
