import type { Venue } from './exchange.js';
import type { AccountId, ChildNumber, CorrelationId, OrderId, VenueOrderId } from './ids.js';
import type { InstrumentIndex, SelfTradePrevention } from './instrument.js';
import type { CandleInterval } from './market-feed.js';
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

/** Names a child in a request. Most exchanges find an order by its instrument and client id. */
export interface ChildTarget extends ChildRef {
  readonly instrument: InstrumentIndex;
  /** Service time of the journal entry that placed the child. */
  readonly submittedAtMs: EpochMs;
  /** The exchange's id, once the exchange has shown the order; null: nothing proves that it exists. */
  readonly venueOrderId: VenueOrderId | null;
}

/** A child as it is sent: all data that a venue needs to place it. */
export interface ChildSubmission extends ChildRef {
  readonly instrument: InstrumentIndex;
  readonly side: Side;
  readonly quantity: Lots;
  readonly type: ChildType;
  readonly timeInForce: TimeInForce;
  readonly limitPrice: Ticks | null;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly selfTradePrevention: SelfTradePrevention;
  /** Absent: derived from the time in force. */
  readonly requestClass?: PlacementClass;
}

/** Common fields of every request about an account. The answer carries the same correlation id. */
export interface AccountRef {
  readonly correlationId: CorrelationId;
  /** The trading account: a sub-account has its own balances and positions. */
  readonly account: AccountId;
  readonly venue: Venue;
}

/** Requests about an account. */
export type AccountRequest =
  /** Requests all balances of an account. Later changes are sent to the same thread. */
  | (AccountRef & { readonly kind: 'QueryFunds' })
  /** Requests all open positions of an account. */
  | (AccountRef & { readonly kind: 'QueryPositions' });

/**
 * Requests an account's orders at a venue page by page: the open ones, and those that changed since an instant. The
 * answer is Orders. `after` is `next` of the previous page; '' for the first one.
 */
export interface OrdersQuery extends AccountRef {
  readonly kind: 'QueryOrders';
  readonly sinceMs: EpochMs;
  readonly after: string;
  /** Instruments of known orders. An exchange that lists ended orders by market lists those of these markets only. */
  readonly instruments: readonly InstrumentIndex[];
}

/** Requests market data in the name of an account. A venue that cannot answer sends QueryRejected. */
export type MarketQuery =
  /** Candles that begin within [fromMs, toMs], the oldest first, at most `limit` (1..CANDLES_PER_QUERY_MAX) of them. */
  | (AccountRef & {
      readonly kind: 'QueryCandles';
      readonly instrument: InstrumentIndex;
      readonly interval: CandleInterval;
      readonly fromMs: EpochMs;
      readonly toMs: EpochMs;
      readonly limit: number;
    })
  /**
   * Funding rates of a future at the funding times within [fromMs, toMs], the newest first, at most
   * FUNDING_RATES_PER_QUERY_MAX. Of the future funding times only the next one is included, as an estimate.
   */
  | (AccountRef & {
      readonly kind: 'QueryFundingRates';
      readonly instrument: InstrumentIndex;
      readonly fromMs: EpochMs;
      readonly toMs: EpochMs;
      readonly limit: number;
    });

export type FundingQuery = Extract<MarketQuery, { readonly kind: 'QueryFundingRates' }>;

/** Shard or main thread → venue. */
export type VenueRequest =
  | ({ readonly kind: 'Submit' } & ChildSubmission)
  | ({ readonly kind: 'Cancel' } & ChildTarget)
  /** Requests the state of a client id: every fill again, then one StatusAnswered. The default class is STATUS. */
  | ({ readonly kind: 'QueryStatus'; readonly requestClass?: StatusRequestClass } & ChildTarget)
  | AccountRequest
  | OrdersQuery
  | MarketQuery;

/** The venue does not answer a request for orders, candles or funding rates. */
export interface QueryRejectedReport extends AccountRef {
  readonly kind: 'QueryRejected';
  readonly atMs: EpochMs;
  readonly rejection: Rejection;
}

/**
 * Purpose of a request about a child, the most urgent first. All orders of an account share the request budget of the
 * venue. While the budget is used up, the more urgent class goes first.
 *
 *   CANCEL     reduces risk; also a status request about a child with a pending cancel
 *   HEDGE      the other leg of a pair has already traded
 *   STATUS     a child in an unknown state: its quantity cannot trade elsewhere
 *   DEADLINE   a placement in the last part of the order's time
 *   TAKING     filled at once or not at all
 *   RESTING    waits in the book anyway
 *   ROUTINE    a check of a resting child without any suspicion; at a real exchange also lists and market data
 */
export const REQUEST_CLASSES = ['CANCEL', 'HEDGE', 'STATUS', 'DEADLINE', 'TAKING', 'RESTING', 'ROUTINE'] as const;
export type RequestClass = (typeof REQUEST_CLASSES)[number];

export type PlacementClass = 'HEDGE' | 'DEADLINE' | 'TAKING' | 'RESTING';
export type StatusRequestClass = 'CANCEL' | 'STATUS' | 'ROUTINE';

/** The class of a placement: its own, or the one of its time in force. */
export function placementClassOf(placement: Pick<ChildSubmission, 'requestClass' | 'timeInForce'>): PlacementClass {
  return placement.requestClass ?? (placement.timeInForce === 'GTC' ? 'RESTING' : 'TAKING');
}
