import { OPEN_LIST_AGAIN_MS_MAX, OPEN_LIST_AGAIN_MS_MIN } from '../../domain/limits/live.js';
import type { EpochMs } from '../../domain/time.js';
import type { ChildRecord, ChildRecords } from './child-record.js';
import type { OpenOrder, OrderClient } from './exchange-client.js';
import { doubledMs } from './waits.js';

interface CatchUpParts {
  readonly client: Pick<OrderClient, 'openOrders'>;
  readonly records: Pick<ChildRecords, 'live'>;
  /** Takes what the list shows of an open order, and returns its record. */
  readonly onListed: (open: OpenOrder) => ChildRecord;
  readonly lookUpNow: (record: ChildRecord, nowMs: EpochMs) => void;
  /** All that has happened before the subscription is known. */
  readonly onDone: (nowMs: EpochMs) => void;
}

/**
 * Finds out after a subscription what the account has missed: lists the open orders, then has every child looked up
 * that the list lacks.
 */
export class CatchUp {
  readonly #parts: CatchUpParts;
  /** Children that must be looked up before it is done; null: none is under way. */
  #missing: Set<ChildRecord> | null = null;
  /** When they were asked for. */
  #missingSinceMs = -Infinity;
  #listAgainMs = Infinity;
  /** Lists of open orders that failed in a row, also over several connections. */
  #listFailures = 0;
  /** Number of the connection. Answers to an earlier one are late. */
  #connection = 0;

  constructor(parts: CatchUpParts) {
    this.#parts = parts;
  }

  get nextWakeMs(): number {
    return this.#listAgainMs;
  }

  /** The private stream is subscribed. */
  begin(): void {
    this.end();
    this.#list();
  }

  /** The private stream is cut. */
  end(): void {
    this.#connection += 1;
    this.#missing = null;
    this.#listAgainMs = Infinity;
  }

  advance(nowMs: EpochMs): void {
    if (this.#listAgainMs <= nowMs) this.#list();
  }

  /** Fills of the child are missing. A new process may see a child for the first time after the list. */
  need(record: ChildRecord): void {
    this.#missing?.add(record);
  }

  /** True when a look of that time shows nothing of the time of the cut, and the child is waited for. */
  isTooEarly(record: ChildRecord | null, lookedAtMs: EpochMs): boolean {
    return record !== null && lookedAtMs < this.#missingSinceMs && this.#missing?.has(record) === true;
  }

  /** The child is waited for no longer. null: an unknown one. */
  settled(record: ChildRecord | null, nowMs: EpochMs): void {
    if (this.#missing === null) return;
    if (record !== null) this.#missing.delete(record);
    this.#finish(nowMs);
  }

  #list(): void {
    this.#listAgainMs = Infinity;
    const connection = this.#connection;
    const { client, records } = this.#parts;
    // An order that is placed or ends during the request may be missing from the list, or wrongly in it.
    const before = records.live();
    client.openOrders((orders, answeredAtMs) => {
      if (connection !== this.#connection) return;
      if (orders !== null) {
        this.#listFailures = 0;
        return this.#take(before, orders, answeredAtMs);
      }
      const waitMs = doubledMs(OPEN_LIST_AGAIN_MS_MIN, this.#listFailures, OPEN_LIST_AGAIN_MS_MAX);
      this.#listFailures += 1;
      this.#listAgainMs = answeredAtMs + waitMs;
    });
  }

  #take(before: readonly ChildRecord[], orders: readonly OpenOrder[], nowMs: EpochMs): void {
    const { records, onListed, lookUpNow } = this.#parts;
    const listed = new Set<ChildRecord>();
    for (const open of orders) {
      const record = onListed(open);
      // A list that is ahead of the fills needs a look-up. One that is behind needs none: the updates are newer.
      if (open.order.filled <= record.filled) listed.add(record);
    }
    const missing = records.live().filter((record) => !listed.has(record));
    const asked = new Set(missing.filter((record) => before.includes(record) || record.venueOrderId !== null));
    // A child that waits for an operator delays no connection.
    this.#missing = new Set([...asked].filter(({ isDenied }) => !isDenied));
    this.#missingSinceMs = nowMs;
    for (const record of asked) lookUpNow(record, nowMs);
    this.#finish(nowMs);
  }

  #finish(nowMs: EpochMs): void {
    if (this.#missing === null || this.#missing.size > 0) return;
    this.#missing = null;
    this.#parts.onDone(nowMs);
  }
}
