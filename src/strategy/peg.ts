import type { StrategyView } from '../model/intent.js';
import type { MarketCondition } from '../model/market.js';
import type { DepthSide } from '../model/depth.js';
import type { Ticks } from '../model/quantity.js';
import { isAsAggressive, nearTouch, whenAnything, whenLeftBehind, withinLimit } from './placement.js';

/**
 * Where a passive child goes: the best level of the own side, or the level that the order names, never beyond its limit.
 * null while the book that has the level is not known.
 */
export function pegOf(view: StrategyView): Ticks | null {
  const { order } = view.state;
  if (order.placement?.mode !== 'CUSTOM') return withinLimit(order, nearTouch(order.side, view.market));
  const price = priceAt(ownSide(view), order.placement.level);
  return price === null ? null : withinLimit(order, price);
}

/** True when a child at this price has been left behind: by the touch, or by the level at which it is to go. */
export function isLeft(view: StrategyView, price: Ticks, peg: Ticks): boolean {
  const { side, placement } = view.state.order;
  if (placement?.mode !== 'CUSTOM') return !isAsAggressive(side, price, peg);
  const levels = ownSide(view);
  if (levels === null || levels.count < placement.cancelLevel) return false;
  return isAsAggressive(side, levels.prices[placement.cancelLevel - 1] as Ticks, price);
}

/** What a child at the peg waits for. */
export function whenToFollow({ state }: StrategyView, peg: Ticks): MarketCondition {
  const { side, placement } = state.order;
  return placement?.mode === 'CUSTOM' ? whenAnything : whenLeftBehind(side, peg);
}

function ownSide({ depth, state }: StrategyView): DepthSide | null {
  if (depth === undefined) return null;
  return state.order.side === 'BUY' ? depth.bids : depth.asks;
}

/** The price of a level; of a book with fewer levels its last one; null without any. */
function priceAt(levels: DepthSide | null, level: number): Ticks | null {
  if (levels === null || levels.count === 0) return null;
  return levels.prices[Math.min(level, levels.count) - 1] as Ticks;
}
