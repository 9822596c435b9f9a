import type { StrategyView } from '../model/intent.js';
import { REACTION_MS } from '../model/limits.js';
import type { Market } from '../model/market.js';

const PPM = 1_000_000;
const MINUTE_MS = 60_000;

/** What taking costs beyond resting: the difference of the fees and the spread, as a fraction of the price. */
function crossingCost({ instrument, market }: StrategyView): number {
  const { takerFeePpm, makerFeePpm } = instrument;
  return (takerFeePpm - makerFeePpm) / PPM + (2 * (market.ask - market.bid)) / (market.ask + market.bid);
}

/**
 * How long an order may wait in the book for a maker's price, in milliseconds. What waits is an option on the price that
 * anybody may exercise for nothing (Copeland and Galai, 1983): after a time t it is worth σ·√(t / 2π). The wait is over
 * when that is as much as taking costs. null while the volatility is unknown.
 */
export function patienceMs(view: StrategyView): number | null {
  if (view.market.volatility === 0) return null;
  return 2 * Math.PI * MINUTE_MS * (crossingCost(view) / view.market.volatility) ** 2;
}

/**
 * Whether a child that rests earns what it risks until it can be out of the way of a move. It does not where taking
 * costs hardly more than making, as where both pay the same fee.
 */
export function isRestingWorthwhile(view: StrategyView): boolean {
  return (patienceMs(view) ?? Infinity) > REACTION_MS;
}

/** How far the price moves, on average, before a resting child can be out of its way, as a fraction of the price. */
export function expectedMove({ volatility }: Market): number {
  return volatility * Math.sqrt((2 * REACTION_MS) / (Math.PI * MINUTE_MS));
}
