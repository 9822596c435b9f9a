import type { LegIndex } from './pair.js';
import type { Lots } from './quantity.js';
import type { EpochMs } from './time.js';
/** Why a strategy places nothing; MOVING while it places. */
export const IDLE_REASONS = [
  'MOVING',
  'MARKET_ONE_SIDED',
  'LIMIT_BINDS',
  'BELOW_MINIMUM',
  'REFUSED',
  'BEYOND_BAND',
  'BOOK_UNKNOWN',
] as const;
export type IdleReason = (typeof IDLE_REASONS)[number];
/** A reason to place nothing, which is noted. */
export type NotedIdleReason = Exclude<IdleReason, 'MOVING'>;

/** Pace of a strategy's children. */
export interface Pacing {
  /** No child is placed before this time: after a refusal, or after it emptied a book. 0: no hold. */
  readonly heldUntilMs: EpochMs;
  /** Refusals in a row that the hold has taken into account. */
  readonly refusals: number;
  readonly idle: IdleReason;
  /** Takes since the last fill, the latest one included: all before it took nothing. */
  readonly takes: number;
  /** Filled lots at the latest take. */
  readonly filledAtTake: Lots;
}

/** Memory of an order's gates: the price lock, `would` and the imbalance of the book. */
export interface GateMemory {
  /** Pacing of the gates' own children. */
  readonly pacing: Pacing;
  /** Lots that filled while `would` was active. */
  readonly wouldFilled: Lots;
  /** Filled lots of the order at the last decision with a good price. */
  readonly filledThen: Lots;
  /** Start of the time in which the price is good enough for `would`; 0: it is not. */
  readonly wouldSinceMs: EpochMs;
  /** Start of the time in which the book is imbalanced against the order; 0: it is not. */
  readonly imbalanceSinceMs: EpochMs;
}

interface Paced {
  readonly pacing: Pacing;
  /** null: the order has no gates. */
  readonly gates: GateMemory | null;
}

/** The step in which a strategy last placed, and the most lots that may have filled by the end of that step. */
interface CatchUp {
  readonly step: number;
  readonly ceiling: Lots;
}

interface Scheduled extends Paced, CatchUp {
  readonly slotCount: number;
  readonly endMs: EpochMs;
}

/** The volume at the beginning of a VWAP. */
export interface VolumeStart {
  /** Lots that others had traded at the start. */
  readonly volumeThen: number;
  /** Lots per day at the pace of the hours before; 0: unknown. */
  readonly levelBefore: number;
}

/** The trajectory of an IS order and its evidence on market impact. */
export interface ImpactCourse {
  /** Slot of the last solution. */
  readonly solvedAt: number;
  /** Share of the quantity that was unfilled at that slot, 0..1. */
  readonly held: number;
  /** Urgency, per day. */
  readonly kappa: number;
  /** Sums of rate² and of rate × cost over the slices. */
  readonly rateSquares: number;
  readonly rateCosts: number;
  /** Filled lots, lots × ticks, mid in ticks and daily volatility at that slot. */
  readonly filled: number;
  readonly notional: number;
  readonly mid: number;
  readonly volatility: number;
}

export interface TwapMemory extends Scheduled {
  readonly kind: 'TWAP';
  readonly kept: null;
}

export interface VwapMemory extends Scheduled {
  readonly kind: 'VWAP';
  readonly kept: VolumeStart;
}

export interface IsMemory extends Scheduled {
  readonly kind: 'IS';
  readonly kept: ImpactCourse;
}

export interface PovMemory extends Paced, CatchUp {
  readonly kind: 'POV';
  /** Lots that others had traded at the start. */
  readonly volumeThen: number;
  /** Lots per day that others traded in the first minute; 0: not known yet. */
  readonly usualPace: number;
}

export interface IcebergMemory extends Paced {
  readonly kind: 'ICEBERG';
  readonly usualClip: Lots;
  /** Number of children at the last delayed refill. */
  readonly timedAfter: number;
}

/** Strategies whose only memory is their pacing. */
export interface PlainMemory extends Paced {
  readonly kind: 'MARKET' | 'LIMIT' | 'SCALE';
}

/** Why the leading leg of a pair must not trade. */
export const HEDGE_CAUSES = [
  'HEDGE_READY',
  'LEAD_BLIND',
  'HEDGE_BLIND',
  'HEDGE_LIMIT_BINDS',
  'HEDGE_REFUSED',
  'UNHEDGED_VALUE',
  'UNHEDGED_TIME',
] as const;
export type HedgeCause = (typeof HEDGE_CAUSES)[number];

/** Memory of a pair's hedge. */
export interface HedgeMemory {
  readonly kind: 'HEDGE';
  /** Value of one unit of the other leg's quote currency in the leading leg's quote currency, at the last hedge. */
  readonly quoteRate: number;
  /** Start of the leg's deficit. Valid while `level` is not reached. */
  readonly sinceMs: EpochMs;
  /** Consecutive tries that did not fill. */
  readonly tries: number;
  /** Time of the last try; 0: none. */
  readonly triedAtMs: EpochMs;
  /** Leg of the last try. */
  readonly leg: LegIndex;
  /** Lots that the leg would have filled if the last try had filled. A deficit beyond it is a new one. */
  readonly level: number;
  readonly cause: HedgeCause;
}

/** State that a strategy keeps between two decisions. Journalled when it changes. */
export type LegMemory = TwapMemory | VwapMemory | IsMemory | PovMemory | IcebergMemory | PlainMemory;
export type StrategyMemory = LegMemory | HedgeMemory;

/** Initial state of every strategy: no hold, no refusal, no gates. */
export const INITIAL_PACING: Paced = {
  pacing: { heldUntilMs: 0 as EpochMs, refusals: 0, idle: 'MOVING', takes: 0, filledAtTake: 0 as Lots },
  gates: null,
};

/** Initial state of every hedge. */
export const UNHEDGED: HedgeMemory = {
  kind: 'HEDGE',
  quoteRate: 1,
  sinceMs: 0 as EpochMs,
  tries: 0,
  triedAtMs: 0 as EpochMs,
  leg: 0,
  level: 0,
  cause: 'HEDGE_READY',
};
