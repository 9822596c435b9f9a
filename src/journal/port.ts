import type { EventEnvelope, FeedKey, FeedMark, UnnumberedEvent } from '../domain/event.js';
import type { AccountId, ChildNumber, ClientOrderId, OrderId, Seq, VenueTradeId } from '../domain/ids.js';
import type { InstrumentIndex } from '../domain/instrument.js';
import type { MarketObservation } from '../domain/market.js';
import type { ParentState } from '../domain/order-state.js';
import type { ParentOrder } from '../domain/order.js';
import type { EpochMs } from '../domain/time.js';

/** A durable event: numbered and synced to the journal. `bytes` are its journal encoding (EventEnvelope). */
export interface NumberedEvent {
  readonly envelope: EventEnvelope;
  readonly bytes: Uint8Array;
  readonly marks: readonly FeedMark[];
}

export type Release = (events: readonly NumberedEvent[]) => void;

/** The journal as a shard uses it. */
export interface TurnJournal {
  /**
   * Appends one turn. Calls `release` with its numbered events when they are durable, in the order of the turns: within
   * this call, or within a later call of `releaseDurable`. Nothing of the turn may leave the thread before. A turn
   * without events waits for the turns before it. `touched` are the states after the turn of all orders with an event.
   * A negative causationSeq of -k names the event k places earlier in the same turn. `isAwaited`: something waits for
   * the turn, so it goes to the disk at once. Another turn goes with the next write, at the latest after QUIET_TURN_MS.
   * Default: true. Throws JournalFailure when the journal has failed. The shard must then stop and release nothing
   * more.
   */
  commit(
    events: readonly UnnumberedEvent[],
    touched: readonly ParentState[],
    release: Release,
    isAwaited?: boolean,
  ): void;
  /** Releases the turns that have become durable. Throws JournalFailure when the journal has failed. */
  releaseDurable(): void;
  /** `openParents` contains the orders up to this event. Later ones arrive as commands. */
  readonly openSeq: number;
  /** Turns that are not released yet. */
  readonly waitingCount: number;
  /** True when so much waits for the disk, or for LMDB, that the shard should take no new commands. */
  readonly isFull: boolean;
  /** True when this fill is already recorded. Fills are idempotent by venue trade id. */
  hasTrade(orderId: OrderId, child: ChildNumber, tradeId: VenueTradeId): boolean;
  /**
   * State of an ended order. The stored one of an open order may lack recent turns: the shard has its present one.
   * Returns null for an unknown order.
   */
  state(orderId: OrderId): ParentState | null;
  /**
   * Every open parent whose slot satisfies the predicate, for recovery. A parent with an unreadable state is skipped
   * and reported to `onUnreadable`. Without that argument the error is thrown.
   */
  openParents(
    ownsSlot: (slot: number) => boolean,
    onUnreadable?: (orderId: OrderId, error: unknown) => void,
  ): Iterable<ParentState>;
}

/** The journal as the main thread uses it: it makes creates durable. */
export interface CreateJournal {
  /** The bytes of the event in the journal, without its number. Throws CodecError for text that is no Unicode. */
  encode(event: UnnumberedEvent): Uint8Array;
  /**
   * Appends an encoded event. Calls `release` when it is durable, within a later call of `releaseDurable`. Never waits:
   * returns false, and does nothing, when too much waits for the disk or for LMDB.
   */
  append(event: UnnumberedEvent, encoded: Uint8Array, release: (event: NumberedEvent) => void): boolean;
  /** Releases the events that have become durable, in their order. */
  releaseDurable(): void;
}

export class JournalFailure extends Error {
  override readonly name = 'JournalFailure';
}

export interface ClientIdEntry {
  readonly orderId: OrderId;
  readonly requestDigest: string;
}

/** Position of a fill in the journal. */
export interface TradeIndexEntry {
  readonly child: ChildNumber;
  readonly tradeId: VenueTradeId;
  readonly position: number;
}

export interface FeedFrame {
  readonly n: number;
  readonly envelope: EventEnvelope;
}

/**
 * Returns read snapshots of the state. A snapshot is valid in the present turn of the event loop: take another one
 * after each wait. The first three methods differ in the turns that a snapshot may miss. None allocates.
 */
export interface StateReader<Snapshot = StateSnapshot> {
  /**
   * Returns a snapshot with every event up to `throughSeq`, by default every turn that was acknowledged before the
   * call. Blocks the thread up to `waitMs` for a commit in progress, by default COMMIT_WAIT_MS_MAX. Returns null when
   * the commit takes longer, or when the snapshot lacks it. An acknowledged order may then be missing, so the caller
   * answers SYSTEM_BUSY or tries again.
   */
  complete(waitMs?: number, throughSeq?: number): Snapshot | null;
  /**
   * Waits like `complete`, but then returns a snapshot that may miss the latest turns. For callers that read again
   * later.
   */
  latest(): Snapshot;
  /** Returns the latest snapshot of this turn of the event loop. Costs nothing, and may miss later turns. */
  recent(): Snapshot;
  /** The latest durable event now. The snapshot may miss it. */
  readonly durableSeq: number;
  /** Renews the snapshot without a wait. It may miss the latest turns. */
  renewed(): Snapshot;
  /** Renews the snapshot without a wait. Returns the latest event in it, and the latest durable event. */
  progress(): ReadProgress;
}

/** What a snapshot contains. */
export interface ReadProgress {
  /** The latest event in the snapshot. */
  readonly shownSeq: number;
  /** The latest durable event. */
  readonly durableSeq: number;
}

/** The state after one commit. Reads LMDB's memory map and the journal's segments without a copy. */
export interface StateSnapshot {
  order(orderId: OrderId): ParentState | null;
  /**
   * Orders that have not ended, by ascending id, one at a time. Skips an order whose state is unreadable: its shard
   * quarantines it.
   */
  openOrders(account: AccountId): Iterable<ParentState>;
  /**
   * Ids of the open orders, ascending, at most `partKeys` in each part. All parts are of one instant, also across
   * turns of the event loop. The iteration keeps its snapshot open, so the caller must end it.
   */
  openOrderIds(account: AccountId, partKeys: number): Iterable<readonly OrderId[]>;
  /** Each account once, in no particular order. */
  accountsWithOpenOrders(): AccountId[];
  byClientOrderId(account: AccountId, clientOrderId: ClientOrderId): ClientIdEntry | null;
  /** Created within [fromMs, toMs], newest first. */
  find(account: AccountId, fromMs: EpochMs, toMs: EpochMs, limit: number): ParentState[];
  /** The ids of the orders that `find` returns. */
  findIds(account: AccountId, fromMs: EpochMs, toMs: EpochMs, limit: number): OrderId[];
  /** Fills of an order after one in the index, at most `limit`, by child and trade id. */
  tradeIndex(orderId: OrderId, after: TradeIndexEntry | null, limit: number): TradeIndexEntry[];
  /** The event at a position of the journal. Returns null when it is already removed. */
  event(position: number): EventEnvelope | null;
  /** Number of an order's events with seq > after, counted up to `limit`. */
  eventCount(orderId: OrderId, after: Seq | 0, limit: number): number;
  /** Fills of an order, as ChildFilled envelopes in journal order. */
  trades(orderId: OrderId): EventEnvelope[];
  /** Events of an order with seq > after, in journal order, at most `limit`. Default: all. */
  events(orderId: OrderId, after?: Seq | 0, limit?: number): EventEnvelope[];
  /** The last event of an order with seq <= through; null: it had none, or it is already removed. */
  lastEvent(orderId: OrderId, through: Seq | 0): EventEnvelope | null;
  /** The order with the terms of an earlier revision. Returns null when they are already removed. */
  formerTerms(orderId: OrderId, revision: number): ParentOrder | null;
  /** Number of the latest frame of a feed; 0 when it has none. */
  feedHead(feed: FeedKey): number;
  /** Number of the oldest stored frame; head + 1 when no frame is stored. */
  feedTail(feed: FeedKey): number;
  /** Frames with number > after, ascending, at most `limit`. */
  feed(feed: FeedKey, after: number, limit: number): FeedFrame[];
  /** Seq of the last event in the snapshot; 0 when there is none. */
  lastSeq(): Seq | 0;
}

/** Returns the time of the latest stored observation of a market. Read when a shard starts. */
export interface LatestObservations {
  /** Service time of the instrument's last observation. Returns null when no observation is stored. */
  lastObservedMs(instrument: InstrumentIndex): EpochMs | null;
}

/** Reads the quote history of instruments. */
export interface QuoteHistoryReader {
  /**
   * Returns the latest observation at or before `fromMs`, and every later one up to `toMs`, in order of time. Reads
   * during the iteration.
   */
  quoteHistory(instrument: InstrumentIndex, fromMs: EpochMs, toMs: EpochMs): Iterable<MarketObservation>;
}

/** Log of the journal. A pino logger satisfies it. */
export interface JournalLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** The accounts whose events the main thread takes. Each `add` has one `remove`. */
export interface Followers {
  /** Call it before the read of the state that the events continue. */
  add(account: AccountId): void;
  remove(account: AccountId): void;
}
