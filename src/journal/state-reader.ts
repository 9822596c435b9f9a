import type { Venue } from '../model/exchange.js';
import type { EventEnvelope } from '../model/event.js';
import type { AccountTopic } from '../model/feed.js';
import type { AccountId, ClientOrderId, OrderId, Seq } from '../model/ids.js';
import { COMMIT_WAIT_MS_MAX } from '../model/limits.js';
import type { InstrumentIndex } from '../model/instrument.js';
import type { MarketObservation } from '../model/market.js';
import type { ParentOrder, ParentState } from '../model/order.js';
import type { EpochMs } from '../model/time.js';
import { decodeState } from '../wire/codec/index.js';
import { formerTerms } from './former-terms.js';
import type { ClientIdEntry, FeedFrame, StateReader, TapeReader, TradeIndexEntry } from './port.js';
import { decodeObservation } from './observation-row.js';
import {
  accountKey,
  childTradeOf,
  clientIdKey,
  feedKey,
  firstAccount,
  instrumentKey,
  integersAfter,
  lastInteger,
  observationKey,
  orderKey,
  tradeKey,
} from './row-key.js';
import { decodeClientIdEntry, decodeNumber } from './row-value.js';
import type { SegmentReader } from './segment-reader.js';
import type { SharedJournal } from './shared-journal.js';
import { readHead, type StateTables, type Table } from './state-tables.js';

const INTEGER_MAX = Number.MAX_SAFE_INTEGER;
const LAST_KEY_BYTES = Buffer.alloc(8, 0xff);

/** Reads for a thread with an event loop: one snapshot a turn of the loop, or since the last `refresh`. */
export class TableStateReader implements StateReader, TapeReader {
  readonly #tables: StateTables;
  readonly #table: StateTables['table'];
  readonly #entries: SegmentReader;
  readonly #shared: SharedJournal;

  constructor(tables: StateTables, entries: SegmentReader, shared: SharedJournal) {
    this.#tables = tables;
    this.#table = tables.table;
    this.#entries = entries;
    this.#shared = shared;
  }

  refresh(): boolean {
    const isComplete = this.#shared.awaitCommit(COMMIT_WAIT_MS_MAX);
    const { committed } = this.#shared.progress;
    this.#tables.root.resetReadTxn();
    // Another process that opens the state can hide the last commit for a moment (adr/0043).
    return isComplete && (readHead(this.#tables)?.lastSeq ?? 0) >= committed;
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
    // From the first order of one account to that of the next, past all others.
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
    return this.#entries.read(position);
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
    return formerTerms(this.#table.by_order, (position) => this.#entries.read(position), orderId, revision);
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
      const envelope = this.#entries.read(decodeNumber(value));
      return envelope === null ? [] : { n: lastInteger(key), envelope };
    });
  }

  *tape(instrument: InstrumentIndex, fromMs: EpochMs, toMs: EpochMs): Iterable<MarketObservation> {
    const { tape } = this.#table;
    const range = integersAfter(instrumentKey(instrument), 0, toMs);
    const at = observationKey(instrument, fromMs);
    const [before] = tape.getKeys({ start: at, end: range.start, inclusiveEnd: true, reverse: true, limit: 1 });
    for (const row of tape.getRange({ start: before ?? at, end: range.end })) yield decodeObservation(row);
  }

  lastSeq(): Seq | 0 {
    return readHead(this.#tables)?.lastSeq ?? 0;
  }

  #states(keys: readonly Buffer[]): ParentState[] {
    return keys.flatMap((key) => this.order(lastInteger(key) as OrderId) ?? []);
  }

  #read(positions: readonly number[]): EventEnvelope[] {
    return positions.flatMap((position) => this.#entries.read(position) ?? []);
  }
}

function keysAfter(table: Table, prefix: Buffer): Buffer[] {
  return [...table.getKeys({ start: prefix, end: Buffer.concat([prefix, LAST_KEY_BYTES]) })];
}

/** The values of the rows whose key begins with the prefix, in key order. */
function numbersIn(table: Table, prefix: Buffer): number[] {
  const rows = table.getRange({ start: prefix, end: Buffer.concat([prefix, LAST_KEY_BYTES]) });
  return [...rows].map(({ value }) => decodeNumber(value));
}
