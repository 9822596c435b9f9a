import type { StrategyView } from '../model/intent.js';
import type { MarketCondition } from '../model/market.js';
import type { DepthSide } from '../model/depth.js';
import type { ParentOrder } from '../model/order.js';
import type { Ticks } from '../model/quantity.js';
import { expectedMove } from './patience.js';
import { isAsAggressive, nearTouch, whenAnything, whenLeftBehind, withinLimit } from './placement.js';

/**
 * Where a passive child goes: the best level of the own side, or the level that the order names, never beyond its limit.
 * null while the book that has the level is not known. `slack`: how much of its time for making the order has left, 0..1.
 */
export function pegOf(view: StrategyView, slack: number): Ticks | null {
  const { order } = view.state;
  if (order.placement?.mode !== 'CUSTOM') {
    return withinLimit(order, behind(order, nearTouch(order.side, view.market), standBack(view, slack)));
  }
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
export function whenToFollow({ state, market }: StrategyView): MarketCondition {
  const { side, placement } = state.order;
  return placement?.mode === 'CUSTOM' ? whenAnything : whenLeftBehind(side, nearTouch(side, market));
}

/**
 * How far behind the touch a child of an order that shuns adverse selection joins, in ticks: as far as the price is
 * expected to move, either way, before the child can be out of its way; nearer the less `slack` there is.
 */
function standBack({ state, market }: StrategyView, slack: number): number {
  const { imbalanceThresholdPpm, placement, side } = state.order;
  if (imbalanceThresholdPpm === null || placement !== null) return 0;
  return Math.round(slack * expectedMove(market) * nearTouch(side, market));
}

function behind({ side }: ParentOrder, touch: Ticks, ticks: number): Ticks {
  return Math.max(1, side === 'BUY' ? touch - ticks : touch + ticks) as Ticks;
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
