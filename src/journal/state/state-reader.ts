import type { EventEnvelope, FeedKey } from '../../domain/event.js';
import type { AccountId, ClientOrderId, OrderId, Seq } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import { COMMIT_WAIT_MS_MAX, OPEN_ORDER_KEYS } from '../../domain/limits/process.js';
import type { MarketObservation } from '../../domain/market.js';
import type { ParentOrder } from '../../domain/order.js';
import type { ParentState } from '../../domain/order-state.js';
import type { EpochMs } from '../../domain/time.js';
import type {
  ClientIdEntry,
  FeedFrame,
  ReadProgress,
  StateReader,
  StateSnapshot,
  QuoteHistoryReader,
  TradeIndexEntry,
} from '../port.js';
import type { SegmentReader } from '../segment-reader.js';
import type { SharedJournal } from '../shared-journal.js';
import { decodeEvent } from '../../wire/codec/envelope.js';
import { framesOf } from './feed-rows.js';
import { type EventPlace, eventPlaces, lastPlace, stateIn } from './order-row.js';
import {
  accountKey,
  childTradeOf,
  clientIdKey,
  decodeClientIdEntry,
  decodeNumber,
  decodeObservation,
  feedKey,
  firstAccount,
  instrumentKey,
  integersAfter,
  lastInteger,
  observationKey,
  orderKey,
  positionKey,
  tradeKey,
} from './rows.js';
import { readHead, readRetired, type StateTables, type Table } from './state-tables.js';

const LAST_KEY_BYTES = Buffer.alloc(8, 0xff);

/**
 * Reads for a thread with an event loop. LMDB keeps one read transaction for each thread. lmdb-js renews it with each
 * turn of the loop; `complete` and `latest` renew it at once. So all snapshots are one object.
 */
export class TableStateReader implements StateReader<TableSnapshot> {
  readonly #tables: StateTables;
  readonly #shared: SharedJournal;
  readonly #snapshot: TableSnapshot;

  constructor(tables: StateTables, entries: SegmentReader, shared: SharedJournal) {
    this.#tables = tables;
    this.#shared = shared;
    this.#snapshot = new TableSnapshot(tables, entries);
  }

  complete(waitMs = COMMIT_WAIT_MS_MAX, throughSeq = this.#shared.durableSeq): TableSnapshot | null {
    return this.#renew(waitMs, throughSeq) ? this.#snapshot : null;
  }

  latest(): TableSnapshot {
    this.#renew(COMMIT_WAIT_MS_MAX, this.#shared.durableSeq);
    return this.#snapshot;
  }

  recent(): TableSnapshot {
    return this.#snapshot;
  }

  get durableSeq(): number {
    return this.#shared.durableSeq;
  }

  renewed(): TableSnapshot {
    this.#tables.root.resetReadTxn();
    return this.#snapshot;
  }

  progress(): ReadProgress {
    const { durableSeq } = this.#shared;
    return { shownSeq: this.renewed().lastSeq(), durableSeq };
  }

  /** Returns false when the new snapshot may miss an event up to this one. */
  #renew(waitMs: number, throughSeq: number): boolean {
    const isProjected = this.#shared.awaitProjected(throughSeq, waitMs);
    this.#tables.root.resetReadTxn();
    // A command of an earlier release opens the state itself, and can hide the last commit for a moment (adr/0095).
    return isProjected && this.#snapshot.lastSeq() >= throughSeq;
  }
}

export class TableSnapshot implements StateSnapshot, QuoteHistoryReader {
  readonly #tables: StateTables;
  readonly #table: StateTables['table'];
  readonly #entries: SegmentReader;

  constructor(tables: StateTables, entries: SegmentReader) {
    this.#tables = tables;
    this.#table = tables.table;
    this.#entries = entries;
  }

  order(orderId: OrderId): ParentState | null {
    const bytes = this.#table.orders.get(orderKey(orderId));
    return bytes === undefined ? null : stateIn(bytes);
  }

  *openOrders(account: AccountId): Iterable<ParentState> {
    for (const part of this.openOrderIds(account, OPEN_ORDER_KEYS)) {
      for (const orderId of part) {
        const state = this.#readable(orderId);
        if (state !== null) yield state;
      }
    }
  }

  *openOrderIds(account: AccountId, partKeys: number): Iterable<readonly OrderId[]> {
    const end = Buffer.concat([accountKey(account), LAST_KEY_BYTES]);
    const transaction = this.#tables.root.useReadTransaction();
    try {
      let start = accountKey(account);
      for (;;) {
        const keys = [...this.#table.open.getKeys({ start, end, exclusiveStart: true, limit: partKeys, transaction })];
        yield keys.map((key) => lastInteger(key) as OrderId);
        const last = keys.at(-1);
        if (last === undefined || keys.length < partKeys) return;
        start = last;
      }
    } finally {
      transaction.done();
    }
  }

  accountsWithOpenOrders(): AccountId[] {
    const accounts: AccountId[] = [];
    let start = Buffer.alloc(0);
    // Jumps from the first order of each account to the next account.
    for (;;) {
      const [key] = this.#table.open.getKeys({ start, limit: 1 });
      if (key === undefined) return accounts;
      const account = firstAccount(key);
      accounts.push(account);
      start = Buffer.concat([accountKey(account), LAST_KEY_BYTES]);
    }
  }

  byClientOrderId(account: AccountId, clientOrderId: ClientOrderId): ClientIdEntry | null {
    const bytes = this.#table.by_client_id.get(clientIdKey(account, clientOrderId));
    return bytes === undefined ? null : decodeClientIdEntry(bytes);
  }

  find(account: AccountId, fromMs: EpochMs, toMs: EpochMs, limit: number): ParentState[] {
    return this.findIds(account, fromMs, toMs, limit).flatMap((orderId) => this.order(orderId) ?? []);
  }

  findIds(account: AccountId, fromMs: EpochMs, toMs: EpochMs, limit: number): OrderId[] {
    const range = integersAfter(accountKey(account), fromMs, toMs);
    const newestFirst = { start: range.end, end: range.start, reverse: true, limit };
    const keys = [...this.#table.open.getKeys(newestFirst), ...this.#table.ended.getKeys(newestFirst)];
    const newest = keys.sort((one, other) => Buffer.compare(other, one)).slice(0, limit);
    return newest.map((key) => lastInteger(key) as OrderId);
  }

  tradeIndex(orderId: OrderId, after: TradeIndexEntry | null, limit: number): TradeIndexEntry[] {
    const start = after === null ? orderKey(orderId) : tradeKey(orderId, after.child, after.tradeId);
    const end = Buffer.concat([orderKey(orderId), LAST_KEY_BYTES]);
    const rows = this.#table.trades.getRange({ start, end, exclusiveStart: true, limit });
    return [...rows].map(({ key, value }) => ({ ...childTradeOf(key), position: decodeNumber(value) }));
  }

  event(position: number): EventEnvelope | null {
    return this.#entries.read(position) ?? this.#carried(position);
  }

  eventCount(orderId: OrderId, after: Seq | 0, limit: number): number {
    return eventPlaces(this.#tables, orderId, { after, limit }).length;
  }

  trades(orderId: OrderId): EventEnvelope[] {
    const positions = numbersIn(this.#table.trades, orderKey(orderId)).sort((a, b) => a - b);
    return this.#read(positions);
  }

  events(orderId: OrderId, after: Seq | 0 = 0, limit = Infinity): EventEnvelope[] {
    return this.#read(eventPlaces(this.#tables, orderId, { after, limit }).map(({ position }) => position));
  }

  lastEvent(orderId: OrderId, through: Seq | 0): EventEnvelope | null {
    const place = lastPlace(this.#tables, orderId, through);
    return place === null ? null : this.event(place.position);
  }

  formerTerms(orderId: OrderId, revision: number): ParentOrder | null {
    return formerTerms(eventPlaces(this.#tables, orderId), (position) => this.event(position), revision);
  }

  feedHead({ account, topic, venue }: FeedKey): number {
    const bytes = this.#table.feed_heads.get(feedKey(account, topic, venue));
    return bytes === undefined ? 0 : decodeNumber(bytes);
  }

  feedTail(feed: FeedKey): number {
    const { account, topic, venue } = feed;
    const { position } = readRetired(this.#tables);
    for (const frame of framesOf(this.#tables, feedKey(account, topic, venue), 1)) {
      if (frame.position >= position) return frame.n;
    }
    return this.feedHead(feed) + 1;
  }

  feed({ account, topic, venue }: FeedKey, after: number, limit: number): FeedFrame[] {
    const frames: FeedFrame[] = [];
    let count = 0;
    for (const { n, position } of framesOf(this.#tables, feedKey(account, topic, venue), after + 1)) {
      if (count++ >= limit) break;
      // Carried entries are of an order's history. A frame is gone with its segment.
      const envelope = this.#entries.read(position);
      if (envelope !== null) frames.push({ n, envelope });
    }
    return frames;
  }

  *quoteHistory(instrument: InstrumentIndex, fromMs: EpochMs, toMs: EpochMs): Iterable<MarketObservation> {
    const { quotes } = this.#table;
    const range = integersAfter(instrumentKey(instrument), 0, toMs);
    const at = observationKey(instrument, fromMs);
    const [before] = quotes.getKeys({ start: at, end: range.start, inclusiveEnd: true, reverse: true, limit: 1 });
    for (const row of quotes.getRange({ start: before ?? at, end: range.end })) yield decodeObservation(row);
  }

  lastSeq(): Seq | 0 {
    return readHead(this.#tables)?.lastSeq ?? 0;
  }

  #readable(orderId: OrderId): ParentState | null {
    try {
      return this.order(orderId);
    } catch {
      return null;
    }
  }

  #read(positions: readonly number[]): EventEnvelope[] {
    return positions.flatMap((position) => this.event(position) ?? []);
  }

  /** An event whose segment was removed while its order remains. */
  #carried(position: number): EventEnvelope | null {
    const bytes = this.#table.carried.get(positionKey(position));
    return bytes === undefined ? null : decodeEvent(bytes);
  }
}

/** Values of the rows with the key prefix, in key order. */
function numbersIn(table: Table, prefix: Buffer): number[] {
  const rows = table.getRange({ start: prefix, end: Buffer.concat([prefix, LAST_KEY_BYTES]) });
  return [...rows].map(({ value }) => decodeNumber(value));
}

/**
 * Returns an order with the terms of an earlier revision. Returns null when retention has removed the event that set
 * them. `places`: all events of the order.
 *
 * Every event states the revision after it, and revisions only grow. So a bisection finds the event that set a
 * revision. It reads about 15 events of an order with 10,000 events.
 */
function formerTerms(
  places: readonly EventPlace[],
  read: (position: number) => EventEnvelope | null,
  revision: number,
): ParentOrder | null {
  // Events before `low` have a smaller revision, or were removed. `high` has the wanted revision or a later one.
  let [low, high] = [0, places.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    const parent = read(places[middle]!.position)?.parent ?? null;
    if (parent !== null && parent.revision >= revision) high = middle;
    else low = middle + 1;
  }
  const place = places[high];
  const event = place === undefined ? null : read(place.position)?.event;
  const order = event?.kind === 'ParentCreated' || event?.kind === 'ParentAmended' ? event.order : null;
  return order?.revision === revision ? order : null;
}
