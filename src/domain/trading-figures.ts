import type { Venue } from './exchange.js';
import type { Liquidity, OrderStatus, StrategyName } from './order.js';
import type { RejectionCode } from './rejection.js';

/** Strategies whose decisions have a schedule. */
export const SCHEDULED_STRATEGIES = ['TWAP', 'VWAP', 'POV', 'IS'] as const satisfies readonly StrategyName[];

/** Seconds of real time. A child of unknown state counts in each age that it has reached. */
export const UNKNOWN_AGES_S = [0, 60, 120, 600, 3_600] as const;

/** Upper bounds of the buckets of acknowledge times, ms of service time. One more bucket holds longer times. */
export const ACKNOWLEDGE_ENDS_MS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000] as const;

/** Upper bounds of the buckets of schedule lags, in parts of the order. One more bucket holds larger lags. */
export const LAG_ENDS = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5] as const;

/** Decimals of traded values: they are counted in units of 10^-6 of the quote currency. */
export const VALUE_DIGITS = 6;

/** A row of a histogram. */
export interface BucketCounts<Label extends string> {
  readonly label: Label;
  /** One count for each bucket alone, the last one without an upper bound. */
  readonly counts: readonly number[];
  /** Sum of all values. */
  readonly total: number;
}

export interface EndedOrders {
  readonly status: OrderStatus;
  /** null: the end has no code. */
  readonly code: RejectionCode | null;
  readonly count: number;
}

export interface RefusedChildren {
  readonly venue: Venue;
  readonly code: RejectionCode;
  readonly count: number;
}

export interface FillCount {
  readonly venue: Venue;
  readonly liquidity: Liquidity;
  readonly count: number;
}

/** Children of unknown state that have been in it for at least `ageS`. */
export interface UnknownChildren {
  readonly venue: Venue;
  readonly ageS: number;
  readonly count: number;
}

/** Traded value in units of 10^-VALUE_DIGITS of the quote currency. */
export interface TradedValue {
  readonly venue: Venue;
  readonly quote: string;
  readonly units: bigint;
}

/** What the orders of all accounts did since the start of the service. Each call reads its counts anew. */
export interface TradingFigures {
  readonly ends: () => readonly EndedOrders[];
  readonly refusals: () => readonly RefusedChildren[];
  readonly fills: () => readonly FillCount[];
  /** Milliseconds of service time from the submission of a child to the first answer of the exchange. */
  readonly acknowledged: () => readonly BucketCounts<Venue>[];
  /** Part of the order by which it was behind its schedule, at each decision of a strategy with a schedule. */
  readonly lags: () => readonly BucketCounts<StrategyName>[];
  readonly unknown: () => readonly UnknownChildren[];
  readonly values: () => readonly TradedValue[];
}
