import { describe, expect, it } from 'vitest';
import type { OrderId } from '../../src/domain/ids.js';
import { FORMER_TERMS_CACHED_MAX, STREAMED_ORDERS_CACHED_MAX } from '../../src/domain/limits/clients.js';
import type { ParentOrder } from '../../src/domain/order.js';
import type { ParentState } from '../../src/domain/order-state.js';
import { ParentOrders } from '../../src/stream/feeds.js';
import { parentState } from '../http/orders.js';
import { PARENT } from './sample-events.js';
import { withTerms } from '../domain/plain-order.js';

/** A store that shows an order only in the latest snapshot. */
class LateStore {
  reads = 0;
  isFresh = false;
  isBehind = false;
  stored = PARENT;
  /** Former terms by revision. */
  former: ParentOrder[] = [];
  readonly orders = new ParentOrders(this);

  order(orderId: OrderId): ParentState | null {
    this.reads += 1;
    return this.isFresh && orderId > 0 ? parentState({ ...this.stored, orderId }) : null;
  }

  formerReads = 0;

  formerTerms(_orderId: OrderId, revision: number): ParentOrder | null {
    this.formerReads += 1;
    return this.former[revision] ?? null;
  }

  recent(): this {
    return this;
  }

  renewed(): this {
    this.isFresh = !this.isBehind;
    return this;
  }
}

describe('the terms of streamed orders', () => {
  it('are found also for an order that is younger than the last snapshot', () => {
    expect(new LateStore().orders.of(PARENT.orderId, 0)).toEqual(PARENT);
  });

  it('come from an event while the store does not have them', () => {
    const store = new LateStore();
    store.isFresh = true;
    store.orders.of(PARENT.orderId, 0);
    const amended = { ...PARENT, revision: 1 };
    store.orders.note(amended);
    store.orders.note(PARENT);
    expect([store.orders.of(PARENT.orderId, 1), store.reads]).toEqual([amended, 1]);
  });

  it('are read from the store once', () => {
    const store = new LateStore();
    store.orders.of(PARENT.orderId, 0);
    store.reads = 0;
    store.orders.of(PARENT.orderId, 0);
    expect(store.reads).toBe(0);
  });

  it('are the terms at the time of the event', () => {
    const store = new LateStore();
    store.isFresh = true;
    const amended = [1, 2].map((revision) => withTerms(PARENT, { revision, requestEcho: `{"n":${revision}}` }));
    store.former = [PARENT, ...amended];
    store.stored = amended[1] ?? PARENT;
    expect(store.orders.of(PARENT.orderId, 2)).toEqual(amended[1]);
    expect(store.orders.of(PARENT.orderId, 0)).toEqual(PARENT);
    expect(store.orders.of(PARENT.orderId, 1)).toEqual(amended[0]);
  });

  it('are read once for many frames of a former revision, also between frames of the latest', () => {
    const store = new LateStore();
    store.isFresh = true;
    store.stored = { ...PARENT, revision: 2 };
    store.former = [PARENT, { ...PARENT, revision: 1 }];
    for (let frame = 0; frame < 3_000; frame += 1) store.orders.of(PARENT.orderId, frame % 3);
    expect(store.formerReads).toBe(2);
    expect(store.reads).toBe(1);
  });

  it('are cached for a bounded number of former revisions', () => {
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

  it('are not those before an amendment that the store lacks', () => {
    const store = new LateStore();
    expect(store.orders.of(PARENT.orderId, 1)).toBeNull();
    store.stored = { ...PARENT, revision: 1 };
    expect(store.orders.of(PARENT.orderId, 1)).toEqual(store.stored);
  });

  it('are not awaited', () => {
    const store = new LateStore();
    store.isBehind = true;
    expect(store.orders.of(PARENT.orderId, 0)).toBeNull();
  });

  it('are read again while the store has none', () => {
    const store = new LateStore();
    expect(store.orders.of(0 as OrderId, 0)).toBeNull();
    store.reads = 0;
    expect(store.orders.of(0 as OrderId, 0)).toBeNull();
    expect(store.reads).toBeGreaterThan(0);
  });

  it('are cached for a bounded number of orders', () => {
    const store = new LateStore();
    for (let id = 1; id <= STREAMED_ORDERS_CACHED_MAX + 1; id += 1) store.orders.of(id as OrderId, 0);
    store.reads = 0;
    store.orders.of((STREAMED_ORDERS_CACHED_MAX + 1) as OrderId, 0);
    expect(store.reads).toBe(0);
    store.orders.of(1 as OrderId, 0);
    expect(store.reads).toBe(1);
  });
});
