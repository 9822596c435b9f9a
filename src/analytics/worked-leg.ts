import type { FeeTotal, ParentOrder, RestingStatus, Side, StrategyMemory, StrategyName } from '../model/order.js';
import type { Venue } from '../model/exchange.js';
import type { InstrumentIndex } from '../model/instrument.js';
import type { Grid, Lots } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import type { ExecutedFill } from './execution.js';

/** What became of the children of a leg. */
export interface ChildCounts {
  readonly sent: number;
  /** Of what was sent. */
  readonly sentQuantity: Lots;
  /** With a fill at least. */
  readonly filled: number;
  readonly rejected: number;
  /** Ended with quantity left, by us or by the venue. */
  readonly cancelled: number;
  /** Cancels that were asked for. */
  readonly cancelRequests: number;
}

/** A strategy's beginning, which is again after a pause or an amendment, and until when it went on. */
export interface WorkedPlan {
  /** Terms that held then. */
  readonly order: ParentOrder;
  readonly atMs: EpochMs;
  readonly filled: Lots;
  readonly memory: StrategyMemory;
  /** When it was interrupted or the order ended; null: it goes on. */
  readonly untilMs: EpochMs | null;
}

/** One leg of an order as it was done, folded from its journal: all that its cost depends on besides the market. */
export interface WorkedLeg extends Grid {
  readonly venue: Venue;
  readonly instrument: InstrumentIndex;
  /** As the client sent it. */
  readonly symbol: string;
  readonly side: Side;
  readonly strategy: StrategyName;
  /** By the terms as last amended. */
  readonly quantity: Lots;
  readonly status: RestingStatus;
  /** When it first could trade, and twice the mid then; null: it could not yet, or nobody has told the mid. */
  readonly startedAtMs: EpochMs | null;
  readonly arrivalTwiceMid: number | null;
  /** null: it still works. */
  readonly endedAtMs: EpochMs | null;
  /** When it is to be done, by its terms or its plan; null: whenever. */
  readonly dueAtMs: EpochMs | null;
  /** Share of all volume that it wants to be; null unless that is its strategy. */
  readonly wantedParticipation: number | null;
  /** In order of time. A fee in base currency is valued at its fill's price; any other is not in them. */
  readonly fills: readonly ExecutedFill[];
  /** As charged, one entry a currency. */
  readonly fees: readonly FeeTotal[];
  /** True when all fees could be valued in quote currency. */
  readonly areFeesValued: boolean;
  readonly children: ChildCounts;
  readonly plans: readonly WorkedPlan[];
}
