import type { CancelCause } from './cancel-cause.js';
import type { Venue } from './exchange.js';
import type { AccountId, ChildNumber, CorrelationId, OrderId, Seq, VenueOrderId, VenueTradeId } from './ids.js';
import type { InstrumentIndex } from './instrument.js';
import { VOLUME_UNKNOWN } from './intent.js';
import type { MarketObservation } from './market.js';
import type { ChildOrder, Progress } from './order-state.js';
import type { Liquidity, ParentOrder, Reason, SettledStatus } from './order.js';
import type { LegIndex, PerLeg } from './pair.js';
import type { PositionState } from './position.js';
import type { Amount, Grid, Lots, Notional, Ticks } from './quantity.js';
import type { Contradiction, Quarantine, QuarantineReason } from './quarantine.js';
import type { Rejection } from './rejection.js';
import type { LegMemory, StrategyMemory } from './strategy-memory.js';
import type { EpochMs } from './time.js';

/** One fill as the venue reports it. */
export interface Fill {
  readonly tradeId: VenueTradeId;
  /** The exchange's id where `tradeId` is a number made from it; '' where `tradeId` is the exchange's id. */
  readonly exchangeTradeId: string;
  readonly venueOrderId: VenueOrderId;
  readonly quantity: Lots;
  readonly price: Ticks;
  readonly liquidity: Liquidity;
  readonly fee: Amount;
  readonly feeCurrency: string;
}

/** A leg at the start of its order. */
export interface LegStart {
  /** Bid + ask in ticks. */
  readonly arrivalTwiceMid: number;
  /** null: the leg has no strategy and only hedges. */
  readonly memory: LegMemory | null;
}

/** Facts about one parent order and its children, in the past tense. ParentState is their fold. */
export type OrderEvent =
  | { readonly kind: 'ParentCreated'; readonly order: ParentOrder }
  | { readonly kind: 'ParentAccepted' }
  | { readonly kind: 'ParentRejected'; readonly rejection: Rejection }
  /** The order may trade: start time and trigger are met, and the market is two-sided. */
  | { readonly kind: 'ParentStarted'; readonly legs: PerLeg<LegStart> }
  /** `cancelCause`: null in an entry of a release that did not record it. */
  | { readonly kind: 'ParentCancelRequested'; readonly cancelCause: CancelCause | null }
  /**
   * `cause`: the reason that the client reads; null: none. `cancelCause`: null when a request for the cancel came
   * before, because the event of that request has it.
   */
  | { readonly kind: 'ParentCancelled'; readonly cause: Rejection | null; readonly cancelCause: CancelCause | null }
  | { readonly kind: 'ParentExpired'; readonly cause: Rejection }
  | { readonly kind: 'ParentPauseRequested' }
  | { readonly kind: 'ParentPaused' }
  | { readonly kind: 'ParentResumeRequested' }
  | { readonly kind: 'ParentResumed' }
  /**
   * The strategies plan the leaves over the remaining time, after a pause or an amendment. null: the leg has no
   * strategy.
   */
  | { readonly kind: 'ParentPlanned'; readonly memories: PerLeg<LegMemory | null> }
  /** New terms are requested. Children that conflict with them are cancelled first. */
  | { readonly kind: 'ParentAmendRequested'; readonly order: ParentOrder }
  /** The order is quarantined: it places no more children, and its facts are still recorded. */
  | { readonly kind: 'ParentQuarantined'; readonly code: QuarantineReason; readonly detail: string }
  /** An operator released the quarantined order. It requests the status of its children, cancels them and ends. */
  | { readonly kind: 'ParentReleased'; readonly cancelCause: CancelCause | null }
  /** A report contradicts the state of the order. `child`: null when the report names no possible child. */
  | {
      readonly kind: 'ReportContradicted';
      readonly child: ChildNumber | null;
      readonly contradiction: Contradiction;
      readonly detail: string;
    }
  /** The data comes from a backup and is not reconciled with the exchanges yet. */
  | { readonly kind: 'ParentRestored'; readonly epoch: number }
  /** All children of the exchanges are known. The next child skips `childRoom` numbers for each leg. */
  | { readonly kind: 'ParentReconciled'; readonly childRoom: number }
  /** The new terms are in effect. */
  | { readonly kind: 'ParentAmended'; readonly order: ParentOrder }
  /** The strategy did nothing for a reason, or changed its memory. */
  | {
      readonly kind: 'StrategyNoted';
      readonly reason: Reason;
      /** null: the strategy has no memory yet. */
      readonly memory: StrategyMemory | null;
      /** Leg of the strategy. A note of the hedge has the hedging leg. */
      readonly leg: LegIndex;
    }
  | { readonly kind: 'ChildSubmitted'; readonly order: ChildOrder; readonly memory: StrategyMemory | null }
  /** The exchange has a child that the backup lacks. It is recorded and cancelled. */
  | { readonly kind: 'ChildAdopted'; readonly order: ChildOrder; readonly venueOrderId: VenueOrderId }
  | { readonly kind: 'ChildAccepted'; readonly child: ChildNumber; readonly venueOrderId: VenueOrderId }
  | { readonly kind: 'ChildRejected'; readonly child: ChildNumber; readonly rejection: Rejection }
  | {
      readonly kind: 'ChildFilled';
      readonly child: ChildNumber;
      readonly leg: LegIndex;
      /** Without the part that a settlement has counted before. Its quantity is 0 when that is all of it. */
      readonly fill: Fill;
      readonly isLate: boolean;
      /** The part that a settlement has counted before. Absent: none. */
      readonly settled?: Lots;
    }
  | { readonly kind: 'ChildCancelRequested'; readonly child: ChildNumber; readonly reason: Reason }
  | { readonly kind: 'ChildCancelRefused'; readonly child: ChildNumber; readonly rejection: Rejection }
  /** The venue ended the child with leaves: our cancel, an IOC remainder, or its own decision. */
  | { readonly kind: 'ChildCancelled'; readonly child: ChildNumber; readonly cause: Rejection | null }
  /** The venue was lost or the process restarted. An order status request follows. */
  | { readonly kind: 'ChildUnknown'; readonly child: ChildNumber }
  /** The venue does not know this client id: nothing has traded and nothing will. */
  | { readonly kind: 'ChildNeverPlaced'; readonly child: ChildNumber }
  /**
   * An operator stated how the unknown child has ended. A fill of what no known fill shows, and the end of the child,
   * follow. `filled`: its filled quantity in total. `price`: of what no known fill shows; null: nothing.
   */
  | {
      readonly kind: 'ChildSettled';
      readonly child: ChildNumber;
      readonly filled: Lots;
      readonly price: Ticks | null;
      readonly reason: string;
      readonly by: string;
    };

export type OrderEventKind = OrderEvent['kind'];

/** An account's balance at a venue after a change. `version` orders the changes of one (account, venue). */
export interface BalanceChanged {
  readonly kind: 'BalanceChanged';
  readonly venue: Venue;
  readonly asset: string;
  readonly total: Amount;
  readonly free: Amount;
  readonly version: number;
}

/**
 * A position after a change other than its mark price. Symbol and grid are included, so that one entry makes a whole
 * frame. `net` of a closed position is 0.
 */
export interface PositionChanged extends Grid {
  readonly kind: 'PositionChanged';
  readonly venue: Venue;
  /** Canonical. */
  readonly symbol: string;
  readonly position: PositionState;
  /** Shared with the balances. */
  readonly version: number;
}

/** Facts about an account at a venue, also when an order has caused them. They do not change an order. */
export type AccountEvent = BalanceChanged | PositionChanged;

/** An instrument's market at the time of the event. Execution cost is measured against it. It belongs to no account. */
export interface MarketObserved extends Omit<MarketObservation, 'atMs'> {
  readonly kind: 'MarketObserved';
  readonly instrument: InstrumentIndex;
}

export type AnyEvent = OrderEvent | AccountEvent | MarketObserved;

/** Events about one child. */
export type ChildEvent = Extract<OrderEvent, { readonly kind: `Child${string}` }>;

/** The event of a kind, or the events of several kinds. */
export type EventOf<Kind extends AnyEvent['kind']> = Extract<AnyEvent, { readonly kind: Kind }>;

export function isOrderEvent(event: AnyEvent): event is OrderEvent {
  return event.kind !== 'BalanceChanged' && event.kind !== 'PositionChanged' && event.kind !== 'MarketObserved';
}

/** The order after the event: the fields that a stream frame needs besides the order's terms. */
export interface OrderSnapshot {
  readonly status: SettledStatus;
  /** Revision of the order's terms. */
  readonly revision: number;
  /** In the order of the request. */
  readonly legs: PerLeg<LegSnapshot>;
  /** Value of one unit of the hedging leg's quote currency in the leading leg's, at the last hedge. 1: not a pair. */
  readonly quoteRate: number;
  readonly outcome: Rejection | null;
  /** null: the order was never quarantined. */
  readonly quarantine: Quarantine | null;
  /** As in ParentState. */
  readonly cancelCause: CancelCause | null;
}

/** A leg after the event. */
export interface LegSnapshot extends Progress {
  readonly quantity: Lots;
}

/** The child after the event, with its order, so that one entry makes a whole frame. */
export interface ChildSnapshot {
  readonly order: ChildOrder;
  readonly status: SettledStatus;
  readonly filled: Lots;
  readonly notional: Notional;
  readonly outcome: Rejection | null;
}

/**
 * An event with its envelope. `seq` is assigned under the journal's lock. OrderEvent: orderId and parent are set, and
 * child for an event about a child. BalanceChanged: orderId of the causing order or null. PositionChanged: no order.
 * MarketObserved: no order, and account ''.
 */
export interface EventEnvelope {
  readonly seq: Seq;
  readonly slot: number;
  readonly account: AccountId;
  readonly venue: Venue;
  /** Venue of the other leg of a pair; null for other events. */
  readonly otherVenue: Venue | null;
  readonly orderId: OrderId | null;
  /** Time of the event in service time; venue time for fills. */
  readonly eventAtMs: EpochMs;
  /** Begin of the recording turn, service time. */
  readonly recordedAtMs: EpochMs;
  readonly correlationId: CorrelationId;
  /** seq of the event that caused this one; 0: a command, a timer or the venue caused it. */
  readonly causationSeq: number;
  readonly event: AnyEvent;
  readonly parent: OrderSnapshot | null;
  readonly child: ChildSnapshot | null;
}

/** An event that the journal has not numbered yet. */
export type UnnumberedEvent = Omit<EventEnvelope, 'seq'>;

/** An event as a fold needs it, without the snapshots. */
export type FoldableEvent = Omit<EventEnvelope, 'parent' | 'child'>;

/** Topics of an account. Their frames are numbered without a gap and can be read from the journal again. */
export const ACCOUNT_TOPICS = ['order', 'child_order', 'trade', 'balance', 'position', 'position_risk'] as const;
export type AccountTopic = (typeof ACCOUNT_TOPICS)[number];

/** Names a feed: the frames of one topic of an account at one venue. */
export interface FeedKey {
  readonly account: AccountId;
  readonly topic: AccountTopic;
  readonly venue: Venue;
}

/** Number of the frame that an event made in a feed. `n` counts from 1. */
export interface FeedMark {
  readonly topic: AccountTopic;
  readonly n: number;
  /** Absent: the event's own venue. */
  readonly venue?: Venue;
}

const NONE: readonly AccountTopic[] = [];
const ORDER: readonly AccountTopic[] = ['order'];
const CHILD: readonly AccountTopic[] = ['child_order'];
/** A fill changes the child, the parent and the list of trades. */
const FILL: readonly AccountTopic[] = ['child_order', 'trade', 'order'];
const BALANCE: readonly AccountTopic[] = ['balance'];
const POSITION: readonly AccountTopic[] = ['position', 'position_risk'];

const TOPICS: { readonly [Kind in AnyEvent['kind']]: readonly AccountTopic[] } = {
  ParentCreated: ORDER,
  ParentAccepted: ORDER,
  ParentRejected: ORDER,
  ParentStarted: NONE,
  ParentCancelRequested: ORDER,
  ParentCancelled: ORDER,
  ParentExpired: ORDER,
  ParentPauseRequested: ORDER,
  ParentPaused: ORDER,
  ParentResumeRequested: ORDER,
  ParentResumed: ORDER,
  ParentPlanned: NONE,
  ParentAmendRequested: NONE,
  ParentRestored: NONE,
  ParentReconciled: ORDER,
  ParentAmended: ORDER,
  ParentQuarantined: ORDER,
  ParentReleased: ORDER,
  ReportContradicted: NONE,
  StrategyNoted: NONE,
  ChildSubmitted: CHILD,
  ChildAdopted: CHILD,
  ChildAccepted: CHILD,
  ChildRejected: CHILD,
  ChildFilled: FILL,
  ChildCancelRequested: CHILD,
  ChildCancelRefused: NONE,
  ChildCancelled: CHILD,
  ChildUnknown: NONE,
  ChildNeverPlaced: CHILD,
  ChildSettled: NONE,
  BalanceChanged: BALANCE,
  PositionChanged: POSITION,
  MarketObserved: NONE,
};

/** Codes of notes that make an order frame. Other notes appear in the timeline only. */
const TOLD_NOTES: ReadonlySet<string> = new Set([VOLUME_UNKNOWN]);

/** Topics in which an event makes a frame, in the order of sending. */
export function topicsOf(event: AnyEvent): readonly AccountTopic[] {
  if (event.kind === 'StrategyNoted' && TOLD_NOTES.has(event.reason.code)) return ORDER;
  return TOPICS[event.kind];
}
