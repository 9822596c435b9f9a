import type { Venue } from '../domain/exchange.js';
import type { StateReader, StateSnapshot } from '../journal/port.js';
import type { AccountId, OrderId } from '../domain/ids.js';
import type { InstrumentCatalogue, InstrumentIndex } from '../domain/instrument.js';
import { ORPHANS_SHOWN_MAX, RECONCILE_ORDERS_PER_CHECK_MAX, RECONCILE_LISTS_MAX } from '../domain/limits/trading.js';
import { isTerminal } from '../domain/order.js';
import { formatLots } from '../domain/quantity.js';
import type { AccountReconciliation, Orphan, ReconciliationReport } from '../domain/restore.js';
import type { EpochMs } from '../domain/time.js';
import type { ListedOrder } from '../domain/venue-report.js';
import { OrderList, type OrderListParts } from './order-list.js';
import { ReconciledOrder } from './reconciled-order.js';
import type { OrderGateway } from '../intake/order-gateway.js';

/**
 * The stored orders of this service. No read waits: the store has had every order since the start. A command that it
 * does not show yet is repeated after RECONCILE_AGAIN_MS, and its order ignores it.
 */
export type StoredOrders = Pick<StateReader<Pick<StateSnapshot, 'order' | 'openOrders'>>, 'renewed' | 'recent'>;

export interface ReconciliationParts {
  readonly epoch: number;
  /** Child numbers that each order skips for its next children. */
  readonly childRoom: number;
  /** Exchanges list orders that changed after this service time. */
  readonly sinceMs: EpochMs;
  /** The accounts that are reconciled. */
  readonly accounts: readonly AccountId[];
  readonly venues: readonly Venue[];
  readonly catalogue: InstrumentCatalogue;
  readonly reader: StoredOrders;
  readonly venueClient: OrderListParts['venueClient'];
  readonly gateway: Pick<OrderGateway, 'change'>;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicMs: () => number;
  readonly realNowMs: () => number;
}

interface Account {
  readonly name: AccountId;
  readonly lists: readonly OrderList[];
  /**
   * Instruments of its open orders at each venue. Its trading is halted, so none is added later. null: not read yet.
   */
  instruments: ReadonlyMap<Venue, ReadonlySet<InstrumentIndex>> | null;
  /** null until every list is complete. */
  orders: Map<OrderId, ReconciledOrder> | null;
  openCount: number;
}

/**
 * Compares every open order with its exchanges after a restore. For each account:
 *
 *     every venue lists its orders ─▶ unknown children go to their parents, which adopt and withdraw them
 *              ▲        │                     └─▶ fills and end of each child are requested ─▶ order reconciled
 *              └────────┴─▶ orders of unknown parents are cancelled, and listed again until none is open
 *
 * Nothing is stored. A restart begins again and skips adopted children.
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
    this.#accounts = parts.accounts.map((name) => {
      const lists = parts.venues.map((venue) => {
        const instruments = (): readonly InstrumentIndex[] => this.#instrumentsAt(account, venue);
        return new OrderList({ ...parts, account: name, venue, instruments, isOrphan: onOrder });
      });
      const account: Account = { name, lists, instruments: null, orders: null, openCount: 0 };
      return account;
    });
  }

  /** Does the steps that are possible now. Called every RECONCILE_CHECK_MS until the reconciliation is complete. */
  step(): void {
    this.#parts.reader.renewed();
    let asking = this.#accounts.reduce((sum, { lists }) => sum + lists.filter(({ isAsking }) => isAsking).length, 0);
    let ordersLeft = RECONCILE_ORDERS_PER_CHECK_MAX;
    for (const account of this.#accounts) {
      for (const list of account.lists) {
        if (asking < RECONCILE_LISTS_MAX && list.ask()) asking += 1;
      }
      if (account.orders === null && account.lists.every(({ isListed }) => isListed)) this.#begin(account);
      // Takes the orders that have waited longest. An order that was checked moves to the end.
      for (const order of firstOf(account.orders?.values() ?? [], Math.min(ordersLeft, account.orders?.size ?? 0))) {
        ordersLeft -= 1;
        this.#move(account, order);
      }
    }
  }

  report(): ReconciliationReport {
    const { epoch, realNowMs } = this.#parts;
    const accounts = this.#accounts.map(progressOf);
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

  #instrumentsAt(account: Account, venue: Venue): readonly InstrumentIndex[] {
    account.instruments ??= this.#instrumentsOf(account.name);
    return [...(account.instruments.get(venue) ?? [])];
  }

  #instrumentsOf(account: AccountId): Map<Venue, Set<InstrumentIndex>> {
    const found = new Map<Venue, Set<InstrumentIndex>>(this.#parts.venues.map((venue) => [venue, new Set()]));
    for (const { order } of this.#parts.reader.recent().openOrders(account)) {
      for (const { venue, instrument } of order.legs) found.get(venue)?.add(instrument);
    }
    return found;
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
    for (const { order } of this.#parts.reader.recent().openOrders(account.name)) {
      const children = listed.get(order.orderId) ?? [];
      account.orders.set(order.orderId, new ReconciledOrder({ ...this.#parts, order, children }));
    }
    account.openCount = account.orders.size;
  }

  #move(account: Account, order: ReconciledOrder): void {
    if (!order.move()) {
      // The next step begins with the orders that have waited longest.
      account.orders?.delete(order.orderId);
      account.orders?.set(order.orderId, order);
      return;
    }
    this.#adoptedCount += order.adoptedCount;
    account.orders?.delete(order.orderId);
  }

  /** True for an order whose parent is unknown here or has ended. Reports only orders that are open or have fills. */
  #isOrphan(account: AccountId, venue: Venue, listed: ListedOrder): boolean {
    const { reader, catalogue } = this.#parts;
    const parent = reader.recent().order(listed.orderId);
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

function progressOf({ name, lists, orders, openCount }: Account): AccountReconciliation {
  const waitingVenues = lists.filter(({ isClean }) => !isClean).map(({ venue, why }) => ({ venue, why }));
  const waitingOrders = orders?.size ?? 0;
  const isComplete = orders !== null && waitingOrders === 0 && waitingVenues.length === 0;
  return { account: name, isComplete, openOrders: openCount, waitingOrders, waitingVenues };
}
