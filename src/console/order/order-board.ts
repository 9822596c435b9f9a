import type { OrderDetails, OrderFrame, TimelineEntry } from '../../client/wire.js';
import {
  isOver,
  isQuarantined,
  type KnownOrder,
  needsAttention,
  type OrderRow,
  originAfter,
  rowOfDetails,
  rowOfFrame,
  UNKNOWN_ORIGIN,
} from './order-row.js';

export type BoardView = 'open' | 'quarantined' | 'attention' | 'ended';

export interface BoardQuery {
  readonly view: BoardView;
  /** Each must occur in a text of the row; any letter case. */
  readonly words: readonly string[];
  readonly rank: (order: KnownOrder) => number | string;
  readonly isDescending: boolean;
  readonly rowsMax: number;
}

interface BoardPage {
  readonly orders: readonly KnownOrder[];
  /** Matching rows beyond rowsMax. */
  readonly hiddenCount: number;
  readonly counts: Readonly<Record<BoardView, number>>;
}

/** Ended orders that the page keeps; the oldest are dropped first. */
export const ENDED_ORDERS_MAX = 1_000;

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

  /** Takes the answer. Returns the ids that were open here and are neither in the answer nor in a frame since: ended. */
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

  page({ view, words, rank, isDescending, rowsMax }: BoardQuery): BoardPage {
    const open = [...this.#open.values()];
    const attention = [...open, ...this.#ended.values()].filter(({ row }) => needsAttention(row));
    const quarantined = open.filter(({ row }) => isQuarantined(row));
    const lowerWords = words.map((word) => word.toLowerCase());
    const viewed = { open, quarantined, attention, ended: [...this.#ended.values()] }[view];
    const matching = viewed.filter(({ row }) => mentions(row, lowerWords));
    const sign = isDescending ? -1 : 1;
    // Computes ranks once per order, not once per comparison: there may be 100,000 orders.
    const ranked = matching.map((order) => ({ order, rank: rank(order) }));
    ranked.sort((a, b) => sign * compared(a.rank, b.rank) || b.order.row.orderId - a.order.row.orderId);
    return {
      orders: ranked.slice(0, rowsMax).map(({ order }) => order),
      hiddenCount: Math.max(0, matching.length - rowsMax),
      counts: {
        open: open.length,
        quarantined: quarantined.length,
        attention: attention.length,
        ended: this.#ended.size,
      },
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

function mentions(row: OrderRow, lowerWords: readonly string[]): boolean {
  if (lowerWords.length === 0) return true;
  const { orderId, clientOrderId, status, strategy, side, symbol, venues, message, errorCode } = row;
  const text = [orderId, clientOrderId, status, strategy, side, symbol, ...venues, message, errorCode]
    .join(' ')
    .toLowerCase();
  return lowerWords.every((word) => text.includes(word));
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
      const isMissing = origin.createdAtMs === null || (origin.arrivalPrice === null && row.averagePrice > 0);
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
