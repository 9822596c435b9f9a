import type { StrategyView } from '../model/intent.js';
import type { ParentOrder } from '../model/order.js';
import type { Ticks } from '../model/quantity.js';
import { isAsAggressive, isWithinLimit } from './placement.js';

const BPS = 10_000;

/**
 * The worst price that `would` acts at: its own or the arrival price, held inside the limit; null without `would`.
 * A buy's arrival price is rounded down to the tick, a sell's up.
 */
export function wouldPriceOf({ state }: StrategyView): Ticks | null {
  const { order, arrivalTwiceMid } = state;
  if (order.would === null || arrivalTwiceMid === null) return null;
  return inside(order, order.would.price ?? towardsOwnSide(order, arrivalTwiceMid / 2));
}

/** The worst price that the price lock acts at: so many basis points better than at arrival; null without one. */
export function lockPriceOf({ state }: StrategyView): Ticks | null {
  const { order, arrivalTwiceMid } = state;
  if (order.priceLockBps === null || arrivalTwiceMid === null) return null;
  const better = order.side === 'BUY' ? BPS - order.priceLockBps : BPS + order.priceLockBps;
  return inside(order, towardsOwnSide(order, (arrivalTwiceMid * better) / (2 * BPS)));
}

function towardsOwnSide({ side }: ParentOrder, price: number): Ticks {
  return Math.max(1, side === 'BUY' ? Math.floor(price) : Math.ceil(price)) as Ticks;
}

function inside(order: ParentOrder, price: Ticks): Ticks {
  const { limitPrice, side } = order;
  return limitPrice === null || isWithinLimit(order, price) || isAsAggressive(side, limitPrice, price)
    ? price
    : limitPrice;
}
