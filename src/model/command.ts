import type { EventEnvelope } from './event.js';
import type { FeedMark } from './feed.js';
import type { AccountId, CorrelationId, OrderId, VenueOrderId } from './ids.js';
import type { ChildOrder, ParentOrder } from './order.js';
import type { Rejection } from './rejection.js';
import type { TradingMode } from './trading-halt.js';

/** A child that an exchange knows and the backup does not. `order.reason.code` is ADOPTED. */
export interface AdoptedChild {
  /** Of one that has ended, the quantity is what it has traded. */
  readonly order: ChildOrder;
  readonly venueOrderId: VenueOrderId;
}

/** Main thread → shard: imperative, may be refused. */
export type Command =
  | { readonly kind: 'CreateParent'; readonly correlationId: CorrelationId; readonly order: ParentOrder }
  | {
      readonly kind: 'CancelParent';
      readonly correlationId: CorrelationId;
      readonly account: AccountId;
      readonly orderId: OrderId;
    }
  | {
      readonly kind: 'PauseParent';
      readonly correlationId: CorrelationId;
      readonly account: AccountId;
      readonly orderId: OrderId;
    }
  | {
      readonly kind: 'ResumeParent';
      readonly correlationId: CorrelationId;
      readonly account: AccountId;
      readonly orderId: OrderId;
    }
  /** The order with its new terms; its revision is one more than that of the terms they were made from. */
  | { readonly kind: 'AmendParent'; readonly correlationId: CorrelationId; readonly order: ParentOrder }
  /** An operator releases a quarantined order, of whatever account. */
  | { readonly kind: 'ReleaseParent'; readonly correlationId: CorrelationId; readonly orderId: OrderId }
  /** What the exchanges know of an order that comes from a backup, in the order of the child numbers. */
  | {
      readonly kind: 'ReconcileParent';
      readonly correlationId: CorrelationId;
      readonly account: AccountId;
      readonly orderId: OrderId;
      /** At most ADOPTED_PER_COMMAND_MAX. */
      readonly children: readonly AdoptedChild[];
      /** How many child numbers of each leg are left out; null: more children follow. */
      readonly childRoom: number | null;
    }
  /** A venue worker went down or came back: children there become unknown, then are asked for. */
  | { readonly kind: 'VenueLink'; readonly correlationId: CorrelationId; readonly isUp: boolean }
  /** Whether children may be placed: the whole of what holds from here on. */
  | ({ readonly kind: 'SetTrading'; readonly correlationId: CorrelationId } & TradingMode)
  /** Finish the turn, release what is due, and end the thread. */
  | { readonly kind: 'StopShard'; readonly correlationId: CorrelationId };

/** Shard → main thread. */
export type ShardMessage =
  /** A durable event. It answers the command of its correlation id and feeds the account's streams. */
  | {
      readonly kind: 'Published';
      readonly correlationId: CorrelationId;
      readonly account: AccountId;
      readonly marks: readonly FeedMark[];
      /** null when whoever decoded the message said that nobody follows the account. */
      readonly envelope: EventEnvelope | null;
    }
  /** The command changed nothing; rejection says why. */
  | {
      readonly kind: 'Refused';
      readonly correlationId: CorrelationId;
      readonly orderId: OrderId;
      readonly rejection: Rejection;
    }
  /** The command was right and changed nothing: the order already is what was asked for. */
  | { readonly kind: 'Unchanged'; readonly correlationId: CorrelationId; readonly orderId: OrderId }
  /** Published messages were left out because the ring was full: the journal has them. */
  | { readonly kind: 'Missed' };
