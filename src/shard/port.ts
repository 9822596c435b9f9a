import type { NumberedEvent } from '../journal/port.js';
import type { Command } from '../domain/command.js';
import type { Depth, Market } from '../domain/market.js';
import type { OrderEvent, UnnumberedEvent } from '../domain/event.js';
import type { AccountId, CorrelationId, OrderId, Seq } from '../domain/ids.js';
import type { InstrumentIndex } from '../domain/instrument.js';
import type { Contradiction } from '../domain/quarantine.js';
import type { Rejection } from '../domain/rejection.js';
import type { VenueRequest } from '../domain/venue-message.js';
import type { ExecutionReport, VenueReport } from '../domain/venue-report.js';

type ParentQuarantined = Extract<OrderEvent, { readonly kind: 'ParentQuarantined' }>;

/** Counts the open orders of accounts. A create was counted before it came here. */
export interface AccountOrders {
  /** The order was loaded at the start of the shard. */
  loaded(account: AccountId): void;
  /** The order has ended, or it came as a create and was loaded too. */
  left(account: AccountId): void;
}

export const NO_ACCOUNT_ORDERS: AccountOrders = { loaded: () => undefined, left: () => undefined };

/** A shard's inbound messages. Each drain takes at most `messagesMax` and returns their number. */
export interface Inbox {
  /** `encodedOrder`: the bytes of a new order, if the inbox has them. They are valid only inside the call. */
  drainCommands(messagesMax: number, handle: (command: Command, encodedOrder?: Uint8Array) => void): number;
  drainReports(messagesMax: number, handle: (report: VenueReport) => void): number;
}

/** A shard's messages to the main thread. Nothing here blocks. */
export interface MainOutbox {
  /** False when the ring lacks room for a turn's answers. The shard then takes no new commands. */
  hasRoom(): boolean;
  /** A durable event is about to be released. Reads of its account must show it. */
  noteDurable(account: AccountId, seq: Seq): void;
  /** False: the main thread does not take the event, and `publish` skips it. */
  needs(event: Pick<UnnumberedEvent, 'correlationId' | 'account'>): boolean;
  /**
   * These three return false when the message was dropped. The main thread learns of the gap by `missed` and reads
   * the journal.
   */
  publish(event: NumberedEvent): boolean;
  refuse(correlationId: CorrelationId, orderId: OrderId, rejection: Rejection): boolean;
  unchanged(correlationId: CorrelationId, orderId: OrderId): boolean;
  /** Reports that messages were dropped. Returns false when the ring lacks room even for that. */
  missed(): boolean;
  /** Wakes the main thread. Called once at the end of a turn. */
  flush(): void;
}

/** A shard's requests to the venue worker. Nothing is dropped: requests wait in order until the ring has room. */
export interface VenueOutbox {
  /** True when so many requests wait that the shard should take no new commands. */
  readonly isFull: boolean;
  send(request: VenueRequest): void;
  /** Sends waiting requests as far as there is room, and wakes the venue. Called once at the end of a turn. */
  flush(): void;
}

/** Observes faults of single orders. Nothing here blocks. */
export interface ShardWatch {
  /** Sets the order in work, which is the suspect when the thread dies. null: none. */
  atWork(orderId: OrderId | null): void;
  /** Called after the quarantine is durable. */
  onQuarantined(orderId: OrderId, account: AccountId, event: ParentQuarantined): void;
  /** Called after the event is durable. A report on an unknown order has no event. */
  onContradiction(contradiction: Contradiction): void;
  /** The order cannot be worked and its quarantine could not be journalled. It is skipped until a restart. */
  onSetAside(orderId: OrderId, error: unknown): void;
  /** A report on an order that is set aside was dropped. */
  onReportLost(report: ExecutionReport): void;
  /** Work that belongs to no order failed and was skipped. */
  onFault(error: unknown): void;
  /** Sets the number of open orders that are quarantined or set aside, at the end of a turn. */
  setQuarantinedCount(count: number): void;
}

/** Observes nothing. */
export const NO_WATCH: ShardWatch = {
  atWork() {},
  onQuarantined() {},
  onContradiction() {},
  onSetAside() {},
  onReportLost() {},
  onFault() {},
  setQuarantinedCount() {},
};

/** A shard's view of the last-value caches of markets and books. */
export interface MarketView {
  read(instrument: InstrumentIndex): Market;
  /** The latest book, or null before the first. The next call overwrites the same object. */
  depth(instrument: InstrumentIndex): Depth | null;
  /** Starts or ends this shard's subscription to the book. */
  wantDepth(instrument: InstrumentIndex, isWanted: boolean): void;
  /** Keeps the instrument awake at the venue, or lets it sleep. */
  keepAwake(instrument: InstrumentIndex, isAwake: boolean): void;
  /** Starts or ends the wake-ups for every change of the row. */
  watch(instrument: InstrumentIndex, isWatched: boolean): void;
  /** Calls `handle` for every watched row that changed since the last call. */
  takeChanged(handle: (instrument: InstrumentIndex) => void): void;
}
