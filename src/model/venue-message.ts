import type { Amount } from './amount.js';
import type { Venue } from './exchange.js';
import type { Fill } from './event.js';
import type { AccountId, ChildNumber, CorrelationId, OrderId, VenueOrderId } from './ids.js';
import type { InstrumentIndex } from './instrument.js';
import type { ChildType, Side, TimeInForce } from './order.js';
import type { Lots, Ticks } from './quantity.js';
import type { Rejection } from './rejection.js';
import type { EpochMs } from './time.js';

/** Names a child at its venue; the client id is `<orderId>-<child>`. */
export interface ChildRef {
  readonly account: AccountId;
  readonly venue: Venue;
  readonly orderId: OrderId;
  readonly child: ChildNumber;
}

/** A child as it is sent: everything a venue needs to place it. */
export interface ChildSubmission extends ChildRef {
  readonly instrument: InstrumentIndex;
  readonly side: Side;
  readonly quantity: Lots;
  readonly type: ChildType;
  readonly timeInForce: TimeInForce;
  readonly limitPrice: Ticks | null;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
}

/** Shard or main thread → venue. */
export type VenueRequest =
  | ({ readonly kind: 'Submit' } & ChildSubmission)
  | ({ readonly kind: 'Cancel' } & ChildRef)
  /** Asks for all the venue knows of a client id: every fill again, then one QueryAnswered. */
  | ({ readonly kind: 'Query' } & ChildRef)
  /** Asks for all balances of an account; later changes are sent to the asker unasked. */
  | {
      readonly kind: 'QueryFunds';
      readonly correlationId: CorrelationId;
      readonly account: AccountId;
      readonly venue: Venue;
    };

export type QueriedState =
  | { readonly state: 'UNKNOWN' }
  | { readonly state: 'OPEN'; readonly venueOrderId: VenueOrderId }
  | { readonly state: 'FILLED'; readonly venueOrderId: VenueOrderId }
  | { readonly state: 'CANCELLED'; readonly venueOrderId: VenueOrderId; readonly cause: Rejection | null }
  | { readonly state: 'REJECTED'; readonly rejection: Rejection };

/** One execution report on a child, normalised. */
export type ExecutionReport = ChildRef & { readonly atMs: EpochMs } & (
    | { readonly kind: 'Accepted'; readonly venueOrderId: VenueOrderId }
    | { readonly kind: 'Rejected'; readonly rejection: Rejection }
    | { readonly kind: 'Filled'; readonly fill: Fill }
    /** Ended with quantity left; cause is null when we asked for it or an IOC ran out of book. */
    | { readonly kind: 'Cancelled'; readonly venueOrderId: VenueOrderId; readonly cause: Rejection | null }
    | { readonly kind: 'CancelRejected'; readonly rejection: Rejection }
    | { readonly kind: 'QueryAnswered'; readonly answer: QueriedState }
  );

export interface AssetBalance {
  readonly asset: string;
  readonly total: Amount;
  readonly free: Amount;
}

/** Balances of an account: all of them when `isSnapshot`, else those that changed. `version` grows with every change. */
export interface FundsReport {
  readonly kind: 'Funds';
  readonly correlationId: CorrelationId;
  readonly account: AccountId;
  readonly venue: Venue;
  readonly atMs: EpochMs;
  readonly isSnapshot: boolean;
  readonly version: number;
  readonly balances: readonly AssetBalance[];
  /** The child whose report caused the change; null for a snapshot or a change by nobody's order. */
  readonly causedBy: OrderId | null;
}

/** Venue → shard (and FundsReport → main thread). */
export type VenueReport = ExecutionReport | FundsReport;
