import type { EventEnvelope, UnnumberedEvent } from '../model/event.js';
import type { AccountTopic, FeedMark } from '../model/feed.js';
import type { Venue } from '../model/exchange.js';
import type { AccountId, ChildNumber, ClientOrderId, OrderId, Seq, VenueTradeId } from '../model/ids.js';
import type { InstrumentIndex } from '../model/instrument.js';
import type { MarketObservation } from '../model/market.js';
import type { ParentOrder, ParentState } from '../model/order.js';
import type { EpochMs } from '../model/time.js';

/** A durable event: numbered and synced to the journal. `bytes` is its journal encoding (EventEnvelope). */
export interface NumberedEvent {
  readonly envelope: EventEnvelope;
  readonly bytes: Uint8Array;
  readonly marks: readonly FeedMark[];
}

export type Release = (events: readonly NumberedEvent[]) => void;

/** The shard's side of the journal. */
export interface TurnJournal {
  /**
   * Makes one turn durable, under LMDB's writer lock: numbers the events, appends and syncs them, lets `release` send
   * them out, puts the touched states and all indices, commits. Nothing of the turn may leave the thread before
   * `release` is called; it is called once, unless there are no events, and must not wait.
   * An event's causationSeq may be negative: -k names the event k places before it in the same turn.
   * Throws JournalFailure when the append, the sync or the commit fails: the shard must stop and release nothing more.
   */
  commit(
    events: readonly UnnumberedEvent[],
    touched: readonly ParentState[],
    release?: Release,
  ): readonly NumberedEvent[];
  /** True when this fill is already recorded: fills are idempotent by venue trade id. */
  hasTrade(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): boolean;
  /** State of one order, open or ended; null when there is none. */
  state(orderId: OrderId): ParentState | null;
  /**
   * Every open parent whose slot satisfies the predicate, for recovery. One whose state cannot be read is passed over
   * and reported to `onUnreadable`; without that, the error is thrown.
   */
  openParents(
    ownsSlot: (slot: number) => boolean,
    onUnreadable?: (orderId: OrderId, error: unknown) => void,
  ): Iterable<ParentState>;
}

export class JournalFailure extends Error {
  override readonly name = 'JournalFailure';
}

export interface ClientIdEntry {
  readonly orderId: OrderId;
  readonly requestDigest: string;
}

/** Where a fill is in the journal. */
export interface TradeIndexEntry {
  readonly child: ChildNumber;
  readonly tradeId: VenueTradeId;
  readonly position: number;
}

export interface FeedFrame {
  readonly n: number;
  readonly envelope: EventEnvelope;
}

/** The main thread's side: reads LMDB's memory map and journal segments directly; there is no second copy of the truth. */
export interface StateReader {
  /**
   * What is read after this call includes every turn that was released before it: the call waits for the commit of one
   * that has just been. Returns false when that takes longer than COMMIT_WAIT_MS_MAX, or when another process hides the
   * last commit: what is read may then miss the latest turns.
   */
  refresh(): boolean;
  order(orderId: OrderId): ParentState | null;
  /** Not terminal, by ascending id. */
  openOrders(account: AccountId): ParentState[];
  /**
   * The ids of the open orders of one instant, ascending, so many at a time. A snapshot is held from the second part on
   * until the iteration ends; it must be ended.
   */
  openOrderIds(account: AccountId, partKeys: number): Iterable<readonly OrderId[]>;
  /** Each once, in no order that means anything. */
  accountsWithOpenOrders(): AccountId[];
  byClientOrderId(account: AccountId, clientOrderId: ClientOrderId): ClientIdEntry | null;
  /** Created within [fromMs, toMs], newest first. */
  find(account: AccountId, fromMs: EpochMs, toMs: EpochMs, limit: number): ParentState[];
  /** The ids of these orders alone. */
  findIds(account: AccountId, fromMs: EpochMs, toMs: EpochMs, limit: number): OrderId[];
  /** The fills of an order that come after one in the index, at most `limit`, by child and trade id. */
  tradeIndex(orderId: OrderId, after: TradeIndexEntry | null, limit: number): TradeIndexEntry[];
  /** The event at a position of the journal; null when it is no longer kept. */
  event(position: number): EventEnvelope | null;
  /** How many events of an order have seq > after, counted up to `limit`. */
  eventCount(orderId: OrderId, after: Seq | 0, limit: number): number;
  /** The fills of an order, as ChildFilled envelopes in journal order. */
  trades(orderId: OrderId): EventEnvelope[];
  /** The events of an order with seq > after, in journal order, at most `limit`; by default all. */
  events(orderId: OrderId, after?: Seq | 0, limit?: number): EventEnvelope[];
  /** The order with the terms of a revision before its present one; null when they are no longer kept. */
  formerTerms(orderId: OrderId, revision: number): ParentOrder | null;
  /** Number of the latest frame of a feed; 0 when it has none. */
  feedHead(account: AccountId, topic: AccountTopic, venue: Venue): number;
  /** Number of the oldest frame still kept; head + 1 when none is. */
  feedTail(account: AccountId, topic: AccountTopic, venue: Venue): number;
  /** Frames with number > after, ascending, at most `limit`. */
  feed(account: AccountId, topic: AccountTopic, venue: Venue, after: number, limit: number): FeedFrame[];
  lastSeq(): Seq | 0;
}

/** Tells a shard that starts which markets were observed lately. */
export interface TapePast {
  /** When the instrument was observed last; null when it never was, or nothing of it is kept. */
  lastObservedMs(instrument: InstrumentIndex): EpochMs | null;
}

/** Reads what was seen of markets. */
export interface TapeReader {
  /**
   * The latest observation at or before the first instant, if there is one, and all after it up to the second, in order of
   * time. Lazily: an end of the iteration reads no further.
   */
  tape(instrument: InstrumentIndex, fromMs: EpochMs, toMs: EpochMs): Iterable<MarketObservation>;
}
