import type { Venue } from './exchange.js';
import type { InstrumentIndex } from './instrument.js';
import type { Leg, ParentOrder, Side } from './order.js';
import { legAt, type LegIndex, mapLegs, otherLeg } from './pair.js';
import { type Amount, formatAmount, formatLots, type Grid, type Lots, parseAmount } from './quantity.js';

/** Terms of a leg that its children trade by. */
export type Traded = Grid &
  Pick<Leg, 'venue' | 'instrument' | 'symbol' | 'assetCategory' | 'side' | 'quantity' | 'limitPrice' | 'strategy'>;

/** Index of the leading leg: 0 for an order of one leg. */
export function leadingIndexOf({ pair }: Pick<ParentOrder, 'pair'>): LegIndex {
  return pair === null ? 0 : pair.leadingIndex;
}

/** Terms of the leading leg, or of the only one. Answers about an order show this leg. */
export function leadingLeg({ legs, pair }: Pick<ParentOrder, 'legs' | 'pair'>): Leg {
  return pair === null ? legs[0] : legAt(legs, pair.leadingIndex);
}

/** The echo of a whole order: that of its only leg, or that of the params of a pair. */
export function requestEchoOf({ legs, pair }: ParentOrder): string {
  return pair === null ? legs[0].requestEcho : pair.requestEcho;
}

/**
 * Returns the leg that trades the instrument. The side decides between two legs of one instrument. null: no leg trades
 * it. Of two legs with the same instrument and side it returns the first.
 */
export function legTrading({ legs }: ParentOrder, instrument: InstrumentIndex, side?: Side): LegIndex | null {
  if (legs.length === 1) return 0;
  const [first, second] = legs;
  if (first.instrument !== instrument) return second.instrument === instrument ? 1 : null;
  return second.instrument === instrument && first.side !== side && second.side === side ? 1 : 0;
}

/** True when a leg of the order trades at the venue. */
export function tradesAt({ legs }: ParentOrder, at: Venue): boolean {
  return legs[0].venue === at || legs[1]?.venue === at;
}

interface EventVenues {
  /** Venue of the child's leg, else of the leading leg. */
  readonly venue: Venue;
  /** Venue of the other leg; null: the same venue or no other leg. */
  readonly otherVenue: Venue | null;
}

/** `leg`: leg of the child that the event is about; null for an event about the order. */
export function eventVenues(order: ParentOrder, leg: LegIndex | null): EventVenues {
  const { legs } = order;
  const index = leg ?? leadingIndexOf(order);
  const { venue } = legAt(legs, index);
  if (legs.length === 1) return { venue, otherVenue: null };
  const other = legs[otherLeg(index)].venue;
  return { venue, otherVenue: other === venue ? null : other };
}

/** True when a leg of the new terms has a larger quantity. */
export function isLarger(terms: ParentOrder, before: ParentOrder): boolean {
  return terms.legs.some(({ quantity }, leg) => quantity > (before.legs[leg]?.quantity ?? 0));
}

/**
 * Returns the order with another quantity of its leading leg, above 0. The other leg changes in proportion, in whole
 * lots.
 */
export function withQuantity(order: ParentOrder, quantity: Lots): ParentOrder {
  const leading = leadingIndexOf(order);
  const whole = legAt(order.legs, leading).quantity;
  if (quantity === whole) return order;
  const legs = mapLegs(order.legs, (leg, index) =>
    resized(leg, index === leading ? quantity : partOf(leg.quantity, quantity, whole)),
  );
  return { ...order, legs };
}

/** Returns the leg with another quantity. Its target changes with it: exactly in the base, in proportion in money. */
function resized(leg: Leg, quantity: Lots): Leg {
  const { target } = leg;
  if (target === null) return { ...leg, quantity };
  if (target.isBase) return { ...leg, quantity, target: { ...target, value: formatLots(quantity, leg) } };
  const money = (parseAmount(target.value) * BigInt(quantity)) / BigInt(leg.quantity);
  return { ...leg, quantity, target: { ...target, value: formatAmount(money as Amount) } };
}

function partOf(lots: Lots, part: Lots, ofWhole: Lots): Lots {
  return Number((BigInt(lots) * BigInt(part)) / BigInt(ofWhole)) as Lots;
}
