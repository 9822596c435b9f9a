import type { Instrument } from '../../src/model/instrument.js';
import type { Side } from '../../src/model/order.js';
import type { OrderRun } from '../../src/replay/order-run.js';
import type { Policy } from './policy.js';

/** Where orders are compared: windows of one market, in each of which the same order can be worked again and again. */
export interface Arena {
  readonly name: string;
  readonly kind: 'recorded' | 'simulated';
  readonly instrument: Instrument;
  /** What is wanted done in a window, for people. */
  readonly task: string;
  /** Windows; each is one observation. */
  readonly windowCount: number;
  work(policy: Policy, window: number, side: Side): Promise<OrderRun>;
}

/** One way, each of the three ways: the distance of a desk in the same region. */
export const LATENCY_MS = 5;
