import type { Venue } from '../domain/exchange.js';
import type { AccountId } from '../domain/ids.js';
import type { InstrumentIndex } from '../domain/instrument.js';
import { RECONCILE_AGAIN_MS } from '../domain/limits/trading.js';
import { isRejected } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import type { ListedOrder, OrdersReport } from '../domain/venue-report.js';
import type { VenueClient } from '../venue/venue-client.js';

export interface OrderListParts {
  readonly account: AccountId;
  readonly venue: Venue;
  readonly sinceMs: EpochMs;
  readonly venueClient: Pick<VenueClient, 'ask' | 'cancel'>;
  readonly monotonicMs: () => number;
  /** Instruments of the account's open orders at the exchange. */
  readonly instruments: () => readonly InstrumentIndex[];
  /** True for an order with an unknown parent. It is cancelled while it is open. */
  readonly isOrphan: (account: AccountId, venue: Venue, order: ListedOrder) => boolean;
}

/**
 * Lists one account's orders at one exchange, page by page. Repeats the list until no order with an unknown parent is
 * open.
 */
export class OrderList {
  readonly #parts: OrderListParts;
  #known: ListedOrder[] = [];
  #after = '';
  #openOrphans = 0;
  #notBeforeMs = -Infinity;
  /** null: the last request succeeded. */
  #failure: string | null = null;
  isAsking = false;
  /** True when the exchange has listed all orders once. */
  isListed = false;
  /** True when the last list had no open order with an unknown parent. */
  isClean = false;

  constructor(parts: OrderListParts) {
    this.#parts = parts;
  }

  get venue(): Venue {
    return this.#parts.venue;
  }

  /** The reason why the list is not complete yet. */
  get why(): string {
    if (this.#failure !== null) return this.#failure;
    return this.isListed ? 'orders of unknown parents are being cancelled' : 'its orders are being listed';
  }

  /** Requests the next page if one is due. Returns true when it did. */
  ask(): boolean {
    const { account, venue, sinceMs, venueClient, monotonicMs, instruments } = this.#parts;
    if (this.isClean || this.isAsking || monotonicMs() < this.#notBeforeMs) return false;
    this.isAsking = true;
    const names = { account, venue, instruments: instruments() };
    venueClient.ask<'QueryOrders'>({ kind: 'QueryOrders', ...names, sinceMs, after: this.#after }, (page) => {
      this.isAsking = false;
      this.#failure = isRejected(page) ? page.rejection.message : this.#gapIn(page);
      if (!isRejected(page) && this.#failure === null) return this.#take(page.orders, page.next);
      this.#restAWhile();
    });
    return true;
  }

  /** Returns the orders of known parents from the first list, once. */
  takeKnown(): readonly ListedOrder[] {
    const known = this.#known;
    this.#known = [];
    return known;
  }

  /**
   * The reason why a page of the first list may lack orders that ended after the backup; null: it has all of them. A
   * later list only finds open orders, which every exchange knows.
   */
  #gapIn({ knownSinceMs }: Pick<OrdersReport, 'knownSinceMs'>): string | null {
    const { sinceMs } = this.#parts;
    if (this.isListed || knownSinceMs <= sinceMs) return null;
    const [begin, since] = [knownSinceMs, sinceMs].map((atMs) => new Date(atMs).toISOString());
    return (
      `its order history begins at ${begin}, but orders since ${since} are needed: the backup is too old; ` +
      'restore a newer one'
    );
  }

  #take(orders: readonly ListedOrder[], next: string): void {
    const { account, venue, venueClient, isOrphan } = this.#parts;
    for (const order of orders) {
      if (!isOrphan(account, venue, order)) {
        if (!this.isListed) this.#known.push(order);
        continue;
      }
      if (order.state !== 'OPEN') continue;
      this.#openOrphans += 1;
      const { orderId, child, instrument, changedAtMs: submittedAtMs, venueOrderId } = order;
      venueClient.cancel({ account, venue, orderId, child, instrument, submittedAtMs, venueOrderId });
    }
    this.#after = next;
    if (next !== '') return;
    this.isListed = true;
    this.isClean = this.#openOrphans === 0;
    this.#openOrphans = 0;
    this.#restAWhile();
  }

  #restAWhile(): void {
    this.#notBeforeMs = this.#parts.monotonicMs() + RECONCILE_AGAIN_MS;
  }
}
