import type { Amount } from './amount.js';
import type { Venue } from './exchange.js';
import type { AccountId, ChildNumber, CorrelationId, OrderId, Seq, VenueOrderId, VenueTradeId } from './ids.js';
import type { MarketObservation } from './market.js';
import type { ChildOrder, Liquidity, ParentOrder, Progress, Reason, RestingStatus, StrategyMemory } from './order.js';
import type { InstrumentIndex } from './instrument.js';
import type { Contradiction, Quarantine, QuarantineReason } from './quarantine.js';
import type { PositionState } from './position.js';
import type { Grid, Lots, Notional, Ticks } from './quantity.js';
import type { Rejection } from './rejection.js';
import type { EpochMs } from './time.js';

/** One fill as the venue reported it. */
export interface Fill {
  readonly tradeId: VenueTradeId;
  readonly venueOrderId: VenueOrderId;
  readonly quantity: Lots;
  readonly price: Ticks;
  readonly liquidity: Liquidity;
  readonly fee: Amount;
  readonly feeCurrency: string;
}

/** Facts about one parent order and its children, in the past tense. What is folded into ParentState. */
export type OrderEvent =
  | { readonly kind: 'ParentCreated'; readonly order: ParentOrder }
  | { readonly kind: 'ParentAccepted' }
  | { readonly kind: 'ParentRejected'; readonly rejection: Rejection }
  /** The order may trade from here: start time and trigger satisfied, a two-sided market seen. */
  | { readonly kind: 'ParentStarted'; readonly arrivalTwiceMid: number; readonly memory: StrategyMemory }
  | { readonly kind: 'ParentCancelRequested' }
  /** `cause` is null for a client's cancel and says why when the service itself ended the order. */
  | { readonly kind: 'ParentCancelled'; readonly cause: Rejection | null }
  | { readonly kind: 'ParentExpired'; readonly cause: Rejection }
  | { readonly kind: 'ParentPauseRequested' }
  | { readonly kind: 'ParentPaused' }
  | { readonly kind: 'ParentResumeRequested' }
  | { readonly kind: 'ParentResumed' }
  /** The strategy begins anew with what is left of quantity and time: after a pause or an amendment. */
  | { readonly kind: 'ParentPlanned'; readonly memory: StrategyMemory }
  /** New terms are wanted; children that they rule out are withdrawn first. */
  | { readonly kind: 'ParentAmendRequested'; readonly order: ParentOrder }
  /** The order is set apart: no more children are placed, facts are still recorded. */
  | { readonly kind: 'ParentQuarantined'; readonly code: QuarantineReason; readonly detail: string }
  /** An operator released the quarantined order: its children are asked for and withdrawn, then it ends. */
  | { readonly kind: 'ParentReleased' }
  /** A report contradicts what is known of the order. `child` is null when the report names no possible child. */
  | {
      readonly kind: 'ReportContradicted';
      readonly child: ChildNumber | null;
      readonly contradiction: Contradiction;
      readonly detail: string;
    }
  /** The data directory was made from a backup: what the order's exchanges know is not reconciled with it yet. */
  | { readonly kind: 'ParentRestored'; readonly epoch: number }
  /** Every child that the exchanges know is known here. The next child has a number above `childRoom` unused ones. */
  | { readonly kind: 'ParentReconciled'; readonly childRoom: number }
  /** The new terms hold from here. */
  | { readonly kind: 'ParentAmended'; readonly order: ParentOrder }
  /** The strategy deliberately did nothing, or changed what it remembers: that of a pair's other leg, the hedge, where it says so. */
  | {
      readonly kind: 'StrategyNoted';
      readonly reason: Reason;
      readonly memory: StrategyMemory;
      readonly ofFollower?: true;
    }
  | { readonly kind: 'ChildSubmitted'; readonly order: ChildOrder; readonly memory: StrategyMemory | null }
  /** The exchange has a child that the backup does not: it is recorded, asked for and withdrawn. */
  | { readonly kind: 'ChildAdopted'; readonly order: ChildOrder; readonly venueOrderId: VenueOrderId }
  | { readonly kind: 'ChildAccepted'; readonly child: ChildNumber; readonly venueOrderId: VenueOrderId }
  | { readonly kind: 'ChildRejected'; readonly child: ChildNumber; readonly rejection: Rejection }
  | { readonly kind: 'ChildFilled'; readonly child: ChildNumber; readonly fill: Fill; readonly isLate: boolean }
  | { readonly kind: 'ChildCancelRequested'; readonly child: ChildNumber; readonly reason: Reason }
  | { readonly kind: 'ChildCancelRefused'; readonly child: ChildNumber; readonly rejection: Rejection }
  /** The venue ended the child with quantity left: our cancel, an IOC remainder, or its own decision. */
  | { readonly kind: 'ChildCancelled'; readonly child: ChildNumber; readonly cause: Rejection | null }
  /** The venue was lost or the process restarted: it will be asked for the client id. */
  | { readonly kind: 'ChildUnknown'; readonly child: ChildNumber }
  /** The venue has never seen this client id: nothing traded and nothing will. */
  | { readonly kind: 'ChildNeverPlaced'; readonly child: ChildNumber };

export type OrderEventKind = OrderEvent['kind'];

/** An account's balance at a venue after something changed it. `version` orders the changes of one (account, venue). */
export interface BalanceChanged {
  readonly kind: 'BalanceChanged';
  readonly venue: Venue;
  readonly asset: string;
  readonly total: Amount;
  readonly free: Amount;
  readonly version: number;
}

/**
 * A position after something other than its mark price changed it, with its symbol and grid, so that one entry makes a
 * whole frame. Closed: `net` is 0.
 */
export interface PositionChanged extends Grid {
  readonly kind: 'PositionChanged';
  readonly venue: Venue;
  /** Canonical. */
  readonly symbol: string;
  readonly position: PositionState;
  /** That of the balances. */
  readonly version: number;
}

/** Facts about an account at a venue, even when an order has caused them: no part of that order's own story. */
export type AccountEvent = BalanceChanged | PositionChanged;

/** An instrument's market as it stood when the event happened: what executions are measured against. Of no account. */
export interface MarketObserved extends Omit<MarketObservation, 'atMs'> {
  readonly kind: 'MarketObserved';
  readonly instrument: InstrumentIndex;
}

export type AnyEvent = OrderEvent | AccountEvent | MarketObserved;

export function isOrderEvent(event: AnyEvent): event is OrderEvent {
  return event.kind !== 'BalanceChanged' && event.kind !== 'PositionChanged' && event.kind !== 'MarketObserved';
}

/** Where the parent stands after the event: what a stream frame needs besides the constant order. */
export interface ParentStanding {
  readonly status: RestingStatus;
  /** Of the order's terms. */
  readonly revision: number;
  readonly quantity: Lots;
  readonly filled: Lots;
  readonly notional: Notional;
  readonly outcome: Rejection | null;
  /** Of a pair; null for any other order. */
  readonly follower: FollowerStanding | null;
  /** null: the order was never quarantined. */
  readonly quarantine: Quarantine | null;
}

/** How far the other leg of a pair has come. */
export interface FollowerStanding extends Progress {
  /** What one unit of its quote currency was worth in that of the leading leg when it was last hedged. */
  readonly quoteRate: number;
}

/** Where the child stands after the event, with the constant child order, so that one entry makes a whole frame. */
export interface ChildStanding {
  readonly order: ChildOrder;
  readonly status: RestingStatus;
  readonly filled: Lots;
  readonly notional: Notional;
  readonly outcome: Rejection | null;
}

/**
 * An event with its envelope: who, where, when, why. `seq` is given under the journal's lock.
 * An OrderEvent has orderId and parent (and child when it is about one); BalanceChanged has orderId of what caused it or null,
 * PositionChanged none; MarketObserved has neither order nor account ('').
 */
export interface EventEnvelope {
  readonly seq: Seq;
  readonly slot: number;
  readonly account: AccountId;
  readonly venue: Venue;
  /** Where the order of an OrderEvent trades as well: the other leg of a pair; null for the rest. */
  readonly otherVenue: Venue | null;
  readonly orderId: OrderId | null;
  /** When it happened (venue time for fills), service time. */
  readonly eventAtMs: EpochMs;
  /** When the turn that recorded it began, service time. */
  readonly recordedAtMs: EpochMs;
  readonly correlationId: CorrelationId;
  /** seq of the event that led to this one; 0 when a command, a timer or the venue did. */
  readonly causationSeq: number;
  readonly event: AnyEvent;
  readonly parent: ParentStanding | null;
  readonly child: ChildStanding | null;
}

/** Before the journal has numbered it. */
export type UnnumberedEvent = Omit<EventEnvelope, 'seq'>;
