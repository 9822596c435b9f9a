import type { CancelCause } from './cancel-cause.js';
import type { ChildSettlement } from './child-settlement.js';
import type { Venue } from './exchange.js';
import type { EventEnvelope, FeedMark } from './event.js';
import type { AccountId, CorrelationId, OrderId, Seq, VenueOrderId } from './ids.js';
import type { ChildOrder } from './order-state.js';
import type { ParentOrder } from './order.js';
import type { Rejection } from './rejection.js';
import type { EpochMs } from './time.js';
/** A child that an exchange has and the backup lacks. `order.reason.code` is ADOPTED. */
export interface AdoptedChild {
  /** The quantity of an ended child is its filled quantity. */
  readonly order: ChildOrder;
  readonly venueOrderId: VenueOrderId;
}

/** Main thread → shard. A shard may refuse a command, except a create. */
export type Command =
  /** A durable order, which the shard works from now on. `seq`: its ParentCreated in the journal. */
  | {
      readonly kind: 'CreateParent';
      readonly correlationId: CorrelationId;
      readonly order: ParentOrder;
      readonly seq: Seq;
    }
  | {
      readonly kind: 'CancelParent';
      readonly correlationId: CorrelationId;
      readonly account: AccountId;
      readonly orderId: OrderId;
      readonly cancelCause: CancelCause;
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
  /** The order with its new terms. Its revision is one above that of the previous terms. */
  | { readonly kind: 'AmendParent'; readonly correlationId: CorrelationId; readonly order: ParentOrder }
  /** An operator releases a quarantined order of any account. */
  | { readonly kind: 'ReleaseParent'; readonly correlationId: CorrelationId; readonly orderId: OrderId }
  /** An operator settles an unknown child of any account. */
  | ({ readonly kind: 'SettleChild'; readonly correlationId: CorrelationId } & ChildSettlement)
  /** Children of a restored order that the exchanges list, sorted by number. */
  | {
      readonly kind: 'ReconcileParent';
      readonly correlationId: CorrelationId;
      readonly account: AccountId;
      readonly orderId: OrderId;
      /** At most ADOPTED_PER_COMMAND_MAX. */
      readonly children: readonly AdoptedChild[];
      /** Child numbers to skip for each leg; null: more children follow. */
      readonly childRoom: number | null;
    }
  /**
   * The venue worker is down or up again. Its children become unknown; after its return they get order status requests.
   */
  /** The worker of a real exchange, or that of the simulated ones (no `venue`), has died or is up. */
  | {
      readonly kind: 'VenueLink';
      readonly correlationId: CorrelationId;
      readonly isUp: boolean;
      readonly venue?: Venue;
    }
  /** Sets whether children may be placed. Replaces the previous mode. */
  | ({ readonly kind: 'SetTrading'; readonly correlationId: CorrelationId } & TradingMode)
  /** Finish the turn, release its messages and end the thread. */
  | { readonly kind: 'StopShard'; readonly correlationId: CorrelationId };

/** Shard → main thread. */
export type ShardMessage =
  /** A durable event. It answers the command of its correlation id and feeds the account's streams. */
  | {
      readonly kind: 'Published';
      readonly correlationId: CorrelationId;
      readonly account: AccountId;
      readonly marks: readonly FeedMark[];
      /** null: the decoder skipped it, because the account has no stream subscriber. */
      readonly envelope: EventEnvelope | null;
    }
  /** The command was refused and changed nothing. */
  | {
      readonly kind: 'Refused';
      readonly correlationId: CorrelationId;
      readonly orderId: OrderId;
      readonly rejection: Rejection;
    }
  /** The command was valid and changed nothing: the order is in the requested state. */
  | { readonly kind: 'Unchanged'; readonly correlationId: CorrelationId; readonly orderId: OrderId }
  /** Published messages were dropped because the ring was full. The journal has them. */
  | { readonly kind: 'Missed' };

export type CreateOutcome =
  /** Durable: journalled and synced. */
  | { readonly kind: 'created'; readonly orderId: OrderId; readonly createdAtMs: EpochMs }
  | {
      readonly kind: 'refused';
      readonly rejection: Rejection;
      /** The shard did not answer in time: the order with this id may exist. Absent: it does not exist. */
      readonly unresolvedOrderId?: OrderId;
    };

/** A request to change an open order. */
export type OrderChange =
  | Omit<Extract<Command, { readonly kind: 'CancelParent' }>, 'correlationId'>
  | {
      readonly kind: 'PauseParent' | 'ResumeParent';
      readonly account: AccountId;
      readonly orderId: OrderId;
    }
  | Omit<Extract<Command, { readonly kind: 'ReconcileParent' }>, 'correlationId'>
  /** The order with its new terms. */
  | { readonly kind: 'AmendParent'; readonly order: ParentOrder };

export type ChangeOutcome =
  /** Durable: the change is in progress or done. */
  | { readonly kind: 'pending'; readonly orderId: OrderId }
  | {
      readonly kind: 'refused';
      readonly rejection: Rejection;
      /** The shard did not answer in time: it may still carry out the change. Absent: nothing has changed. */
      readonly isUnresolved?: true;
    };

/**
 * Cause of a trading halt. RESTORED: the data comes from a backup and trading is not resumed yet. DISK_FULL: the
 * journal has too little room. OPERATOR: an operator has halted trading.
 */
export const HALT_REASONS = ['RESTORED', 'DISK_FULL', 'OPERATOR'] as const;
export type HaltReason = (typeof HALT_REASONS)[number];

/** A trading halt with one cause. */
export interface TradingHalt {
  readonly reason: HaltReason;
  /** Real time, epoch milliseconds. */
  readonly sinceMs: number;
  /** For clients and operators: the cause of the halt and how it ends. */
  readonly message: string;
  /** Accounts that may trade during the halt. */
  readonly exempt: readonly AccountId[];
  /** The one account that is halted. Absent: all but the exempt ones. */
  readonly only?: AccountId;
}

/** Sum of all halts for the shards. */
export interface TradingMode {
  /** True: a halt concerns all accounts but the exempt ones. */
  readonly isHalted: boolean;
  /** Accounts that may trade during such a halt. */
  readonly exempt: readonly AccountId[];
  /** Accounts that are halted alone. Absent: none. */
  readonly halted?: readonly AccountId[];
}

export const TRADING_OPEN: TradingMode = { isHalted: false, exempt: [] };

/** True when the orders of the account may place no child. */
export function isHaltedFor({ isHalted, exempt, halted }: TradingMode, account: AccountId): boolean {
  return (isHalted && !exempt.includes(account)) || halted?.includes(account) === true;
}

/** The cancel-all-after timer of an account. */
export interface CancelAllAfterTimer {
  /** Real time, epoch milliseconds. */
  readonly triggerAtMs: number;
  /** null: the timer has not fired. Else it cancels orders with ids up to this one, also after a crash. */
  readonly throughOrderId: OrderId | null;
}
