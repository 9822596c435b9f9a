import type { StrategyView } from '../../domain/intent.js';
import { REACTION_MS } from '../../domain/limits/trading.js';
import type { DepthSide, MarketCondition } from '../../domain/market.js';
import type { Ticks } from '../../domain/quantity.js';
import { isAsAggressive, nearTouch, whenAnything, whenTouchMovesAway, withinLimit } from './child.js';

const PPM = 1_000_000;
const MINUTE_MS = 60_000;

/** Cost of taking above the cost of resting: difference of the fees plus the spread, as a fraction of the price. */
function crossingCost({ instrument, market }: StrategyView): number {
  const { takerFeePpm, makerFeePpm } = instrument;
  return (takerFeePpm - makerFeePpm) / PPM + (2 * (market.ask - market.bid)) / (market.ask + market.bid);
}

/**
 * Returns how long an order may rest for a maker's price, in ms; null while the volatility is unknown. A resting order
 * is a free option for the other side (Copeland and Galai, 1983). After a time t it is worth σ·√(t / 2π). The wait ends
 * when that equals the extra cost of taking.
 */
export function patienceMs(view: StrategyView): number | null {
  if (view.market.volatility === 0) return null;
  return 2 * Math.PI * MINUTE_MS * (crossingCost(view) / view.market.volatility) ** 2;
}

/**
 * True when a resting child earns more than it risks before it can be withdrawn from a price move. False where taking
 * costs hardly more than resting, for example where both pay the same fee.
 */
export function isRestingWorthwhile(view: StrategyView): boolean {
  return (patienceMs(view) ?? Infinity) > REACTION_MS;
}

/**
 * True where taking is expected to be cheaper than resting, unless the client has set how the order rests. HYBRID then
 * takes. PASSIVE rests, and its decisions and its preview report it.
 */
export function isTakingBetter(view: StrategyView): boolean {
  const { postOnly, legs } = view.state.order;
  return !postOnly && legs[0].placement === null && !isRestingWorthwhile(view);
}

/**
 * Returns the price of a passive child: the best level of the own side, or the level that the order names, within the
 * limit price; null while the depth is unknown.
 */
export function pegOf(view: StrategyView): Ticks | null {
  const leg = view.state.order.legs[0];
  if (leg.placement?.mode !== 'CUSTOM') {
    return withinLimit(leg, nearTouch(leg.side, view.market));
  }
  const price = priceAt(ownSide(view), leg.placement.level);
  return price === null ? null : withinLimit(leg, price);
}

/** True when a child at this price is too far from the market: beyond the peg, or beyond the order's cancel level. */
export function isTooFar(view: StrategyView, price: Ticks, peg: Ticks): boolean {
  const { side, placement } = view.state.order.legs[0];
  if (placement?.mode !== 'CUSTOM') return !isAsAggressive(side, price, peg);
  const levels = ownSide(view);
  if (levels === null || levels.count < placement.cancelLevel) return false;
  return isAsAggressive(side, levels.prices[placement.cancelLevel - 1] as Ticks, price);
}

/** Condition under which a child at the peg must move. */
export function whenToMove({ state, market }: StrategyView): MarketCondition {
  const { side, placement } = state.order.legs[0];
  return placement?.mode === 'CUSTOM' ? whenAnything : whenTouchMovesAway(side, nearTouch(side, market));
}

function ownSide({ depth, state }: StrategyView): DepthSide | null {
  if (depth === undefined) return null;
  return state.order.legs[0].side === 'BUY' ? depth.bids : depth.asks;
}

/** Price of a level, or of the last level of a shorter book; null for an empty book. */
function priceAt(levels: DepthSide | null, level: number): Ticks | null {
  if (levels === null || levels.count === 0) return null;
  return levels.prices[Math.min(level, levels.count) - 1] as Ticks;
}
