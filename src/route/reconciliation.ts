import type { Venue } from '../model/exchange.js';
import type { AccountId, OrderId } from '../model/ids.js';
import type { InstrumentCatalogue } from '../model/instrument.js';
import { ORPHANS_SHOWN_MAX, RECONCILE_ORDERS_PER_LOOK_MAX, RECONCILE_QUESTIONS_MAX } from '../model/limits.js';
import { isTerminal, type ParentState } from '../model/order.js';
import { formatLots } from '../model/quantity.js';
import type { AccountReconciliation, Orphan, ReconciliationReport } from '../model/restore.js';
import type { EpochMs } from '../model/time.js';
import type { ListedOrder } from '../model/venue-message.js';
import { OrderList, type OrderListParts } from './order-list.js';
import { ReconciledOrder } from './reconciled-order.js';
import type { OrderDesk } from './order-desk.js';

/** The orders of this service as they are stored. */
export interface StoredOrders {
  /** What is read after this call includes every turn that was released before it. */
  refresh(): boolean;
  order(orderId: OrderId): ParentState | null;
  openOrders(account: AccountId): ParentState[];
}

export interface ReconciliationParts {
  readonly epoch: number;
  /** Numbers that each order's next children leave out. */
  readonly childRoom: number;
  /** Exchanges are asked for orders that have changed since; service time. */
  readonly sinceMs: EpochMs;
  /** The accounts that are reconciled. */
  readonly accounts: readonly AccountId[];
  readonly venues: readonly Venue[];
  readonly catalogue: InstrumentCatalogue;
  readonly reader: StoredOrders;
  readonly line: OrderListParts['line'];
  readonly desk: Pick<OrderDesk, 'change'>;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonicMs: () => number;
  readonly realNowMs: () => number;
}

interface Account {
  readonly name: AccountId;
  readonly lists: readonly OrderList[];
  /** null until every list is there. */
  orders: Map<OrderId, ReconciledOrder> | null;
  openCount: number;
}

/**
 * Compares every open order with its exchanges after a restore. For each account:
 *
 *     every venue lists its orders ─▶ unknown children go to their parents, which adopt and withdraw them
 *              ▲        │                     └─▶ each child is asked for its fills and its end ─▶ order reconciled
 *              └────────┴─▶ orders of unknown parents are cancelled, and listed again until none is open
 *
 * Nothing here is kept: a restart begins again, and what was adopted already is passed over.
 */
export class Reconciliation {
  readonly #parts: ReconciliationParts;
  readonly #accounts: readonly Account[];
  readonly #orphans = new Map<string, Orphan>();
  #adoptedCount = 0;

  constructor(parts: ReconciliationParts) {
    this.#parts = parts;
    const onOrder = (account: AccountId, venue: Venue, order: ListedOrder): boolean =>
      this.#isOrphan(account, venue, order);
    this.#accounts = parts.accounts.map((name) => ({
      name,
      lists: parts.venues.map((venue) => new OrderList({ ...parts, account: name, venue, isOrphan: onOrder })),
      orders: null,
      openCount: 0,
    }));
  }

  /** Does what can be done now; called every RECONCILE_LOOK_MS until it is complete. */
  look(): void {
    this.#parts.reader.refresh();
    let asking = this.#accounts.reduce((sum, { lists }) => sum + lists.filter(({ isAsking }) => isAsking).length, 0);
    let ordersLeft = RECONCILE_ORDERS_PER_LOOK_MAX;
    for (const account of this.#accounts) {
      for (const list of account.lists) {
        if (asking < RECONCILE_QUESTIONS_MAX && list.ask()) asking += 1;
      }
      if (account.orders === null && account.lists.every(({ isListed }) => isListed)) this.#begin(account);
      // Those that have waited longest, each once: one that moves goes to the end.
      for (const order of firstOf(account.orders?.values() ?? [], Math.min(ordersLeft, account.orders?.size ?? 0))) {
        ordersLeft -= 1;
        this.#move(account, order);
      }
    }
  }

  report(): ReconciliationReport {
    const { epoch, realNowMs } = this.#parts;
    const accounts = this.#accounts.map(standingOf);
    const orphans = [...this.#orphans.values()];
    return {
      epoch,
      atMs: realNowMs(),
      isComplete: accounts.every(({ isComplete }) => isComplete),
      accounts,
      adoptedCount: this.#adoptedCount,
      orphanCount: orphans.length,
      openOrphanCount: orphans.filter(({ state }) => state === 'OPEN').length,
      orphans: orphans.slice(0, ORPHANS_SHOWN_MAX),
    };
  }

  #begin(account: Account): void {
    const listed = new Map<OrderId, ListedOrder[]>();
    for (const list of account.lists) {
      for (const order of list.takeKnown()) {
        const others = listed.get(order.orderId);
        if (others === undefined) listed.set(order.orderId, [order]);
        else others.push(order);
      }
    }
    account.orders = new Map();
    for (const { order } of this.#parts.reader.openOrders(account.name)) {
      const children = listed.get(order.orderId) ?? [];
      account.orders.set(order.orderId, new ReconciledOrder({ ...this.#parts, order, children }));
    }
    account.openCount = account.orders.size;
  }

  #move(account: Account, order: ReconciledOrder): void {
    if (!order.move()) {
      // The next look begins with those that have waited longest.
      account.orders?.delete(order.orderId);
      account.orders?.set(order.orderId, order);
      return;
    }
    this.#adoptedCount += order.adoptedCount;
    account.orders?.delete(order.orderId);
  }

  /** An order is nobody's when its parent is not known here, or has ended. Only those that trade, or have, are told. */
  #isOrphan(account: AccountId, venue: Venue, listed: ListedOrder): boolean {
    const { reader, catalogue } = this.#parts;
    const parent = reader.order(listed.orderId);
    if (parent !== null && (!isTerminal(parent.status) || listed.state !== 'OPEN')) return false;
    const clientId = `${listed.orderId}-${listed.child}`;
    const key = `${account}/${venue}/${clientId}`;
    if (listed.state !== 'OPEN' && listed.filled === 0 && !this.#orphans.has(key)) return false;
    const instrument = catalogue.at(listed.instrument);
    const [quantity, filled] = [listed.quantity, listed.filled].map((lots) => formatLots(lots, instrument));
    this.#orphans.set(key, {
      account,
      venue,
      clientId,
      symbol: instrument.symbol,
      side: listed.side,
      quantity: quantity!,
      filled: filled!,
      state: listed.state,
    });
    return true;
  }
}

function* firstOf<Item>(items: Iterable<Item>, count: number): Iterable<Item> {
  let left = count;
  if (left === 0) return;
  for (const item of items) {
    yield item;
    left -= 1;
    if (left === 0) return;
  }
}

function standingOf({ name, lists, orders, openCount }: Account): AccountReconciliation {
  const waitingVenues = lists.filter(({ isClean }) => !isClean).map(({ venue, why }) => ({ venue, why }));
  const waitingOrders = orders?.size ?? 0;
  const isComplete = orders !== null && waitingOrders === 0 && waitingVenues.length === 0;
  return { account: name, isComplete, openOrders: openCount, waitingOrders, waitingVenues };
}
