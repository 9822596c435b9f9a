import { type AccountTopic, type EventEnvelope, type FeedMark, isOrderEvent } from '../../domain/event.js';
import type { Venue } from '../../domain/exchange.js';
import type { AccountId } from '../../domain/ids.js';
import { isTerminal, type ParentOrder } from '../../domain/order.js';
import { type ParentState } from '../../domain/order-state.js';
import { encodeState } from '../../wire/codec/state.js';
import { markOf, unnumberedMarks } from '../turn/turn-record.js';
import {
  accountOrderKey,
  accountTimeKey,
  clientIdKey,
  decodeNumber,
  encodeClientIdEntry,
  encodeNumber,
  encodeObservation,
  feedFrameKey,
  feedKey,
  observationKey,
  orderKey,
  orderSeqKey,
  PRESENT,
  tradeKey,
} from './rows.js';
import type { StateTables, Table } from './state-tables.js';

/** An event and the position of its journal entry. */
export interface PlacedEvent {
  readonly envelope: EventEnvelope;
  readonly marks: readonly FeedMark[];
  readonly position: number;
}

/** A state with the bytes of its order. */
export interface FoldedState {
  readonly state: ParentState;
  /** null: the order has new terms, and must be encoded. */
  readonly encodedOrder: Uint8Array | null;
}

/** Puts events and the states after them into the tables. Call in a transaction. */
export function project(tables: StateTables, events: readonly PlacedEvent[], states: Iterable<FoldedState>): void {
  for (const event of events) putEvent(tables, event);
  for (const state of states) putState(tables, state);
}

function putEvent({ table }: StateTables, { envelope, marks, position }: PlacedEvent): void {
  const { event, orderId, account, venue, seq } = envelope;
  const place = encodeNumber(position);
  for (const { topic, n, venue: elsewhere } of marks) {
    table.feed.putSync(feedFrameKey(account, topic, elsewhere ?? venue, n), place);
  }
  if (event.kind === 'MarketObserved') {
    table.quotes.putSync(observationKey(event.instrument, envelope.eventAtMs), encodeObservation(event, position));
  }
  // A balance names the order that caused it, but it is no event of that order.
  if (orderId === null || !isOrderEvent(event)) return;
  table.by_order.putSync(orderSeqKey(orderId, seq), place);
  if (event.kind === 'ParentCreated') putIndices({ table }, event.order);
  if (event.kind === 'ChildFilled') table.trades.putSync(tradeKey(orderId, event.child, event.fill.tradeId), place);
}

function putIndices({ table }: Pick<StateTables, 'table'>, order: ParentOrder): void {
  const { account, orderId, clientOrderId, createdAtMs, requestDigest } = order;
  table.open.putSync(accountOrderKey(account, orderId), PRESENT);
  table.by_time.putSync(accountTimeKey(account, createdAtMs, orderId), PRESENT);
  if (clientOrderId === null) return;
  table.by_client_id.putSync(clientIdKey(account, clientOrderId), encodeClientIdEntry({ orderId, requestDigest }));
}

function putState({ table }: StateTables, { state, encodedOrder }: FoldedState): void {
  const { orderId, account } = state.order;
  table.orders.putSync(orderKey(orderId), encodeState(state, encodedOrder) as Buffer);
  if (isTerminal(state.status)) table.open.removeSync(accountOrderKey(account, orderId));
}

interface FeedHead {
  readonly key: Buffer;
  n: number;
}

/**
 * Numbers the frames of one transaction. Feeds have no gap, because the transaction reads and writes
 * their heads.
 */
export class FeedNumbering {
  readonly #table: Table;
  readonly #heads = new Map<string, FeedHead>();

  constructor(feedHeads: Table) {
    this.#table = feedHeads;
  }

  /** Numbers the frames of the next event in the same order as the journal thread. */
  marks(envelope: EventEnvelope): FeedMark[] {
    return unnumberedMarks(envelope).map((mark) => markOf(mark, this.#next(envelope.account, mark.topic, mark.venue)));
  }

  putHeads(): void {
    for (const { key, n } of this.#heads.values()) this.#table.putSync(key, encodeNumber(n));
  }

  #next(account: AccountId, topic: AccountTopic, venue: Venue): number {
    return ++this.#head(account, topic, venue).n;
  }

  #head(account: AccountId, topic: AccountTopic, venue: Venue): FeedHead {
    const name = `${topic} ${venue} ${account}`;
    const known = this.#heads.get(name);
    if (known !== undefined) return known;
    const key = feedKey(account, topic, venue);
    const stored = this.#table.get(key);
    const head = { key, n: stored === undefined ? 0 : decodeNumber(stored) };
    this.#heads.set(name, head);
    return head;
  }
}
