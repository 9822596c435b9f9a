import { restRefusal } from '../domain/exchange-rules.js';
import type { StrategyDecision, StrategyView } from '../domain/intent.js';
import { isCrossed, isTwoSided } from '../domain/market.js';
import type { Lots } from '../domain/quantity.js';
import { QUIET } from './placement/all-at-once.js';
import { newScratch, type Strategy } from './strategy.js';

/**
 * Ends an order whose rest is under the minimum of its exchange and can never be placed. The strategy decides first: it
 * may place the rest at a price that reaches the minimum. While a child is live, its fill or its end decides.
 */
export function endingBelowMinimum(strategy: Strategy): Strategy {
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
