import type { OrderFrame } from '../client/frames.js';
import type { OrderDetails, TimelineEntry } from '../client/wire.js';
import { originAfter, UNKNOWN_ORIGIN, type OrderOrigin } from './order-origin.js';
import { isOver, isQuarantined, needsAttention, rowOfDetails, rowOfFrame, type OrderRow } from './order-row.js';

/** An order with what its timeline told of its beginning. */
export interface KnownOrder {
  readonly row: OrderRow;
  readonly origin: OrderOrigin;
}

export type BoardView = 'open' | 'quarantined' | 'attention' | 'ended';

export interface BoardQuestion {
  readonly view: BoardView;
  /** Each must occur in what the row shows; any letter case. */
  readonly words: readonly string[];
  readonly rank: (order: KnownOrder) => number | string;
  readonly isDescending: boolean;
  readonly rowsMax: number;
}

export interface BoardAnswer {
  readonly orders: readonly KnownOrder[];
  /** Matching rows beyond rowsMax. */
  readonly hiddenCount: number;
  readonly counts: Readonly<Record<BoardView, number>>;
}

/** Orders that are over and still remembered; the oldest are forgotten first. */
export const ENDED_ORDERS_MAX = 1_000;

/**
 * The orders of the account. An answer to "which are open" is as old as its question by the time it is here: what
 * frames told meanwhile is told again on top of it, so that the board ends with the latest.
 */
export class OrderBoard {
  readonly #open = new Map<number, KnownOrder>();
  /** In the order in which they ended, or were told of. */
  readonly #ended = new Map<number, KnownOrder>();
  /** A list for each question that is under way. */
  readonly #toldSince = new Set<OrderFrame[]>();

  /** To be called before the open orders are asked for: begins a list of what frames tell meanwhile. */
  beginAsking(): OrderFrame[] {
    const toldSince: OrderFrame[] = [];
    this.#toldSince.add(toldSince);
    return toldSince;
  }

  /** The question is answered, or never will be. */
  endAsking(toldSince: OrderFrame[]): void {
    this.#toldSince.delete(toldSince);
  }

  /**
   * Takes the answer, and returns the ids of orders that were open here and are neither in it nor told of since: they
   * have ended.
   */
  takeOpen(open: readonly OrderDetails[], toldSince: readonly OrderFrame[]): readonly number[] {
    const openIds = new Set(open.map((details) => details.order_id));
    const toldIds = new Set(toldSince.map(({ order }) => Number(order.order_id)));
    const missingIds = [...this.#open.keys()].filter((id) => !openIds.has(id) && !toldIds.has(id));
    for (const details of open) this.take(details);
    for (const frame of toldSince) this.#apply(frame);
    return missingIds;
  }

  take(details: OrderDetails): void {
    const row = rowOfDetails(details);
    if (row !== null) this.#put(row);
  }

  /** The frames of a multi-leg order come in the feeds of all its venues, which know no order among each other. */
  tell(frame: OrderFrame): void {
    for (const list of this.#toldSince) list.push(frame);
    this.#apply(frame);
  }

  /** What further entries of an order's timeline tell. */
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
    this.#toldSince.clear();
  }

  answer({ view, words, rank, isDescending, rowsMax }: BoardQuestion): BoardAnswer {
    const open = [...this.#open.values()];
    const attention = [...open, ...this.#ended.values()].filter(({ row }) => needsAttention(row));
    const quarantined = open.filter(({ row }) => isQuarantined(row));
    const lowerWords = words.map((word) => word.toLowerCase());
    const viewed = { open, quarantined, attention, ended: [...this.#ended.values()] }[view];
    const matching = viewed.filter(({ row }) => mentions(row, lowerWords));
    const sign = isDescending ? -1 : 1;
    // Each is ranked once, and not once a comparison: there may be a hundred thousand.
    const ranked = matching.map((order) => ({ order, place: rank(order) }));
    ranked.sort((a, b) => sign * compared(a.place, b.place) || b.order.row.orderId - a.order.row.orderId);
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

  #apply(frame: OrderFrame): void {
    const row = rowOfFrame(frame);
    const known = this.find(row.orderId);
    if (known === null || row.toldAtMs >= known.row.toldAtMs) this.#put(row);
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
