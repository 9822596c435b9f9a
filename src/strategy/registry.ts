import { restRefusal } from '../domain/exchange-rules.js';
import type { StrategyView, StrategyDecision } from '../domain/intent.js';
import { OUTLINE_POINTS_MAX } from '../domain/limits/trading.js';
import { isCrossed, isTwoSided } from '../domain/market.js';
import { isGated, type ParentOrder, type StrategyName } from '../domain/order.js';
import { leadingLeg } from '../domain/order-legs.js';
import type { Lots } from '../domain/quantity.js';
import type { LegMemory } from '../domain/strategy-memory.js';
import type { EpochMs } from '../domain/time.js';
import { gated } from './gates/gates.js';
import { ICEBERG, icebergOutline } from './iceberg.js';
import { LIMIT, MARKET, outlineAtOnce } from './market-limit.js';
import type { Outline } from './outline.js';
import { QUIET } from './placement/all-at-once.js';
import { ladderOutline, SCALE } from './scale.js';
import { IS, sharesDone } from './schedule/is.js';
import { POV, povOutline } from './schedule/pov.js';
import { TWAP, VWAP } from './schedule/twap-vwap.js';
import { type Strategy, newScratch } from './strategy.js';

const OFFERED: readonly Strategy[] = [TWAP, VWAP, ICEBERG, POV, MARKET, LIMIT, IS, SCALE];
const PLAIN: ReadonlyMap<StrategyName, Strategy> = new Map(OFFERED.map((one) => [one.name, endingBelowMinimum(one)]));
const GATED: ReadonlyMap<StrategyName, Strategy> = new Map(
  OFFERED.map((one) => [one.name, endingBelowMinimum(gated(one))]),
);

/**
 * Returns the strategy of the order's leading leg, with gates when the order has any; null when its strategy is not
 * offered.
 */
export function strategyFor(order: ParentOrder): Strategy | null {
  const leg = leadingLeg(order);
  return (isGated(order, leg) ? GATED : PLAIN).get(leg.strategy) ?? null;
}

/**
 * Ends an order whose rest is under the minimum of its exchange and can never be placed. The strategy decides first: it
 * may place the rest at a price that reaches the minimum. While a child is live, its fill or its end decides.
 */
function endingBelowMinimum(strategy: Strategy): Strategy {
  return {
    ...strategy,
    work: (view, scratch = newScratch()) => endedBelowMinimum(view, strategy.work(view, scratch)),
  };
}

function endedBelowMinimum(view: StrategyView, decision: StrategyDecision): StrategyDecision {
  const { children, progress } = view.state.legs[0];
  if (children.length > 0 || decision.intents.length > 0 || decision.end !== null) return decision;
  const { market, instrument } = view;
  const leg = view.state.order.legs[0];
  const rest = leg.quantity - progress.filled;
  const twiceMid = isTwoSided(market) && !isCrossed(market) ? market.bid + market.ask : null;
  const end = rest > 0 ? restRefusal(leg, rest as Lots, instrument, twiceMid) : null;
  return end === null ? decision : { ...QUIET, end };
}

/**
 * Outlines an order that begins now, in at most OUTLINE_POINTS_MAX slices. `view` is of an order that has started and
 * has no fill. `view.random` returns its random numbers; a constant 0.5 gives the average outline.
 */
export function outlineOf(view: StrategyView, paceMs: ClipPace): Outline {
  switch (view.state.order.legs[0].strategy) {
    case 'TWAP':
      return TWAP.outline(view, OUTLINE_POINTS_MAX);
    case 'VWAP':
      return VWAP.outline(view, OUTLINE_POINTS_MAX);
    case 'IS':
      return IS.outline(view, OUTLINE_POINTS_MAX);
    case 'POV':
      return povOutline(view, OUTLINE_POINTS_MAX);
    case 'ICEBERG':
      return icebergOutline(view, paceMs.clipMs, OUTLINE_POINTS_MAX);
    case 'SCALE':
      return ladderOutline(view);
    case 'MARKET':
    case 'LIMIT':
      return outlineAtOnce(view);
  }
}

/** Assumed pace of an ICEBERG, which the market decides. */
interface ClipPace {
  /** Time in ms from the placement of one clip at the touch to the placement of the next. */
  readonly clipMs: number;
}

/** The schedule by time that an order had when its strategy began. */
export interface PlannedCurve {
  readonly endMs: EpochMs;
  /**
   * Shares of the rest to be done after equal steps of time, from 0 to 1; null: the schedule follows the market's
   * volume.
   */
  readonly shares: readonly number[] | null;
}

/**
 * Returns the curve that `memory` planned; null for a strategy without a schedule. `memory` is the one journalled when
 * the strategy began.
 */
export function plannedCurve(memory: LegMemory, beganAtMs: EpochMs): PlannedCurve | null {
  switch (memory.kind) {
    case 'TWAP':
      return { endMs: memory.endMs, shares: [0, 1] };
    case 'VWAP':
      return { endMs: memory.endMs, shares: null };
    case 'IS':
      return { endMs: memory.endMs, shares: sharesDone(memory, memory.endMs - beganAtMs) };
    case 'POV':
    case 'ICEBERG':
    case 'MARKET':
    case 'LIMIT':
    case 'SCALE':
      return null;
  }
}
