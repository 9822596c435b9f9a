import type { Amount } from './amount.js';
import type { Candle, CandleInterval } from './candle.js';
import type { Venue } from './exchange.js';
import type { Fill } from './event.js';
import type { AccountId, ChildNumber, CorrelationId, OrderId, VenueOrderId } from './ids.js';
import type { InstrumentIndex } from './instrument.js';
import type { FundingRate } from './market-feed.js';
import type { ChildType, Side, TimeInForce } from './order.js';
import type { MarginMode, PositionMode, PositionState } from './position.js';
import type { Lots, Ticks } from './quantity.js';
import type { Rejection } from './rejection.js';
import type { PlacementClass, QuestionClass } from './request-class.js';
import type { SelfTradePrevention } from './self-trade-prevention.js';
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
  readonly selfTradePrevention: SelfTradePrevention;
  /** Absent: as its time in force says. */
  readonly requestClass?: PlacementClass;
}

/** Changes a resting order, named by its child. Fewer lots at the same price keep its place in the queue. */
export interface Amendment extends ChildRef {
  /** What the order is to trade in all, what is filled included; null: as it is. */
  readonly quantity: Lots | null;
  /** null: as it is. */
  readonly limitPrice: Ticks | null;
}

/** What every question or order about an account as a whole begins with; its answer carries the same correlation id. */
interface AccountRef {
  readonly correlationId: CorrelationId;
  /** The account that trades: a sub-account has balances and positions of its own. */
  readonly account: AccountId;
  readonly venue: Venue;
}

/** About an account, not about one of its orders. What changes a setting is answered by AccountAnswered. */
export type AccountRequest =
  /** Asks for all balances of an account; later changes are sent to the asker unasked. */
  | (AccountRef & { readonly kind: 'QueryFunds' })
  /** Asks for all open positions of an account. */
  | (AccountRef & { readonly kind: 'QueryPositions' })
  /** Leverage 1 to 125, as far as instrument and venue allow. */
  | (AccountRef & { readonly kind: 'SetLeverage'; readonly instrument: InstrumentIndex; readonly leverage: number })
  /** Refused while the account has a position or open orders in the instrument. */
  | (AccountRef & {
      readonly kind: 'SetMarginMode';
      readonly instrument: InstrumentIndex;
      readonly marginMode: MarginMode;
    })
  /** Refused while the account has any position or open order in a future. */
  | (AccountRef & { readonly kind: 'SetPositionMode'; readonly positionMode: PositionMode })
  /** Moves a free balance to another account of the same master, once for each transfer id of the sending account. */
  | (AccountRef & {
      readonly kind: 'Transfer';
      readonly to: AccountId;
      readonly asset: string;
      readonly amount: Amount;
      readonly transferId: string;
    });

/**
 * Asks for an account's orders at a venue, a page at a time: those that are open, and those that have changed since an
 * instant. The answer is Orders. `after` is `next` of the page before; '' for the first one.
 */
export interface OrdersQuery extends AccountRef {
  readonly kind: 'QueryOrders';
  readonly sinceMs: EpochMs;
  readonly after: string;
}

/** One order of an account as its exchange has it. */
export interface ListedOrder extends Omit<
  ChildSubmission,
  'account' | 'venue' | 'selfTradePrevention' | 'requestClass'
> {
  readonly state: 'OPEN' | 'FILLED' | 'CANCELLED';
  readonly venueOrderId: VenueOrderId;
  /** What of it has traded in all. */
  readonly filled: Lots;
  readonly changedAtMs: EpochMs;
}

/** A page of an account's orders, in no order that means anything. One that was refused is not among them. */
export interface OrdersReport extends AccountRef {
  readonly kind: 'Orders';
  readonly atMs: EpochMs;
  readonly orders: readonly ListedOrder[];
  /** Where the next page begins; '': there is none. */
  readonly next: string;
}

/** About a market, in the name of an account; a venue that cannot answer says so by AccountAnswered. */
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
   * What a future paid at the funding times within [fromMs, toMs], the newest first, at most FUNDING_RATES_PER_QUERY_MAX.
   * Of those to come there is only the next one, as reckoned so far.
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
  | ({ readonly kind: 'Cancel' } & ChildRef)
  | ({ readonly kind: 'Amend' } & Amendment)
  /**
   * Asks for all the venue knows of a client id: every fill again, then one QueryAnswered. The class is QUESTION when
   * absent.
   */
  | ({ readonly kind: 'Query'; readonly requestClass?: QuestionClass } & ChildRef)
  | AccountRequest
  | OrdersQuery
  | MarketQuery;

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
    /** `side` as the venue stated it; absent: it stated none. */
    | { readonly kind: 'Filled'; readonly fill: Fill; readonly side?: Side }
    /**
     * Ended with quantity left; cause is null when we asked for it or an IOC ran out of book. `filled` is all that was
     * traded of the child: whoever was told less of it has missed a fill.
     */
    | {
        readonly kind: 'Cancelled';
        readonly venueOrderId: VenueOrderId;
        readonly cause: Rejection | null;
        readonly filled: Lots;
      }
    | { readonly kind: 'CancelRejected'; readonly rejection: Rejection }
    /** Behind all fills again; `filled` is what they add up to. */
    | { readonly kind: 'QueryAnswered'; readonly answer: QueriedState; readonly filled: Lots }
    /** The exchange has said something about the child that no member of the model can hold. */
    | { readonly kind: 'Unreadable'; readonly detail: string }
  );

export interface AssetBalance {
  readonly asset: string;
  readonly total: Amount;
  readonly free: Amount;
}

/** Balances of an account: all of them when `isSnapshot`, else those that changed. `version` grows with every change. */
export interface FundsReport extends AccountRef {
  readonly kind: 'Funds';
  readonly atMs: EpochMs;
  readonly isSnapshot: boolean;
  readonly version: number;
  readonly balances: readonly AssetBalance[];
  /** The child whose report caused the change; null for a snapshot or a change by nobody's order. */
  readonly causedBy: OrderId | null;
}

/** What became of an amendment. */
export type AmendReport = ChildRef & { readonly atMs: EpochMs } & (
    | {
        readonly kind: 'Amended';
        readonly venueOrderId: VenueOrderId;
        /** What the order now trades in all, and its price. */
        readonly quantity: Lots;
        readonly limitPrice: Ticks;
      }
    | { readonly kind: 'AmendRejected'; readonly rejection: Rejection }
  );

/** The request about the child waits for the account's turn at the venue: it has not been sent, and is not lost. */
export interface HeldReport extends ChildRef {
  readonly kind: 'Held';
  readonly atMs: EpochMs;
}

/** Positions of an account: all open ones when `isSnapshot`, else those that changed. `version` is that of the balances. */
export interface PositionsReport extends AccountRef {
  readonly kind: 'Positions';
  readonly atMs: EpochMs;
  readonly isSnapshot: boolean;
  readonly version: number;
  readonly positionMode: PositionMode;
  readonly positions: readonly PositionState[];
}

/** The last candle is the running one when `toMs` of the question had come by `atMs`. */
export interface CandlesReport extends AccountRef {
  readonly kind: 'Candles';
  readonly atMs: EpochMs;
  readonly instrument: InstrumentIndex;
  readonly interval: CandleInterval;
  readonly candles: readonly Candle[];
}

export interface FundingRatesReport extends AccountRef {
  readonly kind: 'FundingRates';
  readonly atMs: EpochMs;
  readonly instrument: InstrumentIndex;
  readonly rates: readonly FundingRate[];
}

export type MarketReport = CandlesReport | FundingRatesReport;

/** The answer to a setting or a transfer; rejection is null when it holds now. */
export interface AccountAnswer extends AccountRef {
  readonly kind: 'AccountAnswered';
  readonly atMs: EpochMs;
  readonly rejection: Rejection | null;
}

/** About an account, not about one of its orders. */
export type AccountReport = FundsReport | PositionsReport | AccountAnswer;

/**
 * The connection to one venue was lost or is back. Reports of the time in between may be missed: whoever has orders
 * there asks for them.
 */
export interface LinkReport {
  readonly kind: 'Link';
  readonly venue: Venue;
  readonly isUp: boolean;
  readonly atMs: EpochMs;
}

/** Venue → shard (and account and market reports → main thread). */
export type VenueReport =
  ExecutionReport | AmendReport | HeldReport | AccountReport | OrdersReport | MarketReport | LinkReport;
