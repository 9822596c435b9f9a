import { isOpenAt } from '../api/stream/account-frame.js';
import type { SnapshotPlace } from '../api/order/order-frame.js';
import type { EventEnvelope, FeedKey } from '../domain/event.js';
import type { OrderId, Seq } from '../domain/ids.js';
import { SNAPSHOT_INDEX_KEYS, SNAPSHOT_READINGS_MAX } from '../domain/limits/clients.js';
import { assert } from '../domain/rejection.js';
import type { StateReader } from '../journal/port.js';

/** The snapshots that read their ids now, in all connections. */
export interface OpenOrderReadings {
  count: number;
}

interface OpenOrdersParts {
  readonly key: FeedKey;
  readonly reader: StateReader;
  readonly readings: OpenOrderReadings;
  /** null: the order is no longer stored. */
  readonly render: (place: SnapshotPlace, envelope: EventEnvelope) => Uint8Array | null;
}

/**
 * The open orders of an account at an exchange, as frames of topic `order`. All of them show one instant, that of an
 * event with number `seq` and of the last frame of the feed before it:
 *
 *     instant ─▶ ids of the open orders, in parts ─▶ last event of each order up to the instant ─▶ frame
 *
 * Only the ids are kept, so a slow socket costs 8 bytes for each order. An order that changes meanwhile is shown as it
 * was, and its later frames follow. The version of the store is held while the ids are read, not while frames are sent.
 */
export class OpenOrders {
  readonly #parts: OpenOrdersParts;
  readonly #orderIds: OrderId[] = [];
  #ids: Iterator<readonly OrderId[]> | null = null;
  #seq: Seq | 0 = 0;
  #head: number | null = null;
  #readCount = 0;
  /** The event of the next frame. It is sent when another one is found, or at the end. */
  #next: EventEnvelope | null = null;

  constructor(parts: OpenOrdersParts) {
    this.#parts = parts;
  }

  /** Number of the last frame of the feed before the instant. */
  get head(): number {
    assert(this.#head !== null, 'the ids are read first');
    return this.#head;
  }

  /**
   * Reads a part of the ids. 'more': call it again. 'known': all ids are read. It waits while SNAPSHOT_READINGS_MAX
   * other snapshots read their ids. The store shows every order that was acknowledged before the subscription.
   */
  readIds(): 'more' | 'known' {
    if (this.#head === null) {
      const { key, reader, readings } = this.#parts;
      if (readings.count >= SNAPSHOT_READINGS_MAX) return 'more';
      const state = reader.renewed();
      this.#head = state.feedHead(key);
      this.#seq = state.lastSeq();
      this.#ids = state.openOrderIds(key.account, SNAPSHOT_INDEX_KEYS)[Symbol.iterator]();
      readings.count += 1;
    }
    const part = this.#ids?.next();
    if (part === undefined || part.done === true) return this.#endReading();
    for (const orderId of part.value) this.#orderIds.push(orderId);
    return part.value.length < SNAPSHOT_INDEX_KEYS ? this.#endReading() : 'more';
  }

  /** Reads one order. Returns the frame that is complete now, or null; 'end' after the last one. */
  read(): Uint8Array | 'end' | null {
    const orderId = this.#orderIds[this.#readCount];
    if (orderId === undefined) {
      const last = this.#take(null);
      return last === null ? 'end' : this.#parts.render(this.#placeOf(true), last);
    }
    this.#readCount += 1;
    const { key, reader } = this.#parts;
    const event = reader.recent().lastEvent(orderId, this.#seq);
    if (event === null || !isOpenAt(event, key.venue)) return null;
    const before = this.#take(event);
    return before === null ? null : this.#parts.render(this.#placeOf(false), before);
  }

  /** Releases the version of the store. */
  close(): void {
    this.#endReading();
  }

  #take(next: EventEnvelope | null): EventEnvelope | null {
    const before = this.#next;
    this.#next = next;
    return before;
  }

  #placeOf(isLast: boolean): SnapshotPlace {
    return { seq: this.head, venue: this.#parts.key.venue, isLast };
  }

  #endReading(): 'known' {
    if (this.#ids !== null) {
      this.#ids.return?.();
      this.#ids = null;
      this.#parts.readings.count -= 1;
    }
    return 'known';
  }
}
