import type { Amount } from './amount.js';
import type { OrderEvent } from './event.js';
import type { AssetCategory, Venue } from './exchange.js';
import type { InstrumentIndex } from './instrument.js';
import type { ChildNumber } from './ids.js';
import type {
  Clip,
  FeeTotal,
  ParentOrder,
  ParentState,
  Progress,
  Side,
  StrategyMemory,
  StrategyName,
  WorkingTerms,
} from './order.js';
import type { Grid, Lots, Ticks } from './quantity.js';
import type { Rejection } from './rejection.js';
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
  /** False when neither leads: both are worked by their strategies, and the one at `leadingIndex` is leading by name. */
  readonly isLed: boolean;
  /** In quote currency of the leading leg; null: twice its clip. */
  readonly maxUnhedgedValue: Amount | null;
  readonly maxUnhedgedMs: DurationMs;
  readonly hedgeSlippageBps: number;
}

/**
 * How far the other leg of a pair has come: what ParentState tells of the leading one. Its children and theirs are
 * numbered apart (nextChildNumber), so that the number of a child says whose it is, also when a fill comes late.
 */
export interface FollowerState {
  readonly progress: Progress;
  readonly makerFilled: Lots;
  readonly lastQuantity: Lots;
  readonly lastPrice: Ticks;
  readonly fees: readonly FeeTotal[];
  readonly childCount: number;
  readonly refusals: number;
  readonly lastRefusal: Rejection | null;
  /** Of the hedge and, where no leg leads, of the leg's strategy behind that. */
  readonly memory: StrategyMemory;
}

/** First of the numbers that the hedge remembers: what one unit of the other leg's quote is worth in the leading one's. */
export function quoteRateOf({ memory }: FollowerState): number {
  return memory[0] ?? 1;
}

/** What is traded by a child: an order's own fields, or those of the other leg. */
export type Traded = Grid &
  Pick<
    ParentOrder,
    'venue' | 'instrument' | 'symbol' | 'assetCategory' | 'side' | 'quantity' | 'limitPrice' | 'strategy'
  >;

/** The leg that is not the leading one. */
export function followingLeg({ legs, leadingIndex }: Pair): OrderLeg {
  return leadingIndex === 0 ? legs[1] : legs[0];
}

/** True for a child of a pair's other leg. */
export function isFollowers({ pair }: Pick<ParentOrder, 'pair'>, child: ChildNumber): boolean {
  return pair !== null && child % 2 === 0;
}

/** What the child trades. */
export function tradedBy<Order extends Traded & Pick<ParentOrder, 'pair'>>(
  order: Order,
  child: ChildNumber,
): Order | OrderLeg {
  return order.pair !== null && isFollowers(order, child) ? followingLeg(order.pair) : order;
}

/**
 * Number of the next child. A pair gives the odd numbers to its leading leg and the even ones to the other: 1, 3, 5 and
 * 2, 4, 6, whichever is placed first.
 */
export function nextChildNumber({ order, childCount, follower }: ParentState, ofFollower: boolean): ChildNumber {
  if (order.pair === null) return (childCount + 1) as ChildNumber;
  return (ofFollower ? 2 * ((follower?.childCount ?? 0) + 1) : 2 * childCount + 1) as ChildNumber;
}

/** The place of a child among those of its leg: what `childCount` counts. */
export function childPlace({ pair }: Pick<ParentOrder, 'pair'>, child: ChildNumber): number {
  return pair === null ? child : Math.ceil(child / 2);
}

/** True when any part of the order trades at the venue. */
export function tradesAt({ venue, pair }: ParentOrder, at: Venue): boolean {
  return venue === at || (pair !== null && pair.legs.some((leg) => leg.venue === at));
}

export interface EventVenues {
  /** Where the event happened: that of the child's leg, else of the order. */
  readonly venue: Venue;
  /** Where the order trades besides; null when nowhere else. */
  readonly otherVenue: Venue | null;
}

export function eventVenues(order: ParentOrder, event: OrderEvent): EventVenues {
  if (order.pair === null) return { venue: order.venue, otherVenue: null };
  const child =
    event.kind === 'ChildSubmitted' || event.kind === 'ChildAdopted'
      ? event.order.child
      : 'child' in event
        ? event.child
        : null;
  const venue = child === null ? order.venue : tradedBy(order, child).venue;
  return { venue, otherVenue: order.pair.legs.find((leg) => leg.venue !== venue)?.venue ?? null };
}
