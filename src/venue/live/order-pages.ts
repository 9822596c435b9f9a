import type { ChildNumber, OrderId } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import { VENUE_ANSWER_WAIT_MS } from '../../domain/limits/clients.js';
import { LISTED_ROWS_MAX } from '../../domain/limits/trading.js';
import { isRejected, type OrRejection } from '../../domain/rejection.js';
import type { EpochMs } from '../../domain/time.js';
import type { OrdersQuery } from '../../domain/venue-message.js';
import type { ListedOrder } from '../../domain/venue-report.js';
import type { PlacedQuery } from './exchange-client.js';

export interface OrderPage {
  readonly orders: readonly ListedOrder[];
  /** '': it was the last one. */
  readonly next: string;
}

type Read = (query: PlacedQuery) => Promise<OrRejection<readonly ListedOrder[]>>;

/**
 * Pages of the orders that the exchange lists for one account. The whole list is read for the first page. A reading
 * that takes longer than the asking thread waits goes on, and serves the next request.
 */
export class OrderPages {
  readonly #read: Read;
  readonly #nowMs: () => EpochMs;
  #reading: Promise<OrRejection<readonly ListedOrder[]>> | null = null;
  /** Sorted by order and child; null: not read, or all pages were taken. */
  #orders: readonly ListedOrder[] | null = null;

  constructor(read: Read, nowMs: () => EpochMs) {
    this.#read = read;
    this.#nowMs = nowMs;
  }

  async page({
    instruments,
    sinceMs,
    after,
  }: Pick<OrdersQuery, 'sinceMs' | 'after'> & {
    readonly instruments: readonly InstrumentIndex[];
  }): Promise<OrRejection<OrderPage>> {
    const askedAtMs = this.#nowMs();
    if (this.#orders === null) {
      this.#reading ??= this.#read({ instruments, sinceMs });
      const read = await this.#reading;
      this.#reading = null;
      if (isRejected(read)) return read;
      this.#orders ??= read.toSorted(byName);
    }
    const left = this.#orders.filter((order) => isAfter(order, after));
    const orders = left.slice(0, LISTED_ROWS_MAX);
    const last = left.length > orders.length ? orders.at(-1) : undefined;
    const isInTime = this.#nowMs() - askedAtMs < VENUE_ANSWER_WAIT_MS;
    if (last === undefined && isInTime) this.#orders = null;
    return { orders, next: last === undefined ? '' : `${last.orderId}-${last.child}` };
  }
}

interface Name {
  readonly orderId: OrderId;
  readonly child: ChildNumber;
}

function byName(one: Name, other: Name): number {
  return one.orderId - other.orderId || one.child - other.child;
}

function isAfter(order: Name, after: string): boolean {
  if (after === '') return true;
  const [orderId = 0, child = 0] = after.split('-').map(Number);
  return byName(order, { orderId: orderId as OrderId, child: child as ChildNumber }) > 0;
}
