import { describe, expect, it } from 'vitest';
import type { OrderId } from '../../src/model/ids.js';
import { FORMER_TERMS_CACHED_MAX, STREAMED_ORDERS_CACHED_MAX } from '../../src/model/limits.js';
import type { ParentOrder } from '../../src/model/order.js';
import { ParentOrders } from '../../src/stream/parent-orders.js';
import { PARENT } from './sample-events.js';

/** A store that shows an order only after it has been refreshed. */
class LateStore {
  reads = 0;
  isFresh = false;
  stored = PARENT;
  /** By revision. */
  former: ParentOrder[] = [];
  readonly orders = new ParentOrders((orderId) => {
    this.reads += 1;
    return this.isFresh && orderId > 0 ? { ...this.stored, orderId } : null;
  }, this);

  formerReads = 0;

  formerTerms(_orderId: OrderId, revision: number): ParentOrder | null {
    this.formerReads += 1;
    return this.former[revision] ?? null;
  }

  refresh(): boolean {
    this.isFresh = true;
    return true;
  }
}

describe('the constant parts of streamed orders', () => {
  it('are found also when the order is younger than the last look at the store', () => {
    expect(new LateStore().orders.of(PARENT.orderId, 0)).toEqual(PARENT);
  });

  it('are those that an event has brought, while the store does not have them', () => {
    const store = new LateStore();
    store.isFresh = true;
    store.orders.of(PARENT.orderId, 0);
    const amended = { ...PARENT, revision: 1 };
    store.orders.note(amended);
    store.orders.note(PARENT);
    expect([store.orders.of(PARENT.orderId, 1), store.reads]).toEqual([amended, 1]);
  });

  it('are read once', () => {
    const store = new LateStore();
    store.orders.of(PARENT.orderId, 0);
    store.reads = 0;
    store.orders.of(PARENT.orderId, 0);
    expect(store.reads).toBe(0);
  });

  it('are those that held when the event happened', () => {
    const store = new LateStore();
    store.isFresh = true;
    const amended = [1, 2].map((revision) => ({ ...PARENT, revision, requestEcho: `{"n":${revision}}` }));
    store.former = [PARENT, ...amended];
    store.stored = amended[1] ?? PARENT;
    expect(store.orders.of(PARENT.orderId, 2)).toEqual(amended[1]);
    expect(store.orders.of(PARENT.orderId, 0)).toEqual(PARENT);
    expect(store.orders.of(PARENT.orderId, 1)).toEqual(amended[0]);
  });

  it('reads former terms once, however many frames show them and latest ones come between', () => {
    const store = new LateStore();
    store.isFresh = true;
    store.stored = { ...PARENT, revision: 2 };
    store.former = [PARENT, { ...PARENT, revision: 1 }];
    for (let frame = 0; frame < 3_000; frame += 1) store.orders.of(PARENT.orderId, frame % 3);
    expect(store.formerReads).toBe(2);
    expect(store.reads).toBe(1);
  });

  it('keeps a bounded number of former terms', () => {
    const store = new LateStore();
    store.isFresh = true;
    const count = FORMER_TERMS_CACHED_MAX + 1;
    store.former = Array.from({ length: count }, (_, revision) => ({ ...PARENT, revision }));
    store.stored = { ...PARENT, revision: count };
    for (let revision = 0; revision < count; revision += 1) store.orders.of(PARENT.orderId, revision);
    store.orders.of(PARENT.orderId, count - 1);
    expect(store.formerReads).toBe(count);
    store.orders.of(PARENT.orderId, 0);
    expect(store.formerReads).toBe(count + 1);
  });

  it('are asked for again while there are none', () => {
    const store = new LateStore();
    expect(store.orders.of(0 as OrderId, 0)).toBeNull();
    store.reads = 0;
    expect(store.orders.of(0 as OrderId, 0)).toBeNull();
    expect(store.reads).toBeGreaterThan(0);
  });

  it('are kept for so many orders only', () => {
    const store = new LateStore();
    for (let id = 1; id <= STREAMED_ORDERS_CACHED_MAX + 1; id += 1) store.orders.of(id as OrderId, 0);
    store.reads = 0;
    store.orders.of((STREAMED_ORDERS_CACHED_MAX + 1) as OrderId, 0);
    expect(store.reads).toBe(0);
    store.orders.of(1 as OrderId, 0);
    expect(store.reads).toBe(1);
  });
});
