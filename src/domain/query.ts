import type { Venue } from './exchange.js';
import type { AccountId, ClientOrderId, OrderId, Seq } from './ids.js';
import type { StrategyName } from './order.js';
import type { Rejection } from './rejection.js';
import type { EpochMs } from './time.js';
/** Details of each order in an answer besides its state. */
export interface DetailsWanted {
  readonly withTrades: boolean;
  readonly withFees: boolean;
  /** Clip and params of the request. */
  readonly withParams: boolean;
}

/** Orders by id or by client order id; the answer is the union. */
export interface OrderNames {
  readonly orderIds: readonly OrderId[];
  readonly clientOrderIds: readonly ClientOrderId[];
}

/** A list to read from the journal. Plain data: it is copied to the reader thread. */
export type ReadRequest =
  /** Every open order, by ascending id. */
  | { readonly kind: 'open'; readonly account: AccountId; readonly wanted: DetailsWanted }
  /** Orders created within [fromMs, toMs], newest first. */
  | {
      readonly kind: 'find';
      readonly account: AccountId;
      readonly fromMs: EpochMs;
      readonly toMs: EpochMs;
      readonly limit: number;
      readonly wanted: DetailsWanted;
    }
  | {
      readonly kind: 'named';
      readonly account: AccountId;
      readonly names: OrderNames;
      readonly wanted: DetailsWanted;
    }
  /** Fills of the named orders at one venue, grouped by order, in the order of the names. */
  | {
      readonly kind: 'trades';
      readonly account: AccountId;
      readonly names: OrderNames;
      readonly venue: Venue;
      /** null: of every subaccount. */
      readonly subaccount: string | null;
    }
  /** The current state of these orders; a refusal replaces an order's own outcome. The caller has checked the owner. */
  | { readonly kind: 'listed'; readonly orderIds: Float64Array; readonly refusals: ReadonlyMap<OrderId, Rejection> }
  /** At most `limit` events of an order with seq > after. The caller has checked the owner. */
  | {
      readonly kind: 'timeline';
      readonly orderId: OrderId;
      readonly after: Seq | 0;
      readonly limit: number;
    };

/** The next part of an answer. */
export interface ReadPage {
  /** JSON text in UTF-8. */
  readonly bytes: Uint8Array;
  /** Rows of the answer that are known so far. */
  readonly rowsKnown: number;
  readonly isLast: boolean;
}

/** Reads answers page by page. */
export interface ReadHost {
  /**
   * Reads the next page of a job, a number that the caller chooses. `request` comes with the first page only. Answers
   * once, later; null: the job failed and no longer exists. The last page ends the job.
   */
  page(job: number, request: ReadRequest | null, answer: (page: ReadPage | null) => void): void;
  /** Ends a job before its last page. */
  drop(job: number): void;
}

export const COST_DIMENSIONS = ['strategy', 'symbol', 'exchange', 'side'] as const;
/** Dimension by which a cost report groups its orders. */
export type CostDimension = (typeof COST_DIMENSIONS)[number];

/** Cost of one order. The caller has checked that the order belongs to the account. */
interface OrderCostRequest {
  readonly kind: 'order';
  /** The account that asks. */
  readonly account: AccountId;
  readonly orderId: OrderId;
  /** Now, service time. */
  readonly asOfMs: EpochMs;
}

/** A window of orders by creation time, with grouping and filters. Empty when it ends before it begins. */
export interface CostWindow {
  readonly fromMs: EpochMs;
  readonly toMs: EpochMs;
  /** Grouping, each dimension once. */
  readonly by: readonly CostDimension[];
  /** Filters; null: no filter. */
  readonly venue: Venue | null;
  /** As in the orders, in upper case. */
  readonly symbol: string | null;
  readonly strategy: StrategyName | null;
}

/** Cost of the account's orders in a window. */
export interface WindowCostRequest extends CostWindow {
  readonly kind: 'window';
  readonly account: AccountId;
  /** Now, service time. */
  readonly asOfMs: EpochMs;
}

export type CostRequest = OrderCostRequest | WindowCostRequest;
