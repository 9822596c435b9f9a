import { assert } from '../../model/assert.js';
import { parseVenue } from '../../model/exchange.js';
import { parseChildClientId } from '../../model/ids.js';
import { LISTED_ROWS_MAX } from '../../model/limits.js';
import type { EpochMs } from '../../model/time.js';
import type { ChildRef, ListedOrder, OrdersQuery, OrdersReport } from '../../model/venue-message.js';
import type { AccountRegistry, TermsLookup } from '../account/account-registry.js';
import { decodeFills, decodeOrder, encodeFills, encodeOrder } from './order-row.js';
import type { Row, VenueStore } from '../port.js';
import { accountOfKey, type VenueAccount } from '../account/venue-account.js';
import { orderKey, type FillRecord, type VenueOrder } from './venue-order.js';

const FILL_DIGITS = 9;

/**
 * Every client id ever seen. Memory holds the open orders and those that changed since the last commit; the rest is
 * read from the store when it is asked for.
 *
 *     open/<account>/<venue>/<client id>           an order that can still trade
 *     done/<account>/<venue>/<client id>           one that has ended, rejected ones included, with its latest fills
 *     fill/<account>/<venue>/<client id>/<first>   the fills of one commit before the end; first: how many came before
 */
export class OrderRegistry {
  readonly #store: VenueStore;
  readonly #accounts: AccountRegistry;
  readonly #terms: TermsLookup;
  /** Stored as open. */
  readonly #open = new Map<string, VenueOrder>();
  /** Changed since the last commit. Replaced, not cleared: a cleared map's dead tables keep what it held alive. */
  #touched = new Map<string, VenueOrder>();

  constructor(store: VenueStore, accounts: AccountRegistry, terms: TermsLookup) {
    this.#store = store;
    this.#accounts = accounts;
    this.#terms = terms;
  }

  /** Loads the open orders that an earlier process left, oldest first for each instrument. */
  load(): VenueOrder[] {
    const orders: VenueOrder[] = [];
    for (const { key, value } of this.#store.range('open/')) {
      const ref = refOfKey(key);
      const account = this.#accounts.account(ref.account, ref.venue);
      const order = decodeOrder(value, ref, { account, terms: this.#terms });
      this.#open.set(order.key, order);
      orders.push(order);
    }
    return orders.sort((one, other) => one.sequence - other.sequence);
  }

  find(child: ChildRef, account: VenueAccount): VenueOrder | null {
    const key = orderKey(account, child);
    const known = this.#touched.get(key) ?? this.#open.get(key);
    if (known !== undefined) return known;
    const stored = this.#store.get(`done/${key}`);
    return stored === undefined ? null : decodeOrder(stored, child, { account, terms: this.#terms });
  }

  /** The order is new or changed, and is to be stored. */
  touch(order: VenueOrder): void {
    this.#touched.set(order.key, order);
  }

  /** Every fill of the order, first to latest. */
  fills(order: VenueOrder): readonly FillRecord[] {
    if (order.storedFills === 0) return order.freshFills;
    const stored: FillRecord[] = [];
    for (const { value } of this.#store.range(`fill/${order.key}/`)) stored.push(...decodeFills(value, order));
    return [...stored, ...order.freshFills];
  }

  /** The rows of what was touched, which then counts as stored; what has ended leaves memory. */
  takeRows(rows: Row[], nowMs: EpochMs): void {
    for (const order of this.#touched.values()) {
      order.changedAtMs = nowMs;
      if (order.isOpen) this.#takeOpen(order, rows);
      else this.#takeDone(order, rows);
    }
    this.#touched = new Map();
  }

  /**
   * A page of an account's orders as they are stored: a turn that is not over is not in it. The page ends after
   * LISTED_ROWS_MAX rows, whether they are of interest or not.
   */
  list({ correlationId, account: name, venue, sinceMs, after }: OrdersQuery, atMs: EpochMs): OrdersReport {
    const account = this.#accounts.account(name, venue);
    const orders: ListedOrder[] = [];
    let count = 0;
    for (const { key, value } of this.#rowsAfter(account.key, after)) {
      count += 1;
      const child = parseChildClientId(key.slice(key.lastIndexOf('/') + 1));
      // The venue's own orders have no client id.
      const ref = child === null ? null : { account: name, venue, ...child };
      const order = ref === null ? null : decodeOrder(value, ref, { account, terms: this.#terms });
      if (order !== null && (order.isOpen || order.changedAtMs >= sinceMs)) orders.push(...listed(order));
      if (count >= LISTED_ROWS_MAX)
        return { kind: 'Orders', correlationId, account: name, venue, atMs, orders, next: key };
    }
    return { kind: 'Orders', correlationId, account: name, venue, atMs, orders, next: '' };
  }

  /** Open orders come first: one that ends between two pages is met again among those that have ended. */
  *#rowsAfter(accountKey: string, after: string): Iterable<{ key: string; value: Uint8Array }> {
    const [open, done] = [`open/${accountKey}/`, `done/${accountKey}/`];
    if (!after.startsWith(done)) yield* this.#store.range(open, after);
    yield* this.#store.range(done, after.startsWith(done) ? after : '');
  }

  #takeOpen(order: VenueOrder, rows: Row[]): void {
    if (order.freshFills.length > 0) {
      const first = String(order.storedFills).padStart(FILL_DIGITS, '0');
      rows.push({ key: `fill/${order.key}/${first}`, value: encodeFills(order.freshFills) });
      order.storedFills += order.freshFills.length;
      order.freshFills = [];
    }
    rows.push({ key: `open/${order.key}`, value: encodeOrder(order) });
    this.#open.set(order.key, order);
  }

  #takeDone(order: VenueOrder, rows: Row[]): void {
    rows.push({ key: `done/${order.key}`, value: encodeOrder(order) });
    if (this.#open.delete(order.key)) rows.push({ key: `open/${order.key}`, value: null });
  }
}

/** None of an order that was refused. */
function listed(order: VenueOrder): ListedOrder[] {
  const { submission, standing, filled, changedAtMs } = order;
  if (standing.state === 'REJECTED') return [];
  const { orderId, child, instrument, side, quantity, type, timeInForce, limitPrice, postOnly, reduceOnly } =
    submission;
  const terms = { orderId, child, instrument, side, quantity, type, timeInForce, limitPrice, postOnly, reduceOnly };
  return [{ ...terms, state: standing.state, venueOrderId: standing.venueOrderId, filled, changedAtMs }];
}

function refOfKey(key: string): ChildRef {
  const [, account = '', venueName = '', clientId = ''] = key.split('/');
  const venue = parseVenue(venueName);
  const child = parseChildClientId(clientId);
  assert(venue !== null && child !== null, `the key ${key} names an order`);
  return { account: accountOfKey(account), venue, ...child };
}
