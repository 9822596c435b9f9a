import type { OrderRun } from '../../src/backtest/backtest-run.js';
import { isOrderEvent } from '../../src/domain/event.js';
import type { Instrument } from '../../src/domain/instrument.js';
import type { Side } from '../../src/domain/order.js';
import { completedCostBps } from '../../src/tca/execution-cost.js';
import { type CostInput, executionCost, type Markout, markouts, signOf } from '../../src/tca/execution-cost.js';
import { joined, meanOf, type Observation } from '../paired-difference.js';
import { type Arena, nameOf } from './arena.js';
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
  delay: { name: 'delay_cost', head: 'delay', unit: 'bps' },
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
type Figures = Readonly<Record<MetricKey, number | null>>;

/** Figures that are means over fills. */
const MARKOUT_KEYS = ['markout1', 'markout5', 'markout60', 'passiveMarkout1'] as const;
type MarkoutKey = (typeof MARKOUT_KEYS)[number];

export interface Trial extends Figures {
  /** Share of the order's quantity whose mid at the horizon is known, 0..1. Other figures have the weight 1. */
  readonly weights: Readonly<Record<MarkoutKey, number>>;
}

/**
 * Measures an order. All policies of a window are measured from the placement, against the mid at that time, until the
 * order ends. An unfilled rest pays what a MARKET order for it would pay at the end: spread, impact and fee. The delay
 * cost is the part of the slippage before the first child: the move of the mid from the placement to its submission
 * (Perold, The implementation shortfall: paper versus reality, 1988).
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
  const [passiveMarkout1] = markoutsOf(run, passive);
  return {
    allIn: completedCostBps(execution, { price: run.restPrice ?? market.mids.at(endMs) ?? arrivalMid, takerFeePpm }),
    arrival: cost.arrivalSlippageBps,
    delay: delayBps(run, execution),
    fees: cost.feesBps,
    shortfall: cost.implementationShortfallBps,
    vwap: cost.vwapSlippageBps,
    vwapWithOwn: cost.vwapWithOwnSlippageBps,
    deviation: run.deviation?.largest ?? null,
    participation: cost.participation,
    makerShare: cost.makerShare,
    markout1: markout1?.bps ?? null,
    markout5: markout5?.bps ?? null,
    markout60: markout60?.bps ?? null,
    passiveMarkout1: passiveMarkout1?.bps ?? null,
    completion: cost.completion,
    children: state.legs[0].childCount,
    messagesPerFill: fills.length === 0 ? null : messageCount(run) / fills.length,
    weights: {
      markout1: weightOf(markout1, execution),
      markout5: weightOf(markout5, execution),
      markout60: weightOf(markout60, execution),
      passiveMarkout1: weightOf(passiveMarkout1, passive),
    },
  };
}

function markoutsOf({ market, knownUntilMs }: OrderRun, execution: CostInput): Markout[] {
  return markouts(execution, market.mids, knownUntilMs);
}

/**
 * The part of the order's quantity that the markout is the mean of, so that small fills count as little as they are.
 */
function weightOf(markout: Markout | undefined, { fills, quantity }: CostInput): number {
  const filled = fills.reduce((sum, fill) => sum + fill.quantity, 0);
  return ((markout?.coverage ?? 0) * filled) / quantity;
}

/** 10^4 · s·(p_first − p0) / p0, with the mid when the first child is submitted; null without a child. */
function delayBps({ events, market }: OrderRun, { side, arrivalMid }: CostInput): number | null {
  const first = events.find(({ envelope: { event } }) => event.kind === 'ChildSubmitted');
  const mid = first === undefined ? null : market.mids.at(first.envelope.eventAtMs);
  return mid === null ? null : (10_000 * signOf(side) * (mid - arrivalMid)) / arrivalMid;
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
  readonly arena: Pick<Arena, 'name' | 'place' | 'condition' | 'kind' | 'half' | 'instrument' | 'task'>;
  readonly byPolicy: ReadonlyMap<Policy, readonly Trial[]>;
  /** By window: what it shares with others. */
  readonly shares: readonly (readonly string[])[];
}

/** Receives the orders of the first window. */
type Onlooker = (policy: Policy, side: Side, run: OrderRun) => void;

const SIDES: readonly Side[] = ['BUY', 'SELL'];
const KEYS = Object.keys(METRICS) as MetricKey[];

/**
 * Works the same order with each policy in each window, bought and sold. One observation is the mean of both sides,
 * which cancels part of the effect of the price's direction.
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
  const windows = Array.from({ length: arena.windowCount }, (_, window) => window);
  return { arena, byPolicy, shares: windows.map((window) => arena.sharesOf(window)) };
}

/** Joins the observations of several arenas. */
export function pooled(place: string, parts: readonly Observations[]): Observations {
  const [first] = parts;
  if (first === undefined) throw new Error('nothing to pool');
  const policies = [...first.byPolicy.keys()];
  const byPolicy = new Map(
    policies.map((policy) => [policy, parts.flatMap((part) => part.byPolicy.get(policy) ?? [])] as const),
  );
  const shares = parts.flatMap((part) => part.shares);
  const { condition } = first.arena;
  const name = condition === null ? place : `${place}, ${nameOf(condition)}`;
  return { arena: { ...first.arena, name, place, task: 'as above' }, byPolicy, shares };
}

/** One metric of a policy, window by window; null where it is unknown. */
export function valuesOf({ byPolicy, shares }: Observations, policy: Policy, key: MetricKey): (Observation | null)[] {
  const clusters = joined(shares);
  return (byPolicy.get(policy) ?? []).map((trial, window) => {
    const value = trial[key];
    return value === null ? null : { value, cluster: clusters[window] ?? '', weight: weightIn(trial, key) };
  });
}

export function known<Value>(values: readonly (Value | null)[]): Value[] {
  return values.filter((value) => value !== null);
}

function meanTrial(trials: readonly Trial[]): Trial {
  const means = KEYS.map((key) => {
    const measured = trials.filter((trial) => trial[key] !== null);
    const mean = meanOf(
      measured.map((trial) => trial[key] ?? 0),
      measured.map((trial) => weightIn(trial, key)),
    );
    return [key, Number.isNaN(mean) ? null : mean];
  });
  const weights = MARKOUT_KEYS.map((key) => [key, meanOf(trials.map((trial) => trial.weights[key]))]);
  return { ...Object.fromEntries(means), weights: Object.fromEntries(weights) } as Trial;
}

function weightIn({ weights }: Trial, key: MetricKey): number {
  return isMarkout(key) ? weights[key] : 1;
}

function isMarkout(key: MetricKey): key is MarkoutKey {
  return MARKOUT_KEYS.some((one) => one === key);
}
