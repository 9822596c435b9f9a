import { assert } from '../../domain/rejection.js';
import { parseVenue } from '../../domain/exchange.js';
import { parseChildClientId } from '../../domain/ids.js';
import { LISTED_ROWS_MAX } from '../../domain/limits/trading.js';
import type { EpochMs } from '../../domain/time.js';
import type { ChildRef, OrdersQuery } from '../../domain/venue-message.js';
import type { ListedOrder, OrdersReport } from '../../domain/venue-report.js';
import type { AccountRegistry, TermsLookup } from '../account/account-registry.js';
import type { OrderHistory } from './order-history.js';
import { decodeFills, decodeOrder, encodeFills, encodeOrder } from './order-row.js';
import type { VenueRow, VenueStore } from '../../venue/port.js';
import { accountOfKey, type VenueAccount } from '../account/venue-account.js';
import { orderKey, type FillRecord, type VenueOrder } from './venue-order.js';

const FILL_DIGITS = 9;

export interface OrderRegistryParts {
  readonly store: VenueStore;
  readonly accounts: AccountRegistry;
  readonly terms: TermsLookup;
  readonly history: OrderHistory;
}

/**
 * All orders by client id. Memory holds the open orders and those that changed since the last commit; the others are
 * read from the store on request.
 *
 *     open/<account>/<venue>/<client id>           an order that can still trade
 *     done/<account>/<venue>/<client id>           an ended or rejected order with its latest fills
 *     fill/<account>/<venue>/<client id>/<first>   fills of one commit before the end; first: number of earlier fills
 *
 * A venue knows an ended order for the time of its history. `OrderHistory` removes it afterwards.
 */
export class OrderRegistry {
  readonly #store: VenueStore;
  readonly #accounts: AccountRegistry;
  readonly #terms: TermsLookup;
  readonly #history: OrderHistory;
  /** Orders with an open row. */
  readonly #open = new Map<string, VenueOrder>();
  /**
   * Orders changed since the last commit. Replaced instead of cleared: a cleared map's old tables keep the orders in
   * memory.
   */
  #touched = new Map<string, VenueOrder>();

  constructor({ store, accounts, terms, history }: OrderRegistryParts) {
    this.#store = store;
    this.#accounts = accounts;
    this.#terms = terms;
    this.#history = history;
  }

  /** Loads the open orders of an earlier process, oldest first for each instrument. */
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

  /** Finds an order that the venue knows. Returns null for one that it has forgotten. */
  findKnown(child: ChildRef, account: VenueAccount, nowMs: EpochMs): VenueOrder | null {
    const order = this.find(child, account);
    // The end of an order in memory is not older than this turn.
    const isStored = order !== null && !this.#touched.has(order.key);
    return isStored && this.#history.isForgotten(order, nowMs) ? null : order;
  }

  /** Finds any order: a client id is not accepted again while its order has a row. */
  find(child: ChildRef, account: VenueAccount): VenueOrder | null {
    const key = orderKey(account, child);
    const known = this.#touched.get(key) ?? this.#open.get(key);
    if (known !== undefined) return known;
    const stored = this.#store.get(`done/${key}`);
    return stored === undefined ? null : decodeOrder(stored, child, { account, terms: this.#terms });
  }

  /** Marks a new or changed order to be stored. */
  touch(order: VenueOrder): void {
    this.#touched.set(order.key, order);
  }

  /** Every fill of the order, oldest first. */
  fills(order: VenueOrder): readonly FillRecord[] {
    if (order.storedFills === 0) return order.freshFills;
    const stored: FillRecord[] = [];
    for (const { value } of this.#store.range(`fill/${order.key}/`)) stored.push(...decodeFills(value, order));
    return [...stored, ...order.freshFills];
  }

  /** Adds the rows of the marked orders and clears the marks. Ended orders leave memory. */
  takeRows(rows: VenueRow[], nowMs: EpochMs): void {
    this.#history.takeRows(rows, nowMs);
    for (const order of this.#touched.values()) {
      order.changedAtMs = nowMs;
      if (order.isOpen) this.#takeOpen(order, rows);
      else this.#takeDone(order, rows);
    }
    this.#touched = new Map();
  }

  /**
   * A page of an account's stored orders; it excludes changes of the current turn. The page ends after LISTED_ROWS_MAX
   * rows, of which only some may match.
   */
  list({ correlationId, account: name, venue, sinceMs, after }: OrdersQuery, atMs: EpochMs): OrdersReport {
    const account = this.#accounts.account(name, venue);
    const knownSinceMs = this.#history.knownSinceMs(venue, atMs);
    const orders: ListedOrder[] = [];
    const report: OrdersReport = {
      kind: 'Orders',
      correlationId,
      account: name,
      venue,
      atMs,
      knownSinceMs,
      orders,
      next: '',
    };
    let count = 0;
    for (const { key, value } of this.#rowsAfter(account.key, after)) {
      count += 1;
      const child = parseChildClientId(key.slice(key.lastIndexOf('/') + 1));
      // Liquidation orders of the venue have no client id.
      const ref = child === null ? null : { account: name, venue, ...child };
      const order = ref === null ? null : decodeOrder(value, ref, { account, terms: this.#terms });
      const isListed = order !== null && (order.isOpen || order.changedAtMs >= Math.max(sinceMs, knownSinceMs));
      if (isListed) orders.push(...listed(order));
      if (count >= LISTED_ROWS_MAX) return { ...report, next: key };
    }
    return report;
  }

  /** Open orders come first. An order that ends between two pages then appears among the ended ones. */
  *#rowsAfter(accountKey: string, after: string): Iterable<{ key: string; value: Uint8Array }> {
    const [open, done] = [`open/${accountKey}/`, `done/${accountKey}/`];
    if (!after.startsWith(done)) yield* this.#store.range(open, after);
    yield* this.#store.range(done, after.startsWith(done) ? after : '');
  }

  #takeOpen(order: VenueOrder, rows: VenueRow[]): void {
    if (order.freshFills.length > 0) {
      const first = String(order.storedFills).padStart(FILL_DIGITS, '0');
      rows.push({ key: `fill/${order.key}/${first}`, value: encodeFills(order.freshFills) });
      order.storedFills += order.freshFills.length;
      order.freshFills = [];
    }
    rows.push({ key: `open/${order.key}`, value: encodeOrder(order) });
    this.#open.set(order.key, order);
  }

  #takeDone(order: VenueOrder, rows: VenueRow[]): void {
    rows.push({ key: `done/${order.key}`, value: encodeOrder(order) });
    this.#history.note(order, rows);
    if (this.#open.delete(order.key)) rows.push({ key: `open/${order.key}`, value: null });
  }
}

/** Omits rejected orders. */
function listed(order: VenueOrder): ListedOrder[] {
  const { submission, state, filled, changedAtMs } = order;
  if (state.state === 'REJECTED') return [];
  const { orderId, child, instrument, side, quantity, type, timeInForce, limitPrice, postOnly, reduceOnly } =
    submission;
  const terms = { orderId, child, instrument, side, quantity, type, timeInForce, limitPrice, postOnly, reduceOnly };
  return [{ ...terms, state: state.state, venueOrderId: state.venueOrderId, filled, changedAtMs }];
}

function refOfKey(key: string): ChildRef {
  const [, account = '', venueName = '', clientId = ''] = key.split('/');
  const venue = parseVenue(venueName);
  const child = parseChildClientId(clientId);
  assert(venue !== null && child !== null, `the key ${key} names an order`);
  return { account: accountOfKey(account), venue, ...child };
}
