import type { OrderRun } from '../../src/backtest/backtest-run.js';
import type { Instrument } from '../../src/domain/instrument.js';
import type { Side } from '../../src/domain/order.js';
import type { Policy } from './policy.js';

/** A set of windows of one market. Each window can be replayed to work the same order repeatedly. */
export interface Arena {
  readonly name: string;
  readonly kind: 'recorded' | 'simulated';
  readonly instrument: Instrument;
  /** Description of the order, for people. */
  readonly task: string;
  /** Number of windows; each is one observation. */
  readonly windowCount: number;
  work(policy: Policy, window: number, side: Side): Promise<OrderRun>;
}

/** One-way latency of each path: the distance of a trading desk in the same region. */
export const LATENCY_MS = 5;
