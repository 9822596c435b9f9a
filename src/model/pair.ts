import type { Amount } from './amount.js';
import type { AssetCategory, Venue } from './exchange.js';
import type { InstrumentIndex } from './instrument.js';
import {
  isTerminal,
  type Clip,
  type ParentOrder,
  type ParentState,
  type Side,
  type StrategyName,
  type WorkingTerms,
} from './order.js';
import type { Grid, Lots, Ticks } from './quantity.js';
import type { DurationMs } from './time.js';

export const MULTI_LEGS_ALGOS = ['PAIR'] as const;

/** One side of a PAIR, with all that working it needs. Constant for the life of the order. */
export interface OrderLeg extends Grid, WorkingTerms {
  readonly venue: Venue;
  readonly instrument: InstrumentIndex;
  /** As the client sent it; answers echo it. */
  readonly symbol: string;
  readonly assetCategory: AssetCategory;
  readonly side: Side;
  /** What is to be filled, in `ccy`: canonical decimal text, above 0. */
  readonly targetValue: string;
  /** In upper case: the base, the quote, or USD for a quote that is worth one. */
  readonly ccy: string;
  /** True when `ccy` is the base: the target is a quantity. */
  readonly isBaseTarget: boolean;
  /** The target in lots, at the limit price or the mid when the order came in. */
  readonly quantity: Lots;
  readonly limitPrice: Ticks | null;
  readonly strategy: StrategyName;
  readonly clip: Clip;
  /** As of an order: canonical JSON of clip and params, '' when none. */
  readonly requestEcho: string;
}

/** What makes a multi-leg order of a parent order, whose own fields are those of the leading leg. */
export interface Pair {
  /** In the order of the request. */
  readonly legs: readonly [OrderLeg, OrderLeg];
  /** Of the leg that is worked by its own strategy; the other follows its filled value. */
  readonly leadingIndex: 0 | 1;
  /** In quote currency of the leading leg; null: twice its clip. */
  readonly maxUnhedgedValue: Amount | null;
  readonly maxUnhedgedMs: DurationMs;
  readonly hedgeSlippageBps: number;
}

/** What an open PAIR is told for as long as its legs are not worked. */
export const PAIR_NOTICE =
  'algo PAIR is not worked yet: the order is kept and places no child order, until it is cancelled or its time is over';

/** What there is to say of an order that nothing is wrong with; null: nothing. */
export function noticeOf({ order, status }: Pick<ParentState, 'order' | 'status'>): string | null {
  return order.pair === null || isTerminal(status) ? null : PAIR_NOTICE;
}

/** True when any part of the order trades at the venue. */
export function tradesAt({ venue, pair }: ParentOrder, at: Venue): boolean {
  return venue === at || (pair !== null && pair.legs.some((leg) => leg.venue === at));
}

/** Where an order trades besides its own venue; null when nowhere else. */
export function otherVenueOf({ venue, pair }: ParentOrder): Venue | null {
  return pair?.legs.find((leg) => leg.venue !== venue)?.venue ?? null;
}
