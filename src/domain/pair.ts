import type { AssetCategory, Venue } from './exchange.js';
import type { InstrumentIndex } from './instrument.js';
import type { Clip, ParentOrder, Side, StrategyName, WorkingTerms } from './order.js';
import { type Amount, formatAmount, formatLots, type Grid, type Lots, parseAmount, type Ticks } from './quantity.js';
import { assert } from './rejection.js';
import type { DurationMs } from './time.js';
export const MULTI_LEGS_ALGOS = ['PAIR'] as const;

/** Place of a leg in its order, in the order of the request. An order of one leg has leg 0. */
export type LegIndex = 0 | 1;

/** A value for each leg of an order, in the order of the request. */
export type PerLeg<T> = readonly [T] | readonly [T, T];

/** Value of a leg. Throws InvariantViolation when the order has no such leg. */
export function legAt<T>(legs: PerLeg<T>, leg: LegIndex): T {
  const found: T | undefined = leg === 0 ? legs[0] : legs[1];
  assert(found !== undefined, 'the order has this leg');
  return found;
}

/** Returns the values with another one for the leg. */
export function withLeg<T>(legs: PerLeg<T>, leg: LegIndex, value: T): PerLeg<T> {
  if (legs.length === 1) return [value];
  return leg === 0 ? [value, legs[1]] : [legs[0], value];
}

export function mapLegs<T, U>(legs: PerLeg<T>, of: (value: T, leg: LegIndex) => U): PerLeg<U> {
  return legs.length === 1 ? [of(legs[0], 0)] : [of(legs[0], 0), of(legs[1], 1)];
}

/** Terms of one leg of a PAIR. */
export interface OrderLeg extends Grid, WorkingTerms {
  readonly venue: Venue;
  readonly instrument: InstrumentIndex;
  /** As the client sent it; answers echo it. */
  readonly symbol: string;
  readonly assetCategory: AssetCategory;
  readonly side: Side;
  /** Target in `ccy`: canonical decimal text, above 0. */
  readonly targetValue: string;
  /** Currency of the target in upper case: the base, the quote, or USD for a quote that is worth one USD. */
  readonly ccy: string;
  /** True when `ccy` is the base: the target is a quantity. */
  readonly isBaseTarget: boolean;
  /** Target in lots, at the limit price or the mid at the creation of the order. */
  readonly quantity: Lots;
  readonly limitPrice: Ticks | null;
  readonly strategy: StrategyName;
  readonly clip: Clip;
  /** Canonical JSON of clip and params, '' when none. */
  readonly requestEcho: string;
}

/** Terms that only a pair has. The order's own fields are those of its leading leg. */
export interface Pair {
  /** In the order of the request. */
  readonly legs: readonly [OrderLeg, OrderLeg];
  /** The leg that its strategy works. The other leg hedges its fills. */
  readonly leadingIndex: LegIndex;
  /** False when neither leg leads: each leg has its own strategy. `leadingIndex` still selects the order's own fields. */
  readonly isLed: boolean;
  /** In quote currency of the leading leg; null: twice its clip. */
  readonly maxUnhedgedValue: Amount | null;
  readonly maxUnhedgedMs: DurationMs;
  readonly hedgeSlippageBps: number;
}

/** Terms of a leg that its children trade by. */
export type Traded = Grid &
  Pick<
    ParentOrder,
    'venue' | 'instrument' | 'symbol' | 'assetCategory' | 'side' | 'quantity' | 'limitPrice' | 'strategy'
  >;

/** The other leg of a pair. */
export function otherLeg(leg: LegIndex): LegIndex {
  return leg === 0 ? 1 : 0;
}

/** Index of the leading leg: 0 for an order of one leg. */
export function leadingLegOf({ pair }: Pick<ParentOrder, 'pair'>): LegIndex {
  return pair === null ? 0 : pair.leadingIndex;
}

/** Index of the leg that hedges the leading leg. */
export function hedgingLegOf({ leadingIndex }: Pair): LegIndex {
  return otherLeg(leadingIndex);
}

/** Terms of a leg. An order of one leg is its own leg. */
export function legOf<Order extends Traded & Pick<ParentOrder, 'pair'>>(order: Order, leg: LegIndex): Order | OrderLeg {
  return order.pair === null ? order : order.pair.legs[leg];
}

/**
 * Returns the leg that trades the instrument. The side decides between two legs of one instrument. null: no leg trades it.
 * Of two legs with the same instrument and side it returns the first.
 */
export function legTrading({ pair }: ParentOrder, instrument: InstrumentIndex, side?: Side): LegIndex | null {
  if (pair === null) return 0;
  const [first, second] = pair.legs;
  if (first.instrument !== instrument) return second.instrument === instrument ? 1 : null;
  return second.instrument === instrument && first.side !== side && second.side === side ? 1 : 0;
}

/** True when a leg of the order trades at the venue. */
export function tradesAt({ venue, pair }: ParentOrder, at: Venue): boolean {
  return venue === at || (pair !== null && pair.legs.some((leg) => leg.venue === at));
}

interface EventVenues {
  /** Venue of the child's leg, else of the order. */
  readonly venue: Venue;
  /** Venue of the other leg; null: the same venue or no other leg. */
  readonly otherVenue: Venue | null;
}

/** `leg`: leg of the child that the event is about; null for an event about the order. */
export function eventVenues(order: ParentOrder, leg: LegIndex | null): EventVenues {
  if (order.pair === null) return { venue: order.venue, otherVenue: null };
  const venue = leg === null ? order.venue : legOf(order, leg).venue;
  return { venue, otherVenue: order.pair.legs.find((leg) => leg.venue !== venue)?.venue ?? null };
}

/** Returns the order with another quantity, above 0. The legs of a pair change in proportion, in whole lots. */
export function withQuantity(order: ParentOrder, quantity: Lots): ParentOrder {
  if (quantity === order.quantity) return order;
  if (order.pair === null) return { ...order, quantity };
  const resized = (leg: OrderLeg, index: number): OrderLeg =>
    legFor(leg, index === order.pair?.leadingIndex ? quantity : partOf(leg.quantity, quantity, order.quantity));
  const [first, second] = order.pair.legs;
  return { ...order, quantity, pair: { ...order.pair, legs: [resized(first, 0), resized(second, 1)] } };
}

/** Returns the leg with another quantity. Its target changes with it: exactly in the base, in proportion in money. */
function legFor(leg: OrderLeg, quantity: Lots): OrderLeg {
  if (leg.isBaseTarget) return { ...leg, quantity, targetValue: formatLots(quantity, leg) };
  const money = (parseAmount(leg.targetValue) * BigInt(quantity)) / BigInt(leg.quantity);
  return { ...leg, quantity, targetValue: formatAmount(money as Amount) };
}

function partOf(lots: Lots, part: Lots, ofWhole: Lots): Lots {
  return Number((BigInt(lots) * BigInt(part)) / BigInt(ofWhole)) as Lots;
}
