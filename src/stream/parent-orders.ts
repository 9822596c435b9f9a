import type { StateReader } from '../journal/port.js';
import type { OrderId } from '../model/ids.js';
import { STREAMED_ORDERS_CACHED_MAX } from '../model/limits.js';
import type { ParentOrder } from '../model/order.js';

/** The constant parts of the orders that are being streamed: read once an order, not once a frame. */
export class ParentOrders {
  readonly #read: (orderId: OrderId) => ParentOrder | null;
  readonly #reader: Pick<StateReader, 'refresh'>;
  readonly #cached = new Map<OrderId, ParentOrder>();

  constructor(read: (orderId: OrderId) => ParentOrder | null, reader: Pick<StateReader, 'refresh'>) {
    this.#read = read;
    this.#reader = reader;
  }

  /** null when the order is no longer kept. */
  of(orderId: OrderId): ParentOrder | null {
    const cached = this.#cached.get(orderId);
    if (cached !== undefined) return cached;
    let order = this.#read(orderId);
    if (order === null) {
      // It may be younger than what was last read of the store.
      this.#reader.refresh();
      order = this.#read(orderId);
    }
    if (order !== null) this.#remember(order);
    return order;
  }

  #remember(order: ParentOrder): void {
    this.#cached.set(order.orderId, order);
    if (this.#cached.size <= STREAMED_ORDERS_CACHED_MAX) return;
    for (const oldest of this.#cached.keys()) {
      this.#cached.delete(oldest);
      return;
    }
  }
}
