import type { OrderRun } from '../../src/backtest/backtest-run.js';
import { isOrderEvent } from '../../src/domain/event.js';
import type { Instrument } from '../../src/domain/instrument.js';
import type { Side } from '../../src/domain/order.js';
import { completedCostBps } from '../../src/tca/execution-cost.js';
import { executionCost } from '../../src/tca/execution-cost.js';
import type { CostInput } from '../../src/tca/execution-cost.js';
import { markouts } from '../../src/tca/execution-cost.js';
import type { Arena } from './arena.js';
import type { Policy } from './policy.js';

/** One figure of an order. */
interface Metric {
  /** Name in the JSON output. */
  readonly name: string;
  /** Head of the table column. */
  readonly head: string;
  readonly unit: 'bps' | 'share' | 'count';
}

/**
 * bps: 10^-4, positive is cost, except for markouts, which are positive when the market moved in the order's favour.
 */
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
/** null: no fill or trade could be measured. */
export type Trial = Readonly<Record<MetricKey, number | null>>;

/**
 * Measures an order. All policies of a window are measured from the placement, against the mid at that time, until the
 * order ends.
 */
export function trialOf(run: OrderRun, { takerFeePpm }: Instrument): Trial {
  const { market, state } = run;
  const startMs = state.order.createdAtMs;
  const arrivalMid = market.mids.at(startMs) ?? run.execution.arrivalMid;
  const execution: CostInput = { ...run.execution, startMs, arrivalMid };
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
    children: state.legs[0].childCount,
    messagesPerFill: fills.length === 0 ? null : messageCount(run) / fills.length,
  };
}

function markoutsOf({ market, knownUntilMs }: OrderRun, execution: CostInput): (number | null)[] {
  return markouts(execution, market.mids, knownUntilMs).map(({ bps }) => bps);
}

/** Number of messages sent to the venue: orders and cancels. */
function messageCount({ events }: OrderRun): number {
  const sent = events.filter(({ envelope: { event } }) => {
    return isOrderEvent(event) && (event.kind === 'ChildSubmitted' || event.kind === 'ChildCancelRequested');
  });
  return sent.length;
}

/** Results of the policies in an arena, window by window. */
export interface Observations {
  readonly arena: Pick<Arena, 'name' | 'kind' | 'instrument' | 'task'>;
  readonly byPolicy: ReadonlyMap<Policy, readonly Trial[]>;
}

/** Receives the orders of the first window. */
type Onlooker = (policy: Policy, side: Side, run: OrderRun) => void;

const SIDES: readonly Side[] = ['BUY', 'SELL'];
const KEYS = Object.keys(METRICS) as MetricKey[];

/**
 * Works the same order with each policy in each window, bought and sold. One observation is the mean of both sides, which
 * cancels part of the effect of the price's direction.
 */
export async function observe(
  arena: Arena,
  policies: readonly Policy[],
  onWindow: (window: number) => void,
  look: Onlooker,
): Promise<Observations> {
  const byPolicy = new Map<Policy, Trial[]>(policies.map((policy) => [policy, []]));
  for (let window = 0; window < arena.windowCount; window += 1) {
    onWindow(window);
    for (const [policy, trials] of byPolicy) {
      const sides: Trial[] = [];
      for (const side of SIDES) {
        const run = await arena.work(policy, window, side);
        if (window === 0) look(policy, side, run);
        sides.push(trialOf(run, arena.instrument));
      }
      trials.push(meanTrial(sides));
    }
  }
  return { arena, byPolicy };
}

/** Joins the observations of several arenas. */
export function pooled(name: string, parts: readonly Observations[]): Observations {
  const [first] = parts;
  if (first === undefined) throw new Error('nothing to pool');
  const policies = [...first.byPolicy.keys()];
  const byPolicy = new Map(
    policies.map((policy) => [policy, parts.flatMap((part) => part.byPolicy.get(policy) ?? [])] as const),
  );
  return { arena: { ...first.arena, name, task: 'as above' }, byPolicy };
}

/** One metric of a policy, window by window. */
export function valuesOf({ byPolicy }: Observations, policy: Policy, key: MetricKey): (number | null)[] {
  return (byPolicy.get(policy) ?? []).map((trial) => trial[key]);
}

export function known(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}

function meanTrial(trials: readonly Trial[]): Trial {
  const means = KEYS.map((key) => {
    const values = known(trials.map((trial) => trial[key]));
    return [key, values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length];
  });
  return Object.fromEntries(means) as Record<MetricKey, number | null>;
}
