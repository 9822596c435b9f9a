import { HEDGE_FIRST_REACH, HEDGE_LAST_REACH } from '../../model/limits.js';
import type { Pair, Traded } from '../../model/pair.js';
import type { Ticks } from '../../model/quantity.js';
import { farTouch, isAsAggressive, reached } from '../placement.js';
import type { LegSight } from './pair-view.js';

const PPM_PER_BPS = 100;

/** How far a hedge may reach beyond the far touch as long as its time is not over, in units of 10^-6 of it. */
export function reachOf({ hedgeSlippageBps }: Pick<Pair, 'hedgeSlippageBps'>): number {
  return hedgeSlippageBps * PPM_PER_BPS;
}

/** How far beyond the far touch a try may reach, in units of 10^-6 of it: twice as far each time, up to the bound. */
export function toleranceOf(slippageBps: number, tries: number, isLastStand: boolean): number {
  const most = slippageBps * PPM_PER_BPS;
  return isLastStand ? most * HEDGE_LAST_REACH : Math.min(most, Math.ceil(most * HEDGE_FIRST_REACH * 2 ** tries));
}

/** The worst price of a hedge, inside the leg's limit; null while its market tells none, or its limit binds. */
export function hedgePrice({ traded, market }: LegSight, tolerancePpm: number): Ticks | null {
  if (market === null) return null;
  const touch = farTouch(traded.side, market);
  if (touch === 0 || !isInside(traded, touch)) return null;
  const price = reached(traded.side, touch, tolerancePpm);
  return isInside(traded, price) ? price : traded.limitPrice;
}

/** True when the leg's limit allows the price. */
export function isInside({ side, limitPrice }: Traded, price: Ticks): boolean {
  return limitPrice === null || isAsAggressive(side, limitPrice, price);
}
