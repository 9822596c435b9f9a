import type { Side } from '../../src/model/order.js';
import type { OrderRun } from '../../src/replay/order-run.js';
import type { Arena } from './arena.js';
import type { Policy } from './policy.js';
import { METRICS, trialOf, type MetricKey, type Trial } from './trial.js';

/** What the policies came to in the windows of an arena, window by window. */
export interface Observations {
  readonly arena: Pick<Arena, 'name' | 'kind' | 'instrument' | 'task'>;
  readonly byPolicy: ReadonlyMap<Policy, readonly Trial[]>;
}

/** Is shown the orders of the first window. */
export type Onlooker = (policy: Policy, side: Side, run: OrderRun) => void;

const SIDES: readonly Side[] = ['BUY', 'SELL'];
const KEYS = Object.keys(METRICS) as MetricKey[];

/**
 * Works the same order by every policy in every window, once to buy and once to sell. One observation is the mean of
 * both: which way the price went in a window is not what a policy is judged by, and half of it cancels out.
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

/** The observations of several arenas as those of one. */
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
