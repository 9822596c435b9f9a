import { describe, expect, it } from 'vitest';
import type { Venue } from '../../src/domain/exchange.js';
import type { OrderId, Seq } from '../../src/domain/ids.js';
import {
  REPLAY_TURN_MS_MAX,
  SNAPSHOT_INDEX_KEYS,
  SNAPSHOT_PAGE_ORDERS,
  SNAPSHOT_READINGS_MAX,
} from '../../src/domain/limits/clients.js';
import type { SettledStatus } from '../../src/domain/order.js';
import { Feeds } from '../../src/stream/feeds.js';
import { type OpenOrderReadings, OpenOrders } from '../../src/stream/open-orders.js';
import { Outbox } from '../../src/stream/outbox.js';
import { Pump } from '../../src/stream/pump.js';
import { Subscription } from '../../src/stream/subscription.js';
import { FakeSocket } from './fake-socket.js';
import { ManualTimers } from './manual-timers.js';
import { MemoryReader } from './memory-reader.js';
import { ACCEPTED, ACCOUNT, envelopeOf, PARENT } from './sample-events.js';

const KEY = { account: ACCOUNT, topic: 'order', venue: 'BINANCE' } as const;
/** Bytes that hold a few frames. */
const SMALL_ROOM = 4_000;

interface Shown {
  readonly seq: number;
  readonly snapshot?: true;
  readonly snapshot_end?: true;
  readonly order_status: { readonly order_id: string; readonly status: string };
}

class Rig {
  readonly timers = new ManualTimers();
  readonly reader = new MemoryReader();
  #lastSeq = 0;
  readonly faults: unknown[] = [];
  readonly readings: OpenOrderReadings = { count: 0 };
  readonly pump = new Pump(this.timers, (error) => this.faults.push(error));
  onParentRead: () => unknown = () => undefined;
  readonly feeds = new Feeds({
    followed: { add: () => undefined, remove: () => undefined },
    reader: this.reader,
    timers: this.timers,
    pump: this.pump,
    whenComplete: this.reader.whenComplete,
    onFault: (error) => this.faults.push(error),
  });

  constructor() {
    this.reader.storedOrder = (orderId) => {
      this.onParentRead();
      return { ...PARENT, orderId };
    };
  }

  /** Stores and publishes an event. */
  change(orderId: number, status: SettledStatus, venue: Venue = 'BINANCE'): void {
    this.#lastSeq += 1;
    const place = { seq: this.#lastSeq as Seq, orderId: orderId as OrderId, venue };
    const envelope = envelopeOf({ kind: 'ParentAccepted' }, { ...place, parent: { ...ACCEPTED.parent!, status } });
    const n = this.reader.append(ACCOUNT, 'order', venue, envelope);
    this.feeds.publish(envelope, [{ topic: 'order', n }]);
  }

  place(count: number, venue?: Venue): void {
    for (let orderId = 1; orderId <= count; orderId += 1) this.change(orderId, 'ACCEPTED', venue);
  }

  subscribe(room = Number.POSITIVE_INFINITY): Subscriber {
    return new Subscriber(this, room);
  }
}

class Subscriber {
  readonly socket = new FakeSocket();
  readonly outbox = new Outbox(this.socket, () => (this.isOverflown = true));
  readonly subscription: Subscription;
  isOverflown = false;
  isLost = false;

  constructor({ feeds, pump, reader, readings }: Rig, room: number) {
    this.socket.room = room;
    const head = reader.feedHead({ account: ACCOUNT, topic: 'order', venue: 'BINANCE' });
    this.subscription = new Subscription({
      feed: feeds.open(KEY, head),
      outbox: this.outbox,
      pump,
      whenComplete: reader.whenComplete,
      cursor: head,
      onLost: () => (this.isLost = true),
      onBehind: () => this.subscription.end(),
    });
    const render: ConstructorParameters<typeof OpenOrders>[0]['render'] = (place, event) =>
      feeds.openOrder(place, event);
    this.subscription.startWith(new OpenOrders({ key: KEY, reader, readings, render }));
  }

  frames(): Shown[] {
    this.outbox.flush();
    return this.socket.sent.map((text) => JSON.parse(text) as Shown);
  }

  drain(room: number): void {
    this.socket.read(room);
    this.outbox.onDrain();
    if (!this.outbox.isClogged) this.subscription.onDrain();
  }
}

const idsOf = (frames: readonly Shown[]): string[] => frames.map(({ order_status: { order_id: id } }) => id);
const texts = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, k) => String(from + k));

describe('a subscription with the open orders', () => {
  it('sends one frame for each open order of the exchange with the seq of the last frame, then live frames', () => {
    const rig = new Rig();
    rig.place(4);
    rig.change(2, 'FILLED');
    rig.change(9, 'ACCEPTED', 'OKX');
    const subscriber = rig.subscribe();
    rig.timers.settle();
    rig.change(3, 'CANCELLED');
    const frames = subscriber.frames();
    expect(idsOf(frames)).toEqual(['1', '3', '4', '3']);
    expect(frames.map(({ seq }) => seq)).toEqual([5, 5, 5, 6]);
    expect(frames.map(({ snapshot }) => snapshot)).toEqual([true, true, true, undefined]);
    expect(frames.map(({ snapshot_end: end }) => end)).toEqual([undefined, undefined, true, undefined]);
    expect(rig.reader.heldCount + rig.readings.count).toBe(0);
  });

  it('sends no frame before the live ones when no order is open', () => {
    const rig = new Rig();
    rig.change(1, 'FILLED');
    const subscriber = rig.subscribe();
    rig.timers.settle();
    rig.change(2, 'ACCEPTED');
    expect(subscriber.frames()).toMatchObject([{ seq: 2, order_status: { order_id: '2' } }]);
  });

  it('shows one instant: orders that change, end or appear meanwhile follow in live frames, each once', () => {
    const rig = new Rig();
    const count = 3 * SNAPSHOT_PAGE_ORDERS;
    rig.place(count);
    rig.onParentRead = () => rig.timers.pass(0.25);
    const subscriber = rig.subscribe();
    // The ids are read in the first turn. Orders that are read and orders that are not read yet change.
    for (let turn = 1; rig.timers.turn(); turn += 1) {
      for (const orderId of [turn, count + 1 - turn]) {
        rig.change(orderId, turn % 2 === 0 ? 'CANCELLED' : 'PARTIALLY_FILLED');
      }
      rig.change(count + turn, 'ACCEPTED');
    }
    const frames = subscriber.frames();
    const shown = frames.filter(({ snapshot }) => snapshot);
    expect(idsOf(shown)).toEqual(texts(1, count));
    expect(shown.every(({ seq, order_status: { status } }) => seq === count && status === 'ACCEPTED')).toBe(true);
    const live = frames.slice(count).map(({ seq }) => seq);
    expect(live.length).toBeGreaterThan(2);
    expect(live).toEqual(live.map((_, index) => count + 1 + index));
    expect(live.at(-1)).toBe(rig.reader.feedHead({ account: ACCOUNT, topic: 'order', venue: 'BINANCE' }));
  });

  it('does not send a frame again whose change the snapshot shows', () => {
    const rig = new Rig();
    rig.place(2);
    const subscriber = rig.subscribe();
    // Before the turn in which the instant is taken.
    rig.change(2, 'PARTIALLY_FILLED');
    rig.timers.settle();
    rig.change(1, 'CANCELLED');
    expect(subscriber.frames()).toMatchObject([
      { seq: 3, snapshot: true, order_status: { order_id: '1', status: 'ACCEPTED' } },
      { seq: 3, snapshot: true, order_status: { order_id: '2', status: 'PARTIALLY_FILLED' } },
      { seq: 4, order_status: { order_id: '1', status: 'CANCELLED' } },
    ]);
  });

  it('reads a page in a turn at most, and never longer than the time of a turn', () => {
    const rig = new Rig();
    const orderMs = 0.25;
    rig.place(SNAPSHOT_INDEX_KEYS + 1);
    rig.onParentRead = () => rig.timers.pass(orderMs);
    const subscriber = rig.subscribe();
    for (;;) {
      const beganMs = rig.timers.nowMs();
      if (!rig.timers.turn()) break;
      expect(rig.timers.nowMs() - beganMs).toBeLessThanOrEqual(REPLAY_TURN_MS_MAX + orderMs);
    }
    expect(idsOf(subscriber.frames())).toEqual(texts(1, SNAPSHOT_INDEX_KEYS + 1));
  });

  it('waits for a slow socket with a page at most, holds no version of the store, and loses nothing', () => {
    const rig = new Rig();
    const count = 10 * SNAPSHOT_PAGE_ORDERS;
    rig.place(count);
    let readCount = 0;
    rig.onParentRead = () => (readCount += 1);
    const subscriber = rig.subscribe(SMALL_ROOM);
    while (rig.timers.turn()) subscriber.outbox.flush();
    // A page, or what the outbox keeps before it writes to the socket.
    expect(readCount).toBeLessThan(2 * SNAPSHOT_PAGE_ORDERS);
    expect(rig.reader.heldCount).toBe(0);
    rig.change(1, 'CANCELLED');
    for (let rounds = 0; rounds < 10_000 && subscriber.frames().length < count + 1; rounds += 1) {
      subscriber.drain(SMALL_ROOM);
      while (rig.timers.turn()) subscriber.outbox.flush();
    }
    expect([subscriber.isOverflown, subscriber.isLost]).toEqual([false, false]);
    const frames = subscriber.frames();
    expect(idsOf(frames)).toEqual([...texts(1, count), '1']);
    expect(frames.map(({ snapshot_end: end }) => end === true).indexOf(true)).toBe(count - 1);
  });

  it('shares a bounded number of versions of the store among all subscriptions', () => {
    const rig = new Rig();
    rig.place(3 * SNAPSHOT_INDEX_KEYS, 'OKX');
    rig.change(1, 'ACCEPTED');
    const subscribers = Array.from({ length: 3 * SNAPSHOT_READINGS_MAX }, () => rig.subscribe());
    rig.timers.settle();
    for (const subscriber of subscribers) expect(idsOf(subscriber.frames())).toEqual(['1']);
    expect(rig.reader.heldMost).toBeLessThanOrEqual(SNAPSHOT_READINGS_MAX);
    expect(rig.readings.count).toBe(0);
  });

  it('releases its version of the store when it ends early', () => {
    const rig = new Rig();
    rig.place(3 * SNAPSHOT_INDEX_KEYS);
    const subscriber = rig.subscribe();
    subscriber.subscription.step(() => true);
    expect([rig.reader.heldCount, rig.readings.count]).toEqual([1, 1]);
    subscriber.subscription.end();
    expect([rig.reader.heldCount, rig.readings.count]).toEqual([0, 0]);
    rig.timers.settle();
    expect(rig.faults).toEqual([]);
  });
});
