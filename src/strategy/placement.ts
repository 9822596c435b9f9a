import type { Instrument } from '../model/instrument.js';
import type { StrategyIntent, StrategyView } from '../model/intent.js';
import { LIVE_CHILDREN_MAX, PLACEMENTS_COUNT_MAX } from '../model/limits.js';
import { fieldOf, type Market, type MarketCondition } from '../model/market.js';
import type { LiveChild, ParentOrder, Reason, Side } from '../model/order.js';
import type { Lots, Ticks } from '../model/quantity.js';
import type { PlacementClass } from '../model/request-class.js';

/** Best price of the own side of the book, where a passive child joins; 0 when it is empty. */
export function nearTouch(side: Side, market: Market): Ticks {
  return side === 'BUY' ? market.bid : market.ask;
}

/** Best price of the other side, which an aggressive child crosses to; 0 when it is empty. */
export function farTouch(side: Side, market: Market): Ticks {
  return side === 'BUY' ? market.ask : market.bid;
}

/** Met by whatever the market does next. */
export const whenAnything: MarketCondition = { field: 'volume', at: 'or above', bound: 0 };

/** Met when a side of the book that is empty now is there again. */
export function whenPresent(field: 'bid' | 'ask'): MarketCondition {
  return { field, at: 'or above', bound: 1 };
}

/** Met when the own side of the book offers more than `price`: a child resting there has been left behind. */
export function whenLeftBehind(side: Side, price: Ticks): MarketCondition {
  return side === 'BUY'
    ? { field: 'bid', at: 'or above', bound: price + 1 }
    : { field: 'ask', at: 'or below', bound: price - 1 };
}

/** Met when the other side of the book has come within `limit`. */
export function whenCrossable(side: Side, limit: Ticks): MarketCondition {
  return side === 'BUY'
    ? { field: 'ask', at: 'or below', bound: limit }
    : { field: 'bid', at: 'or above', bound: limit };
}

/**
 * Met when the market is near enough for the venue to take an order that rests this far away from it; null when the
 * venue takes it already. With an empty side nothing is near.
 */
export function whenTakeable({ state, instrument, market }: StrategyView, price: Ticks): MarketCondition | null {
  const { buyBand, sellBand } = instrument.filters;
  if (state.order.side === 'BUY') {
    if (buyBand.minPpm === null) return null;
    const bound = Math.floor((price * 1_000_000) / buyBand.minPpm);
    return market.ask > 0 && market.ask <= bound ? null : { field: 'ask', at: 'or below', bound };
  }
  if (sellBand.maxPpm === null) return null;
  const bound = Math.ceil((price * 1_000_000) / sellBand.maxPpm);
  return market.bid > 0 && market.bid >= bound ? null : { field: 'bid', at: 'or above', bound };
}

/** True when `price` is no better for the order than `bound`: a buy at or above it, a sell at or below. */
export function isAsAggressive(side: Side, price: Ticks, bound: Ticks): boolean {
  return side === 'BUY' ? price >= bound : price <= bound;
}

/** True when the order's limit allows a child at this price. */
export function isWithinLimit({ side, limitPrice }: ParentOrder, price: Ticks): boolean {
  return limitPrice === null || isAsAggressive(side, limitPrice, price);
}

/** The price, held back at the order's limit. */
export function withinLimit(order: ParentOrder, price: Ticks): Ticks {
  return order.limitPrice === null || isWithinLimit(order, price) ? price : order.limitPrice;
}

/** The price moved towards the other side of the book by parts per million, rounded to the nearer tick; at least 1. */
export function reached(side: Side, price: Ticks, ppm: number): Ticks {
  const reach = Math.floor((price * ppm) / 1_000_000);
  return Math.max(1, side === 'BUY' ? price + reach : price - reach) as Ticks;
}

/** The least quantity a child at this price may have, by quantity and by notional. */
export function minimumAt({ quantityMin, notionalMin }: Instrument, price: Ticks): Lots {
  return Math.max(1, quantityMin, Math.ceil(notionalMin / price)) as Lots;
}

/** The most quantity a child at this price may have, by quantity and by notional. */
export function maximumAt({ quantityMax, filters }: Instrument, price: Ticks): Lots {
  return Math.min(quantityMax, Math.floor(filters.notionalMax / price)) as Lots;
}

/** Not filled and not working; 0 when late fills have brought in more than was wanted. */
export function unplaced(view: StrategyView): Lots {
  return unplacedBeside(view, view.working);
}

/** The same when so much were working. */
export function unplacedBeside({ state }: StrategyView, working: number): Lots {
  return Math.max(0, state.order.quantity - state.progress.filled - working) as Lots;
}

/**
 * How much of `wanted` can be placed at this price: nothing while it is below the minimum (it is carried into the next
 * slice), and all there is when the order would else keep a rest that is.
 */
export function placeable(view: StrategyView, wanted: number, price: Ticks): Lots {
  return placeableOf(unplaced(view), wanted, view.instrument, price);
}

/** The same of so much that is neither filled nor working. */
export function placeableOf(free: Lots, wanted: number, instrument: Instrument, price: Ticks): Lots {
  const minimum = minimumAt(instrument, price);
  const quantity = Math.min(wanted, free);
  if (quantity < minimum) return 0 as Lots;
  return (free - quantity < minimum ? free : quantity) as Lots;
}

/** Part `index` of so many whose sum is exact: the first ones are the larger by a lot. */
export function partOf(quantity: Lots, count: number, index: number): Lots {
  const whole = Math.floor(quantity / count);
  return (index < quantity - whole * count ? whole + 1 : whole) as Lots;
}

/**
 * How a child stands in the market; `price` of a market order is what it is expected to be done at. Who joins others in
 * the book is there to make, and is sent so that it cannot take; what rests at a price of the client's may trade at once.
 */
export interface ChildShape {
  readonly kind: 'rest' | 'join' | 'take' | 'market';
  readonly price: Ticks;
  /** Absent: as what rests or takes. */
  readonly requestClass?: PlacementClass;
}

type PlaceIntent = Extract<StrategyIntent, { readonly kind: 'Place' }>;

/**
 * Placements of `quantity`, none larger than the venue takes nor, where the minimum allows it, than `clip`. Exact in sum
 * unless there would be more than may live at once: then the rest is for later.
 */
export function place(
  view: StrategyView,
  quantity: Lots,
  clip: Lots | null,
  shape: ChildShape,
  reason: Reason,
): PlaceIntent[] {
  const countMax = Math.min(PLACEMENTS_COUNT_MAX, LIVE_CHILDREN_MAX - view.state.children.length);
  const count = partCount(view.instrument, quantity, clip, shape);
  if (count === 1 && countMax > 0) return [placement(view, quantity, shape, reason)];
  return Array.from({ length: Math.max(0, Math.min(count, countMax)) }, (_, index) =>
    placement(view, partOf(quantity, count, index), shape, reason),
  );
}

/** How many placements that makes, at least one: none under the venue's minimum. */
export function partCount(
  instrument: Instrument,
  quantity: Lots,
  clip: Lots | null,
  { kind, price }: ChildShape,
): number {
  const maximum = kind === 'market' ? instrument.filters.marketQuantityMax : maximumAt(instrument, price);
  const largest = Math.min(clip ?? maximum, maximum);
  return Math.max(1, Math.min(Math.ceil(quantity / largest), Math.floor(quantity / minimumAt(instrument, price))));
}

export function placement(view: StrategyView, quantity: Lots, shape: ChildShape, reason: Reason): PlaceIntent {
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

/** True of a child in the book that nobody has asked to end yet. */
export function isResting(child: LiveChild): boolean {
  return (
    child.order.timeInForce === 'GTC' &&
    child.state !== 'CANCEL_IN_FLIGHT' &&
    !(child.state === 'UNKNOWN' && child.cancelWanted)
  );
}

/** True while the venue is being asked to end a child of the order. */
export function isWithdrawing({ state }: StrategyView): boolean {
  for (const child of state.children) if (child.state === 'CANCEL_IN_FLIGHT') return true;
  return false;
}

const NO_CHILDREN: readonly LiveChild[] = [];

export function restingChildren({ state }: StrategyView): readonly LiveChild[] {
  return state.children.length === 0 ? NO_CHILDREN : state.children.filter(isResting);
}

export function cancel(children: readonly LiveChild[], reason: Reason): StrategyIntent[] {
  return children.map(({ order }) => ({ kind: 'CancelChild', child: order.child, reason }));
}

/** What the venue may still fill of a child. */
export function restOf({ order, progress }: LiveChild): Lots {
  return (order.quantity - progress.filled) as Lots;
}

/**
 * What the market and the order looked like when the strategy decided: the numbers behind a reason, in lots and ticks.
 * The imbalance is the bids' share of what stands at the best prices.
 */
export function circumstances({ state, working, market }: StrategyView, target: Lots | null): string {
  const { filled } = state.progress;
  const goal = target === null ? '' : `target=${target} lag=${target - filled} `;
  const share = fieldOf('bidShare', market);
  const imbalance = share === null ? '' : ` imbalance=${Math.round(share * 1000) / 1000}`;
  return `${goal}filled=${filled} working=${working} bid=${market.bid} ask=${market.ask}${imbalance}`;
}
