import type { OrderRun } from '../../src/backtest/backtest-run.js';
import type { Instrument } from '../../src/domain/instrument.js';
import type { Side } from '../../src/domain/order.js';
import type { DurationMs } from '../../src/domain/time.js';
import type { QueueModelName } from '../../src/venue/matching/queue-model.js';
import type { Half } from '../report.js';
import type { Policy } from './policy.js';

/** A set of windows of one market. Each window can be replayed to work the same order repeatedly. */
export interface Arena {
  /** The market and the conditions, for people. */
  readonly name: string;
  /** The market alone: the same in all conditions. */
  readonly place: string;
  /** null: the market has only one. */
  readonly condition: Condition | null;
  readonly kind: 'recorded' | 'simulated';
  /** Part of the recording; null for a simulated market, on which no number was chosen. */
  readonly half: Half | null;
  readonly instrument: Instrument;
  /** Description of the order, for people. */
  readonly task: string;
  /** Number of windows; each is one observation. */
  readonly windowCount: number;
  /**
   * Names of what the window shares with others: the calendar minutes of its exchange that it touches. Windows of one
   * minute depend on each other, on all instruments of the exchange.
   */
  sharesOf(window: number): readonly string[];
  work(policy: Policy, window: number, side: Side): Promise<OrderRun>;
}

/** One-way latency of each path: the distance of a trading desk in the same region. */
export const LATENCY_MS = 5;
/** The same from another continent. */
const FAR_LATENCY_MS = 50;

/** Under which assumptions a recording is replayed, and which order. */
export interface Condition {
  readonly latencyMs: number;
  readonly queueModel: QueueModelName;
  /** Order quantity as a part of the volume that others traded in the same time before. */
  readonly share: number;
  readonly durationMs: DurationMs;
}

/** Recordings last some minutes, and many short windows give more observations than a long one. */
export const USUAL: Condition = {
  latencyMs: LATENCY_MS,
  queueModel: 'risk-averse',
  share: 0.01,
  durationMs: 60_000 as DurationMs,
};

/** The usual order under other assumptions of the replay. */
export const ASSUMPTIONS: readonly Condition[] = [
  USUAL,
  { ...USUAL, queueModel: 'probabilistic' },
  { ...USUAL, latencyMs: FAR_LATENCY_MS },
];

const SHARES = [0.01, 0.05, 0.1, 0.25] as const;
const DURATIONS_MIN = [1, 5, 15, 60] as const;

/** All sizes and durations under the usual assumptions, and the usual order under the others. */
export const GRID: readonly Condition[] = [
  ...ASSUMPTIONS,
  ...DURATIONS_MIN.flatMap((minutes) =>
    SHARES.map((share) => ({ ...USUAL, share, durationMs: (minutes * 60_000) as DurationMs })),
  ).filter(({ share, durationMs }) => share !== USUAL.share || durationMs !== USUAL.durationMs),
];

export function nameOf({ latencyMs, queueModel, share, durationMs }: Condition): string {
  return `${latencyMs} ms, ${queueModel}, ${Math.round(share * 100)} % in ${durationMs / 1_000} s`;
}
