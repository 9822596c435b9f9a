import type { AccountTopic, EventEnvelope } from '../../domain/event.js';
import type { Venue } from '../../domain/exchange.js';
import type { AccountId, ClientOrderId, OrderId, Seq } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import { COMMIT_WAIT_MS_MAX } from '../../domain/limits/process.js';
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
import { decodeState } from '../../wire/codec/state.js';
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
import { readHead, type StateTables, type Table } from './state-tables.js';

const INTEGER_MAX = Number.MAX_SAFE_INTEGER;
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

  complete(): TableSnapshot | null {
    return this.#renew() ? this.#snapshot : null;
  }

  latest(): TableSnapshot {
    this.#renew();
    return this.#snapshot;
  }

  recent(): TableSnapshot {
    return this.#snapshot;
  }

  progress(): ReadProgress {
    const { durableSeq } = this.#shared;
    this.#tables.root.resetReadTxn();
    return { shownSeq: this.#snapshot.lastSeq(), durableSeq };
  }

  /** Returns false when the new snapshot may miss an acknowledged turn. */
  #renew(): boolean {
    const { durableSeq } = this.#shared;
    const isProjected = this.#shared.awaitProjected(durableSeq, COMMIT_WAIT_MS_MAX);
    this.#tables.root.resetReadTxn();
    // Another process that opens the state can hide the last commit for a moment (adr/0043).
    return isProjected && this.#snapshot.lastSeq() >= durableSeq;
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
    return bytes === undefined ? null : decodeState(bytes);
  }

  openOrders(account: AccountId): ParentState[] {
    return this.#states(keysAfter(this.#table.open, accountKey(account)));
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
    return [...this.#table.by_time.getKeys(newestFirst)].map((key) => lastInteger(key) as OrderId);
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
    const range = integersAfter(orderKey(orderId), after + 1, INTEGER_MAX - 1);
    return [...this.#table.by_order.getKeys({ ...range, limit })].length;
  }

  trades(orderId: OrderId): EventEnvelope[] {
    const positions = numbersIn(this.#table.trades, orderKey(orderId)).sort((a, b) => a - b);
    return this.#read(positions);
  }

  events(orderId: OrderId, after: Seq | 0 = 0, limit = Infinity): EventEnvelope[] {
    const range = integersAfter(orderKey(orderId), after + 1, INTEGER_MAX - 1);
    const rows = this.#table.by_order.getRange(limit === Infinity ? range : { ...range, limit });
    return this.#read([...rows].map(({ value }) => decodeNumber(value)));
  }

  formerTerms(orderId: OrderId, revision: number): ParentOrder | null {
    return formerTerms(this.#table.by_order, (position) => this.event(position), orderId, revision);
  }

  feedHead(account: AccountId, topic: AccountTopic, venue: Venue): number {
    const bytes = this.#table.feed_heads.get(feedKey(account, topic, venue));
    return bytes === undefined ? 0 : decodeNumber(bytes);
  }

  feedTail(account: AccountId, topic: AccountTopic, venue: Venue): number {
    const range = integersAfter(feedKey(account, topic, venue), 1, INTEGER_MAX - 1);
    const [first] = this.#table.feed.getKeys({ ...range, limit: 1 });
    return first === undefined ? this.feedHead(account, topic, venue) + 1 : lastInteger(first);
  }

  feed(account: AccountId, topic: AccountTopic, venue: Venue, after: number, limit: number): FeedFrame[] {
    const range = integersAfter(feedKey(account, topic, venue), after + 1, INTEGER_MAX - 1);
    return [...this.#table.feed.getRange({ ...range, limit })].flatMap(({ key, value }) => {
      // Carried entries are of an order's history. A frame is gone with its segment.
      const envelope = this.#entries.read(decodeNumber(value));
      return envelope === null ? [] : { n: lastInteger(key), envelope };
    });
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

  #states(keys: readonly Buffer[]): ParentState[] {
    return keys.flatMap((key) => this.order(lastInteger(key) as OrderId) ?? []);
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

function keysAfter(table: Table, prefix: Buffer): Buffer[] {
  return [...table.getKeys({ start: prefix, end: Buffer.concat([prefix, LAST_KEY_BYTES]) })];
}

/** Values of the rows with the key prefix, in key order. */
function numbersIn(table: Table, prefix: Buffer): number[] {
  const rows = table.getRange({ start: prefix, end: Buffer.concat([prefix, LAST_KEY_BYTES]) });
  return [...rows].map(({ value }) => decodeNumber(value));
}

/** One event of an order in the index. */
interface IndexedEvent {
  readonly seq: number;
  readonly position: number;
}

/**
 * Returns an order with the terms of an earlier revision. Returns null when retention has removed the event that set
 * them.
 *
 * Every event states the revision after it, and revisions only grow. So a bisection finds the event that set a
 * revision. It reads about 15 events of an order with 10,000 events.
 */
function formerTerms(
  byOrder: Table,
  read: (position: number) => EventEnvelope | null,
  orderId: OrderId,
  revision: number,
): ParentOrder | null {
  let found = lastEvent(byOrder, orderId, 0, Number.MAX_SAFE_INTEGER - 1);
  if (found === null) return null;
  // Events up to `low` have a smaller revision, or were removed. `found` has the wanted revision or a later one.
  let low = 0;
  while (found.seq - low > 1) {
    const middle = low + Math.floor((found.seq - low) / 2);
    const event = lastEvent(byOrder, orderId, low, middle);
    const parent = event === null ? null : (read(event.position)?.parent ?? null);
    if (event !== null && parent !== null && parent.revision >= revision) found = event;
    else low = middle;
  }
  const event = read(found.position)?.event;
  const order = event?.kind === 'ParentCreated' || event?.kind === 'ParentAmended' ? event.order : null;
  return order?.revision === revision ? order : null;
}

/** The latest event of the order with after < seq <= upTo. */
function lastEvent(byOrder: Table, orderId: OrderId, after: number, upTo: number): IndexedEvent | null {
  const { start, end } = integersAfter(orderKey(orderId), after + 1, upTo);
  // A reverse range begins at its upper bound. `end` is one past it.
  const [row] = byOrder.getRange({
    start: end,
    end: start,
    inclusiveEnd: true,
    exclusiveStart: true,
    reverse: true,
    limit: 1,
  });
  return row === undefined ? null : { seq: lastInteger(row.key), position: decodeNumber(row.value) };
}
