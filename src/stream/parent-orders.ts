import type { StateReader } from '../journal/port.js';
import type { OrderId } from '../model/ids.js';
import { STREAMED_ORDERS_CACHED_MAX } from '../model/limits.js';
import type { ParentOrder } from '../model/order.js';

/**
 * The terms of the orders that are being streamed: read once an order, not once a frame. A frame shows those that held
 * when its event happened, also when it is sent again after an amendment.
 */
export class ParentOrders {
  readonly #read: (orderId: OrderId) => ParentOrder | null;
  readonly #reader: Pick<StateReader, 'refresh' | 'events'>;
  readonly #cached = new Map<OrderId, ParentOrder>();

  constructor(read: (orderId: OrderId) => ParentOrder | null, reader: Pick<StateReader, 'refresh' | 'events'>) {
    this.#read = read;
    this.#reader = reader;
  }

  /** null when the order is no longer kept. */
  of(orderId: OrderId, revision: number): ParentOrder | null {
    const cached = this.#cached.get(orderId);
    if (cached?.revision === revision) return cached;
    let order = this.#read(orderId);
    if (order === null || order.revision < revision) {
      // It may be younger than what was last read of the store.
      this.#reader.refresh();
      order = this.#read(orderId);
    }
    if (order !== null && order.revision > revision) return this.#formerTerms(orderId, revision);
    if (order !== null) this.#remember(order);
    return order;
  }

  #formerTerms(orderId: OrderId, revision: number): ParentOrder | null {
    for (const { event } of this.#reader.events(orderId)) {
      const order = event.kind === 'ParentCreated' || event.kind === 'ParentAmended' ? event.order : null;
      if (order?.revision === revision) return order;
    }
    return null;
  }

  #remember(order: ParentOrder): void {
    // Behind the others, as if it were new.
    this.#cached.delete(order.orderId);
    this.#cached.set(order.orderId, order);
    if (this.#cached.size <= STREAMED_ORDERS_CACHED_MAX) return;
    for (const oldest of this.#cached.keys()) {
      this.#cached.delete(oldest);
      return;
    }
  }
}
