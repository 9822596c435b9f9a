import type { Instrument } from '../../domain/instrument.js';
import { HEDGE_FIRST_REACH, HEDGE_LAST_REACH } from '../../domain/limits/trading.js';
import type { Market } from '../../domain/market.js';
import { type ParentState, restOf } from '../../domain/order-state.js';
import type { Leg } from '../../domain/order.js';
import { legAt, type LegIndex, type Pair } from '../../domain/pair.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import type { EpochMs } from '../../domain/time.js';
import { farTouch, isWithinLimit, reached } from '../placement/child.js';

/** Instrument and market of a leg. */
export interface LegPlace {
  readonly instrument: Instrument;
  /** null: the venue is lost, or the book is stale, crossed or one-sided. */
  readonly market: Market | null;
}

/** Input of the hedge. */
export interface PairView {
  readonly state: ParentState;
  /** In the order of the legs. */
  readonly places: readonly [LegPlace, LegPlace];
  /** Value of one unit of the hedging leg's quote currency in the leading leg's; null while a price is unknown. */
  readonly quoteRate: number | null;
  readonly nowMs: EpochMs;
  /** True when the order must end, or its strategy ends it. Only working children may still fill. */
  readonly isEnding: boolean;
}

/** Figures of one leg for the hedge. */
export interface LegSight extends LegPlace {
  readonly traded: Leg;
  readonly filled: Lots;
  /** Leaves of its live children. */
  readonly working: Lots;
  /** Leaves of its IOC children: hedges in flight. */
  readonly taking: Lots;
  readonly childCount: number;
  readonly refusals: number;
}

export function sightOf({ state, places }: PairView, leg: LegIndex): LegSight {
  const { progress, refusals, children } = legAt(state.legs, leg);
  let [working, taking] = [0, 0];
  for (const child of children) {
    working += restOf(child);
    if (child.order.timeInForce === 'IOC') taking += restOf(child);
  }
  return {
    ...places[leg],
    traded: legAt(state.order.legs, leg),
    filled: progress.filled,
    refusals,
    working: working as Lots,
    taking: taking as Lots,
    childCount: children.length,
  };
}

const PPM_PER_BPS = 100;

/** Maximum tolerance of a hedge beyond the far touch before the last stand, in units of 10^-6 of the touch. */
export function reachOf({ hedgeSlippageBps }: Pick<Pair, 'hedgeSlippageBps'>): number {
  return hedgeSlippageBps * PPM_PER_BPS;
}

/**
 * Tolerance of a try beyond the far touch, in units of 10^-6 of the touch. It doubles with each try up to the maximum.
 */
export function toleranceOf(slippageBps: number, tries: number, isLastStand: boolean): number {
  const most = slippageBps * PPM_PER_BPS;
  return isLastStand ? most * HEDGE_LAST_REACH : Math.min(most, Math.ceil(most * HEDGE_FIRST_REACH * 2 ** tries));
}

/** Worst price of a hedge, within the leg's limit. null: no market, or the limit excludes the touch. */
export function hedgePrice({ traded, market }: LegSight, tolerancePpm: number): Ticks | null {
  if (market === null) return null;
  const touch = farTouch(traded.side, market);
  if (touch === 0 || !isWithinLimit(traded, touch)) return null;
  const price = reached(traded.side, touch, tolerancePpm);
  return isWithinLimit(traded, price) ? price : traded.limitPrice;
}
