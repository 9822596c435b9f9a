import type { Venue } from '../model/exchange.js';
import type { AccountId } from '../model/ids.js';
import { RECONCILE_AGAIN_MS } from '../model/limits.js';
import { isRejected } from '../model/rejection.js';
import type { EpochMs } from '../model/time.js';
import type { ListedOrder } from '../model/venue-message.js';
import type { VenueLine } from './venue-line.js';

export interface OrderListParts {
  readonly account: AccountId;
  readonly venue: Venue;
  readonly sinceMs: EpochMs;
  readonly line: Pick<VenueLine, 'ask' | 'cancel'>;
  readonly monotonicMs: () => number;
  /** True for an order whose parent is not known: it is cancelled while it is open. */
  readonly isOrphan: (account: AccountId, venue: Venue, order: ListedOrder) => boolean;
}

/** One account's orders at one exchange, page after page, and again until no order of an unknown parent is open. */
export class OrderList {
  readonly #parts: OrderListParts;
  #known: ListedOrder[] = [];
  #after = '';
  #openOrphans = 0;
  #notBeforeMs = -Infinity;
  /** null: nothing has gone wrong. */
  #failure: string | null = null;
  isAsking = false;
  /** The exchange has told all its orders once. */
  isListed = false;
  /** The last list had no open order of an unknown parent. */
  isClean = false;

  constructor(parts: OrderListParts) {
    this.#parts = parts;
  }

  get venue(): Venue {
    return this.#parts.venue;
  }

  /** What is waited for. */
  get why(): string {
    if (this.#failure !== null) return this.#failure;
    return this.isListed ? 'orders of unknown parents are being cancelled' : 'its orders are being listed';
  }

  /** Asks for the next page when one is wanted now; true when it did. */
  ask(): boolean {
    const { account, venue, sinceMs, line, monotonicMs } = this.#parts;
    if (this.isClean || this.isAsking || monotonicMs() < this.#notBeforeMs) return false;
    this.isAsking = true;
    line.ask<'QueryOrders'>({ kind: 'QueryOrders', account, venue, sinceMs, after: this.#after }, (page) => {
      this.isAsking = false;
      if (!isRejected(page)) return this.#take(page.orders, page.next);
      this.#failure = page.rejection.message;
      this.#restAWhile();
    });
    return true;
  }

  /** The orders of known parents that the first list has brought; only once. */
  takeKnown(): readonly ListedOrder[] {
    const known = this.#known;
    this.#known = [];
    return known;
  }

  #take(orders: readonly ListedOrder[], next: string): void {
    const { account, venue, line, isOrphan } = this.#parts;
    this.#failure = null;
    for (const order of orders) {
      if (!isOrphan(account, venue, order)) {
        if (!this.isListed) this.#known.push(order);
        continue;
      }
      if (order.state !== 'OPEN') continue;
      this.#openOrphans += 1;
      line.cancel({ account, venue, orderId: order.orderId, child: order.child });
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
