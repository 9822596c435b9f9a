import type { ChildRef } from '../model/venue-message.js';
import { decodeFills, decodeOrder, encodeFills, encodeOrder, type OrderContext } from './order-row.js';
import type { VenueStore } from './port.js';
import { accountKey, type Row } from './row-text.js';
import type { FillRecord, VenueOrder } from './venue-order.js';

const FILL_DIGITS = 9;

/**
 * Every client id ever seen. Memory holds the open orders and those the next commit will store as ended; the rest is
 * read from the store when it is asked for.
 *
 *     open/<account>/<venue>/<client id>           an order that can still trade
 *     done/<account>/<venue>/<client id>           one that has ended, rejected ones included
 *     fill/<account>/<venue>/<client id>/<first>   the fills of one commit; first: the number of the first of them
 */
export class OrderRegistry {
  readonly #store: VenueStore;
  readonly #context: OrderContext;
  readonly #orders = new Map<string, VenueOrder>();
  readonly #touched = new Set<VenueOrder>();

  constructor(store: VenueStore, context: OrderContext) {
    this.#store = store;
    this.#context = context;
  }

  /** Loads the open orders that an earlier process left, oldest first for each instrument. */
  load(): VenueOrder[] {
    const orders: VenueOrder[] = [];
    for (const { value } of this.#store.range('open/')) {
      const order = decodeOrder(value, this.#context);
      order.isStoredOpen = true;
      this.#orders.set(keyOf(order.submission), order);
      orders.push(order);
    }
    return orders.sort((one, other) => one.sequence - other.sequence);
  }

  find(child: ChildRef): VenueOrder | null {
    const key = keyOf(child);
    const known = this.#orders.get(key);
    if (known !== undefined) return known;
    const stored = this.#store.get(`done/${key}`);
    return stored === undefined ? null : decodeOrder(stored, this.#context);
  }

  add(order: VenueOrder): void {
    this.#orders.set(keyOf(order.submission), order);
    this.#touched.add(order);
  }

  /** The order changed and is to be stored. */
  touch(order: VenueOrder): void {
    this.#touched.add(order);
  }

  /** Every fill of the order, first to latest. */
  fills(order: VenueOrder): FillRecord[] {
    const { terms, submission, freshFills } = order;
    if (order.storedFills === 0) return freshFills;
    const fills: FillRecord[] = [];
    for (const { value } of this.#store.range(`fill/${keyOf(submission)}/`)) {
      fills.push(...decodeFills(value, terms.instrument.quote, order.venueOrderId));
    }
    return [...fills, ...freshFills];
  }

  /** The rows of what was touched, which then counts as stored; what has ended leaves memory. */
  takeRows(rows: Row[]): void {
    for (const order of this.#touched) this.#takeRow(order, rows);
    this.#touched.clear();
  }

  #takeRow(order: VenueOrder, rows: Row[]): void {
    const key = keyOf(order.submission);
    rows.push({ key: `${order.isOpen ? 'open' : 'done'}/${key}`, value: encodeOrder(order) });
    if (order.freshFills.length > 0) {
      const first = String(order.storedFills).padStart(FILL_DIGITS, '0');
      rows.push({ key: `fill/${key}/${first}`, value: encodeFills(order.freshFills) });
      order.storedFills += order.freshFills.length;
      order.freshFills = [];
    }
    if (!order.isOpen) {
      if (order.isStoredOpen) rows.push({ key: `open/${key}`, value: null });
      this.#orders.delete(key);
    }
    order.isStoredOpen = order.isOpen;
  }
}

function keyOf({ account, venue, orderId, child }: ChildRef): string {
  return `${accountKey(account, venue)}/${orderId}-${child}`;
}
