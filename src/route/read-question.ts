import type { Venue } from '../model/exchange.js';
import type { AccountId, ClientOrderId, OrderId, Seq } from '../model/ids.js';
import type { Rejection } from '../model/rejection.js';
import type { EpochMs } from '../model/time.js';

/** What an answer shows of each order besides its state. */
export interface DetailsWanted {
  readonly withTrades: boolean;
  readonly withFees: boolean;
}

/** Orders by either of their names; the answer is the union. */
export interface OrderNames {
  readonly orderIds: readonly OrderId[];
  readonly clientOrderIds: readonly ClientOrderId[];
}

/** A list that is read from the journal. Plain data: it is copied to the thread that reads. */
export type ReadQuestion =
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
  /** Fills of the named orders at one venue, order by order as they are named. */
  | {
      readonly kind: 'trades';
      readonly account: AccountId;
      readonly names: OrderNames;
      readonly venue: Venue;
      /** null: of every subaccount. */
      readonly subaccount: string | null;
    }
  /** These orders as they are now; a refusal is shown instead of an order's own outcome. The asker owns them all. */
  | { readonly kind: 'listed'; readonly orderIds: Float64Array; readonly refusals: ReadonlyMap<OrderId, Rejection> }
  /** At most `limit` events of an order with seq > after. The asker owns the order. */
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
  /** Rows that the answer has, as far as is known by now. */
  readonly rowsKnown: number;
  readonly isLast: boolean;
}

/** Reads answers page by page. */
export interface ReadHost {
  /**
   * Reads the next page of a job, a number that the caller chooses; `question` comes with the first page alone. Answers
   * once, later: null when the job failed, and then there is no such job any more. At the last page the job is over.
   */
  page(job: number, question: ReadQuestion | null, answer: (page: ReadPage | null) => void): void;
  /** Ends a job before its last page. */
  drop(job: number): void;
}
