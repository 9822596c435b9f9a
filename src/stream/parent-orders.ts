import type { StateReader } from '../journal/port.js';
import type { OrderId } from '../model/ids.js';
import { FORMER_TERMS_CACHED_MAX, STREAMED_ORDERS_CACHED_MAX } from '../model/limits.js';
import type { ParentOrder } from '../model/order.js';

type TermsReader = Pick<StateReader, 'refresh' | 'formerTerms'>;

/**
 * The terms of the orders that are being streamed: read once an order, not once a frame. A frame shows those that held
 * when its event happened, also when it is sent again after an amendment. Former terms have a cache of their own: a
 * replay does not push out what live frames need.
 */
export class ParentOrders {
  readonly #read: (orderId: OrderId) => ParentOrder | null;
  readonly #reader: TermsReader;
  readonly #latest = new BoundedCache<OrderId, ParentOrder>(STREAMED_ORDERS_CACHED_MAX);
  readonly #former = new BoundedCache<string, ParentOrder>(FORMER_TERMS_CACHED_MAX);

  constructor(read: (orderId: OrderId) => ParentOrder | null, reader: TermsReader) {
    this.#read = read;
    this.#reader = reader;
  }

  /** Takes the terms that an event brings, so that no store is asked for what it may not have yet. */
  note(order: ParentOrder): void {
    const known = this.#latest.get(order.orderId);
    if (known === undefined || known.revision < order.revision) this.#latest.put(order.orderId, order);
  }

  /** null when the order is no longer kept. */
  of(orderId: OrderId, revision: number): ParentOrder | null {
    const latest = this.#latest.get(orderId);
    if (latest?.revision === revision) return latest;
    // Revisions only grow: what is cached of a later one says that this one is over.
    if (latest !== undefined && latest.revision > revision) return this.#formerTerms(orderId, revision);
    let order = this.#read(orderId);
    if (order === null || order.revision < revision) {
      // It may be younger than what was last read of the store.
      this.#reader.refresh();
      order = this.#read(orderId);
    }
    if (order === null) return null;
    this.#latest.put(orderId, order);
    return order.revision > revision ? this.#formerTerms(orderId, revision) : order;
  }

  #formerTerms(orderId: OrderId, revision: number): ParentOrder | null {
    const key = `${orderId}:${revision}`;
    const cached = this.#former.get(key);
    if (cached !== undefined) return cached;
    const order = this.#reader.formerTerms(orderId, revision);
    if (order !== null) this.#former.put(key, order);
    return order;
  }
}

/** Keeps so many values; the one that was put longest ago makes room. */
class BoundedCache<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #countMax: number;

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  get(key: Key): Value | undefined {
    return this.#values.get(key);
  }

  put(key: Key, value: Value): void {
    // After the others, as if it were new.
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.#countMax) return;
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest);
      return;
    }
  }
}
