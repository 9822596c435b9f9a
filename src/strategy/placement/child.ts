import { crossesBand, minimumAt } from '../../domain/exchange-rules.js';
import type { Instrument } from '../../domain/instrument.js';
import type { StrategyIntent, StrategyView } from '../../domain/intent.js';
import { DEADLINE_REACH_PPM, LIVE_CHILDREN_MAX, PLACEMENTS_COUNT_MAX } from '../../domain/limits/trading.js';
import { fieldOf, type Market, type MarketCondition } from '../../domain/market.js';
import { type LiveChild, restOf } from '../../domain/order-state.js';
import type { GivenReason, Leg, Side } from '../../domain/order.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import type { DecisionFigures, ReasonCode } from '../../domain/reason.js';
import type { PlacementClass } from '../../domain/venue-message.js';
/** Returns the best price of the own side of the book, where a passive child joins; 0 when the side is empty. */
export function nearTouch(side: Side, market: Market): Ticks {
  return side === 'BUY' ? market.bid : market.ask;
}

/** Returns the best price of the other side, which an aggressive child crosses to; 0 when the side is empty. */
export function farTouch(side: Side, market: Market): Ticks {
  return side === 'BUY' ? market.ask : market.bid;
}

/** Met by any change of the market. */
export const whenAnything: MarketCondition = { field: 'volume', at: 'or above', bound: 0 };

/** Met when a side of the book that is empty now has a price again. */
export function whenPresent(field: 'bid' | 'ask'): MarketCondition {
  return { field, at: 'or above', bound: 1 };
}

/**
 * Met when the own side's best price is better than `price`: a child that rests at `price` is no longer at the touch.
 */
export function whenTouchMovesAway(side: Side, price: Ticks): MarketCondition {
  return side === 'BUY'
    ? { field: 'bid', at: 'or above', bound: price + 1 }
    : { field: 'ask', at: 'or below', bound: price - 1 };
}

/** Met when the other side's best price is within `limit`. */
export function whenCrossable(side: Side, limit: Ticks): MarketCondition {
  return side === 'BUY'
    ? { field: 'ask', at: 'or below', bound: limit }
    : { field: 'bid', at: 'or above', bound: limit };
}

/**
 * Met when the market is near enough for the venue to accept an order that rests at `price`; null when the venue
 * accepts it already. Not met while the other side is empty.
 */
export function whenTakeable({ state, instrument, market }: StrategyView, price: Ticks): MarketCondition | null {
  const { buyBand, sellBand } = instrument.filters;
  if (state.order.legs[0].side === 'BUY') {
    if (buyBand.minPpm === null) return null;
    const bound = Math.floor((price * 1_000_000) / buyBand.minPpm);
    return market.ask > 0 && market.ask <= bound ? null : { field: 'ask', at: 'or below', bound };
  }
  if (sellBand.maxPpm === null) return null;
  const bound = Math.ceil((price * 1_000_000) / sellBand.maxPpm);
  return market.bid > 0 && market.bid >= bound ? null : { field: 'bid', at: 'or above', bound };
}

/** True when `price` is equal to or worse for the order than `bound`: a buy at or above it, a sell at or below it. */
export function isAsAggressive(side: Side, price: Ticks, bound: Ticks): boolean {
  return side === 'BUY' ? price >= bound : price <= bound;
}

/** True when the leg's limit allows a child at this price. */
export function isWithinLimit({ side, limitPrice }: Leg, price: Ticks): boolean {
  return limitPrice === null || isAsAggressive(side, limitPrice, price);
}

/** Returns the price, or the leg's limit price where that is less aggressive. */
export function withinLimit(leg: Leg, price: Ticks): Ticks {
  return leg.limitPrice === null || isWithinLimit(leg, price) ? price : leg.limitPrice;
}

/**
 * Moves a price towards the other side of the book by parts per million. The distance is rounded down to ticks; the
 * result is at least 1.
 */
export function reached(side: Side, price: Ticks, ppm: number): Ticks {
  const reach = Math.floor((price * ppm) / 1_000_000);
  return Math.max(1, side === 'BUY' ? price + reach : price - reach) as Ticks;
}

export { minimumAt };

/** Largest quantity that a child at this price may have, by quantity and by notional. */
export function maximumAt({ quantityMax, filters }: Instrument, price: Ticks): Lots {
  return Math.min(quantityMax, Math.floor(filters.notionalMax / price)) as Lots;
}

/** Lots that are neither filled nor working; 0 when late fills exceed the order's quantity. */
export function unplaced(view: StrategyView): Lots {
  return unplacedBeside(view, view.working);
}

/** Lots that would be neither filled nor working if `working` lots were working; at least 0. */
export function unplacedBeside({ state }: StrategyView, working: number): Lots {
  return Math.max(0, state.order.legs[0].quantity - state.legs[0].progress.filled - working) as Lots;
}

/**
 * Returns the part of `wanted` that can be placed at this price. 0 when it is below the minimum: the next slice
 * includes it. All unplaced lots when the remainder would be below the minimum.
 */
export function placeable(view: StrategyView, wanted: number, price: Ticks): Lots {
  return placeableOf(unplaced(view), wanted, view.instrument, price);
}

/** Returns the part of `wanted` that can be placed at this price when `free` lots are neither filled nor working. */
export function placeableOf(free: Lots, wanted: number, instrument: Instrument, price: Ticks): Lots {
  const minimum = minimumAt(instrument, price);
  const quantity = Math.min(wanted, free);
  if (quantity < minimum) return 0 as Lots;
  return (free - quantity < minimum ? free : quantity) as Lots;
}

/**
 * Returns the price for taking `quantity` from the far touch. A partial fill of an order's last child may leave a rest
 * that is below the minimum, which no later child can place. Where that is likely, the child reaches beyond the touch.
 */
export function takingPrice(view: StrategyView, quantity: Lots, touch: Ticks): Ticks {
  const { market, instrument, state } = view;
  const leg = state.order.legs[0];
  if (quantity < unplaced(view)) return touch;
  const least = minimumAt(instrument, touch);
  const missing = quantity - (leg.side === 'BUY' ? market.askQuantity : market.bidQuantity);
  const mayLeaveRest = (quantity > 1 && quantity < 2 * least) || (missing > 0 && missing < least);
  if (!mayLeaveRest) return touch;
  const price = withinLimit(leg, reached(leg.side, touch, DEADLINE_REACH_PPM));
  return quantity >= minimumAt(instrument, price) ? price : touch;
}

/**
 * Returns the price of a child that takes the rest, raised up to `highest` where the exchange values the rest below its
 * minimum otherwise. A buy then reaches further, and a sell less far.
 */
export function worthPlacing(view: StrategyView, price: Ticks, highest: Ticks): Ticks {
  const { instrument, market, state } = view;
  if (state.legs[0].children.length > 0) return price;
  const needed = Math.ceil(instrument.notionalMin / unplaced(view)) as Ticks;
  if (needed <= price || needed > highest) return price;
  return crossesBand(state.order.legs[0].side, needed, instrument, (market.bid + market.ask) / 2) ? price : needed;
}

/** Returns part `index` of `count` parts whose sum is exactly `quantity`. The first parts are larger by one lot. */
export function partOf(quantity: Lots, count: number, index: number): Lots {
  const whole = Math.floor(quantity / count);
  return (index < quantity - whole * count ? whole + 1 : whole) as Lots;
}

/**
 * Kind, price and largest quantity of a child. The price of a market order is its expected fill price. 'join' is a
 * maker order at the book's price: post-only where the exchange offers it. 'rest' is at the client's price: it may
 * trade at once unless the client asks for post-only.
 */
export interface ChildShape {
  readonly kind: 'rest' | 'join' | 'take' | 'market';
  readonly price: Ticks;
  /** Largest quantity of one child. Absent or null: only the bound of the instrument applies. */
  readonly clip?: Lots | null;
  /** Absent: the class follows from resting or taking. */
  readonly requestClass?: PlacementClass;
}

/** The shape of a child, and the code of the reason for it. */
export interface CodedShape extends ChildShape {
  readonly code: ReasonCode;
}

type PlaceIntent = Extract<StrategyIntent, { readonly kind: 'Place' }>;

/**
 * Returns the placements of `quantity`. None is larger than the venue allows, nor than the `clip` of the shape where
 * the minimum allows that. Their sum is `quantity`, unless the number of children is limited: then a later decision
 * places the rest.
 */
export function place(view: StrategyView, quantity: Lots, shape: ChildShape, reason: GivenReason): PlaceIntent[] {
  const countMax = Math.min(PLACEMENTS_COUNT_MAX, LIVE_CHILDREN_MAX - view.state.legs[0].children.length);
  const count = partCount(view.instrument, quantity, shape);
  if (count === 1 && countMax > 0) return [placement(view, quantity, shape, reason)];
  return Array.from({ length: Math.max(0, Math.min(count, countMax)) }, (_, index) =>
    placement(view, partOf(quantity, count, index), shape, reason),
  );
}

/** Number of placements for `quantity`, at least 1. No placement is below the venue's minimum. */
export function partCount(instrument: Instrument, quantity: Lots, { kind, price, clip }: ChildShape): number {
  const maximum = kind === 'market' ? instrument.filters.marketQuantityMax : maximumAt(instrument, price);
  const largest = Math.min(clip ?? maximum, maximum);
  return Math.max(1, Math.min(Math.ceil(quantity / largest), Math.floor(quantity / minimumAt(instrument, price))));
}

export function placement(view: StrategyView, quantity: Lots, shape: ChildShape, reason: GivenReason): PlaceIntent {
  const { kind, price, requestClass } = shape;
  const isResting = kind === 'rest' || kind === 'join';
  const isMaker = view.state.order.postOnly || (kind === 'join' && view.instrument.filters.isPostOnlyOffered);
  const intent: PlaceIntent = {
    kind: 'Place',
    quantity,
    type: kind === 'market' ? 'MARKET' : 'LIMIT',
    timeInForce: isResting ? 'GTC' : 'IOC',
    limitPrice: kind === 'market' ? null : price,
    postOnly: isResting && isMaker,
    reason,
  };
  return requestClass === undefined ? intent : { ...intent, requestClass };
}

/** True when a child rests in the book and no cancel was requested. */
export function isResting(child: LiveChild): boolean {
  return (
    child.order.timeInForce === 'GTC' &&
    child.state !== 'CANCEL_IN_FLIGHT' &&
    !(child.state === 'UNKNOWN' && child.cancelWanted)
  );
}

/** True while a cancel of a child is in flight. */
export function isWithdrawing({ state }: StrategyView): boolean {
  for (const child of state.legs[0].children) if (child.state === 'CANCEL_IN_FLIGHT') return true;
  return false;
}

const NO_CHILDREN: readonly LiveChild[] = [];

export function restingChildren({ state }: StrategyView): readonly LiveChild[] {
  const { children } = state.legs[0];
  return children.length === 0 ? NO_CHILDREN : children.filter(isResting);
}

/** Lots of working IOC children. They may fill before the next report of the exchange. */
export function takingNow({ state }: StrategyView): number {
  let taking = 0;
  for (const child of state.legs[0].children) if (child.order.timeInForce === 'IOC') taking += restOf(child);
  return taking;
}

export function cancel(children: readonly LiveChild[], reason: GivenReason): StrategyIntent[] {
  return children.map(({ order }) => ({ kind: 'CancelChild', child: order.child, reason }));
}

/** Thousandths of a share in its stored unit. */
const SHARE_STEP = 1_000;

/** Returns the figures of the market and the order at a decision. `target`: null when the strategy has none. */
export function circumstances({ state, working, market }: StrategyView, target: Lots | null): DecisionFigures {
  const share = fieldOf('bidShare', market);
  const bidShare = share === null ? Number.NaN : Math.round(share * 1_000) * SHARE_STEP;
  return [target ?? Number.NaN, state.legs[0].progress.filled, working, market.bid, market.ask, bidShare];
}
