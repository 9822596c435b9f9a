import { completedCostBps } from '../../src/analytics/completed-cost.js';
import { executionCost } from '../../src/analytics/execution-cost.js';
import type { Execution } from '../../src/analytics/execution.js';
import { markouts } from '../../src/analytics/markout.js';
import type { Instrument } from '../../src/model/instrument.js';
import { isOrderEvent } from '../../src/model/event.js';
import type { OrderRun } from '../../src/replay/order-run.js';

/** One figure of an order. */
export interface Metric {
  /** As `--json` names it. */
  readonly name: string;
  /** As a table heads it. */
  readonly head: string;
  readonly unit: 'bps' | 'share' | 'count';
}

/** bps: 10^-4, positive is cost, but for markouts, which are positive when the market went our way. */
export const METRICS = {
  allIn: { name: 'all_in', head: 'all-in', unit: 'bps' },
  arrival: { name: 'arrival_slippage', head: 'arrival', unit: 'bps' },
  fees: { name: 'fees', head: 'fees', unit: 'bps' },
  shortfall: { name: 'implementation_shortfall', head: 'IS', unit: 'bps' },
  vwap: { name: 'vwap_slippage', head: 'VWAP', unit: 'bps' },
  vwapWithOwn: { name: 'vwap_with_own_slippage', head: 'VWAP+own', unit: 'bps' },
  deviation: { name: 'schedule_deviation', head: 'behind', unit: 'share' },
  participation: { name: 'participation', head: 'of volume', unit: 'share' },
  makerShare: { name: 'maker_share', head: 'maker', unit: 'share' },
  markout1: { name: 'markout_1s', head: 'mark 1 s', unit: 'bps' },
  markout5: { name: 'markout_5s', head: '5 s', unit: 'bps' },
  markout60: { name: 'markout_60s', head: '60 s', unit: 'bps' },
  passiveMarkout1: { name: 'passive_markout_1s', head: 'maker 1 s', unit: 'bps' },
  completion: { name: 'completion', head: 'done', unit: 'share' },
  children: { name: 'children', head: 'children', unit: 'count' },
  messagesPerFill: { name: 'messages_per_fill', head: 'msg/fill', unit: 'count' },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricKey = keyof typeof METRICS;
/** null: nothing was filled, or traded, that could be measured. */
export type Trial = Readonly<Record<MetricKey, number | null>>;

/**
 * What an order cost. All policies of a window are measured against the mid at which the order was placed, however long
 * each of them took to begin, and the market until each of them was done.
 */
export function trialOf(run: OrderRun, { takerFeePpm }: Instrument): Trial {
  const { market, state } = run;
  const startMs = state.order.createdAtMs;
  const arrivalMid = market.mids.at(startMs) ?? run.execution.arrivalMid;
  const execution: Execution = { ...run.execution, startMs, arrivalMid };
  const { endMs, fills } = execution;
  const cost = executionCost(execution, { mids: market.mids, others: market.trades.between(startMs, endMs) });
  const [markout1, markout5, markout60] = markoutsOf(run, execution);
  const passive = { ...execution, fills: fills.filter(({ liquidity }) => liquidity === 'MAKER') };
  return {
    allIn: completedCostBps(execution, { price: market.mids.at(endMs) ?? arrivalMid, takerFeePpm }),
    arrival: cost.arrivalSlippageBps,
    fees: cost.feesBps,
    shortfall: cost.implementationShortfallBps,
    vwap: cost.vwapSlippageBps,
    vwapWithOwn: cost.vwapWithOwnSlippageBps,
    deviation: run.deviation?.largest ?? null,
    participation: cost.participation,
    makerShare: cost.makerShare,
    markout1: markout1 ?? null,
    markout5: markout5 ?? null,
    markout60: markout60 ?? null,
    passiveMarkout1: markoutsOf(run, passive)[0] ?? null,
    completion: cost.completion,
    children: state.childCount,
    messagesPerFill: fills.length === 0 ? null : messageCount(run) / fills.length,
  };
}

function markoutsOf({ market, knownUntilMs }: OrderRun, execution: Execution): (number | null)[] {
  return markouts(execution, market.mids, knownUntilMs).map(({ bps }) => bps);
}

/** What we sent to the venue: orders and cancels. */
function messageCount({ events }: OrderRun): number {
  const sent = events.filter(({ envelope: { event } }) => {
    return isOrderEvent(event) && (event.kind === 'ChildSubmitted' || event.kind === 'ChildCancelRequested');
  });
  return sent.length;
}
