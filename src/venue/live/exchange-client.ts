import type { Fill } from '../../domain/event.js';
import type { VenueOrderId } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import type { Lots } from '../../domain/quantity.js';
import type { OrRejection, Rejection } from '../../domain/rejection.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import type { ChildSubmission, ChildTarget } from '../../domain/venue-message.js';
import type { ListedOrder } from '../../domain/venue-report.js';

/** An order as an answer or a stream of its exchange shows it. The exchange may be ahead of what it shows. */
export interface ReportedOrder {
  readonly venueOrderId: VenueOrderId;
  /** REJECTED: refused after the answer to its placement, or beside it. */
  readonly state: 'OPEN' | 'FILLED' | 'CANCELLED' | 'REJECTED';
  /** Traded quantity in total. */
  readonly filled: Lots;
  /** Why the exchange refused or ended the order; null: a requested cancel, an IOC without liquidity, or no end. */
  readonly cause: Rejection | null;
  readonly atMs: EpochMs;
}

export interface ReportedFill {
  readonly fill: Fill;
  readonly atMs: EpochMs;
}

/**
 * Outcome of a request that changes something. `unknown`: no answer, an answer that says nothing about the order, or
 * one that is on no list of definite refusals. An unknown outcome is never reported and never repeated: it is asked
 * for.
 */
export type PlaceAnswer =
  | {
      readonly kind: 'placed';
      readonly venueOrderId: VenueOrderId;
      readonly atMs: EpochMs;
      /** The order and its fills, where the answer has them. Absent: they come through the stream. */
      readonly result?: { readonly order: ReportedOrder; readonly fills: readonly ReportedFill[] };
    }
  | { readonly kind: 'refused'; readonly rejection: Rejection }
  | { readonly kind: 'unknown' };

export type CancelAnswer =
  /** null: the exchange will cancel it; the end comes through the stream. */
  | { readonly kind: 'cancelled'; readonly order: ReportedOrder | null }
  | { readonly kind: 'refused'; readonly rejection: Rejection }
  | { readonly kind: 'unknown' };

export type LookUpAnswer =
  /** `fills`: all of them as far as the exchange shows them; they may add up to less than `filled`. */
  | {
      readonly kind: 'found';
      readonly order: ReportedOrder;
      readonly fills: readonly ReportedFill[];
      /** The trade that `fills` lacks because no number of lots and ticks states it. Absent: there is none. */
      readonly offGrid?: string;
    }
  /** The exchange shows no order with the client id: neither open, nor in its history, nor by a trade. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'unknown' };

/** A child as its exchange names it: by client id and instrument. */
export type ReportedChild = Pick<ChildTarget, 'orderId' | 'child' | 'instrument'>;

/** An open order in the list of an account. */
export interface OpenOrder {
  readonly child: ReportedChild;
  readonly order: ReportedOrder;
}

/** What a stream says about one order. `fill`: null when nothing traded. */
export interface OrderUpdate {
  readonly child: ReportedChild;
  readonly order: ReportedOrder;
  readonly fill: ReportedFill | null;
}

/** Takes the outcome of a request and the time of its arrival. */
export type Answer<Outcome> = (outcome: Outcome, nowMs: EpochMs) => void;

/**
 * Requests about single orders of one account at one exchange. Each call starts a request and calls `answer` once,
 * later. A request without an answer within its own time limit is answered `unknown` (null for a list).
 */
export interface OrderClient {
  /** Places the order once. The exchange refuses it when it arrives after `expiresAtMs`, where it supports that. */
  place(order: ChildSubmission, expiresAtMs: EpochMs, answer: Answer<PlaceAnswer>): void;
  cancel(target: ChildTarget, answer: Answer<CancelAnswer>): void;
  /** Looks for the order by its client id. */
  lookUp(target: ChildTarget, answer: Answer<LookUpAnswer>): void;
  /**
   * Looks among the open orders and the trades of its instrument for an order that a look-up has denied. One reading of
   * these lists may serve many orders.
   */
  lookInLists(target: ChildTarget, answer: Answer<LookUpAnswer>): void;
  /** All open orders of this service in the account; null: unknown. */
  openOrders(answer: Answer<readonly OpenOrder[] | null>): void;
}

/** All requests to one account at one exchange. */
export interface ExchangeClient extends OrderClient {
  /**
   * Orders of this service as the exchange lists them, for a service that lost its latest orders: all open ones, and
   * those that were placed in the instruments of the query since its time. Refused orders are left out. It may take
   * minutes. Rejected: a list was not read completely. Exchanges list neither post-only nor reduce-only.
   */
  listOrders(query: PlacedQuery, answer: Answer<OrRejection<readonly ListedOrder[]>>): void;
}

/** The ended orders that a list includes. */
export interface PlacedQuery {
  readonly instruments: readonly InstrumentIndex[];
  readonly sinceMs: EpochMs;
}

/** What an exchange promises about a request without an answer. */
export interface SendingRules {
  /** A request is refused when it arrives later than this after its sending. null: it may arrive at any time. */
  readonly expiryMs: DurationMs | null;
  /**
   * A request that is carried out at all is carried out within this time after its sending. It may be longer than the
   * expiry, which bounds only the way to the exchange: a request that arrives in time waits for the matching engine.
   */
  readonly executionMsMax: DurationMs;
  /** Largest age of what an answer shows. */
  readonly marginMs: DurationMs;
  /** Largest error of the timestamp of a request that is sent now: the exchange may take it so much longer. */
  readonly clockErrorMs: () => number;
  /** How long after its placement an exchange still knows each order, also one that ended without a fill. */
  readonly orderHistoryMs: DurationMs;
}
