import type { NumberedEvent } from '../journal/port.js';
import type { Command } from '../model/command.js';
import type { Depth } from '../model/depth.js';
import type { OrderEvent } from '../model/event.js';
import type { AccountId, CorrelationId, OrderId } from '../model/ids.js';
import type { InstrumentIndex } from '../model/instrument.js';
import type { Market } from '../model/market.js';
import type { Contradiction } from '../model/quarantine.js';
import type { Rejection } from '../model/rejection.js';
import type { ExecutionReport, VenueReport, VenueRequest } from '../model/venue-message.js';

type ParentQuarantined = Extract<OrderEvent, { readonly kind: 'ParentQuarantined' }>;

/** What comes into a shard. Each drain hands over at most `messagesMax` and returns how many it handed over. */
export interface Inbox {
  drainCommands(messagesMax: number, handle: (command: Command) => void): number;
  drainReports(messagesMax: number, handle: (report: VenueReport) => void): number;
}

/** The way out to the main thread. Nothing here blocks. */
export interface MainOutbox {
  /** False when the ring lacks room for a turn's answers: the shard then takes no new commands. */
  hasRoom(): boolean;
  /** These three: false when it was left out; the main thread is told so as soon as there is room, and reads the journal. */
  publish(event: NumberedEvent): boolean;
  refuse(correlationId: CorrelationId, orderId: OrderId, rejection: Rejection): boolean;
  unchanged(correlationId: CorrelationId, orderId: OrderId): boolean;
  /** Tells that messages were left out; false while there is no room even for that. */
  missed(): boolean;
  /** Wakes the main thread; called once at the end of a turn. */
  flush(): void;
}

/** The way out to the venue worker. Nothing is lost: what its ring cannot take waits in order. */
export interface VenueOutbox {
  /** True when so much waits that the shard should take no new commands. */
  readonly isFull: boolean;
  send(request: VenueRequest): void;
  /** Sends what waits as far as there is room, and wakes the venue; called once at the end of a turn. */
  flush(): void;
}

/** Follows what goes wrong with single orders. Nothing here blocks. */
export interface ShardWatch {
  /** The order that is worked now, the one to blame when the thread dies; null: none. */
  atWork(orderId: OrderId | null): void;
  /** Durable: the order is quarantined. */
  onQuarantined(orderId: OrderId, account: AccountId, event: ParentQuarantined): void;
  /** Durable, unless the report is about no order that is known. */
  onContradiction(contradiction: Contradiction): void;
  /** The order cannot be worked, and its quarantine could not be journalled: it is passed over until a restart. */
  onSetAside(orderId: OrderId, error: unknown): void;
  /** A report on an order that is set aside. */
  onReportLost(report: ExecutionReport): void;
  /** Something that belongs to no order failed and is passed over. */
  onFault(error: unknown): void;
  /** Open orders that are quarantined or set aside, at the end of a turn. */
  setQuarantinedCount(count: number): void;
}

/** The slates of markets and books as a shard sees them. */
export interface MarketView {
  read(instrument: InstrumentIndex): Market;
  /** The book as last shown; null before it first was. Lent: the next call fills the same object again. */
  depth(instrument: InstrumentIndex): Depth | null;
  /** Asks the venue to show the book, or to no longer do so for this shard. */
  wantDepth(instrument: InstrumentIndex, isWanted: boolean): void;
  /** Asks the venue to keep the instrument alive, or lets it sleep. */
  keepAwake(instrument: InstrumentIndex, isAwake: boolean): void;
  /** Asks for a wake-up at every change of the row. */
  watch(instrument: InstrumentIndex, isWatched: boolean): void;
  /** Watched rows that changed since the last call, each once. */
  takeChanged(handle: (instrument: InstrumentIndex) => void): void;
}
