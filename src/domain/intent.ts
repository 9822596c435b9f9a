import type { ChildNumber } from './ids.js';
import type { Instrument } from './instrument.js';
import type { Depth, Market, MarketCondition } from './market.js';
import type { ParentState } from './order-state.js';
import type { ChildType, GivenReason, TimeInForce } from './order.js';
import type { LegIndex } from './pair.js';
import type { Lots, Ticks } from './quantity.js';
import type { Rejection } from './rejection.js';
import type { HedgeMemory, LegMemory } from './strategy-memory.js';
import type { EpochMs } from './time.js';
import type { PlacementClass } from './venue-message.js';
/** An intent of a strategy, with its reason. */
export type StrategyIntent =
  | {
      readonly kind: 'Place';
      readonly quantity: Lots;
      readonly type: ChildType;
      readonly timeInForce: TimeInForce;
      readonly limitPrice: Ticks | null;
      readonly postOnly: boolean;
      /** Urgency in the request throttle. Absent: by time in force. */
      readonly requestClass?: PlacementClass;
      readonly reason: GivenReason;
    }
  | { readonly kind: 'CancelChild'; readonly child: ChildNumber; readonly reason: GivenReason };

/** Next run of the strategy, at the earliest of these. It also runs after each execution report of its children. */
export interface Wake {
  readonly atMs: EpochMs | null;
  /** One met condition is enough. */
  readonly when: readonly MarketCondition[];
}

export interface StrategyDecision {
  readonly intents: readonly StrategyIntent[];
  /** New memory; null: unchanged. */
  readonly memory: LegMemory | null;
  /** Reason for doing nothing that the journal should have; null: none. */
  readonly note: GivenReason | null;
  /**
   * Cause to end the order, for example leaves below the minimum. Live children are cancelled and the order ends
   * CANCELLED, or REJECTED when it is under the minimum and never had a child. The strategy repeats it at each call,
   * without intents. null: continue.
   */
  readonly end: Rejection | null;
  readonly wake: Wake;
}

/** Distribution of an instrument's volume over the day, from its history. */
export interface VolumeProfile {
  /** Shares of the day's volume for each 5 minutes from 00:00 UTC: 288 numbers with the sum 1. */
  readonly shares: readonly number[];
  /** Volume of an average day. */
  readonly dailyVolume: Lots;
  /** Volume of a day at the pace of the last hours, adjusted for the time of day. Absent: unknown. */
  readonly recentDailyVolume?: Lots;
  /** Weight of the shape against the observed volume, 0..1. Absent: unknown. */
  readonly shapeWeight?: number;
}

/** Code of the note about a start without a volume profile. */
export const VOLUME_UNKNOWN = 'VOLUME_UNKNOWN';

/** Input of a strategy. The same view gives the same decision, live and simulated. */
export interface StrategyView {
  readonly state: ParentState;
  readonly instrument: Instrument;
  /** Leaves of the live children, unknown ones included. */
  readonly working: Lots;
  readonly market: Market;
  readonly nowMs: EpochMs;
  /** The book, for strategies that need it and while it is fresh. Later views reuse the object. */
  readonly depth?: Depth;
  /** For strategies that need it. Absent: the history is too short, and the day counts as flat. */
  readonly profile?: VolumeProfile;
  /** Uniform in [0, 1): a pure function of the order's id and k, so that a replay draws the same numbers. */
  readonly random: (k: number) => number;
}

/** Result of the hedge for the end of a pair. */
export interface Hedged {
  /** True when no more fills can be hedged. */
  readonly isHedged: boolean;
  /** Unhedged rest with its cause; null: none. */
  readonly rest: Rejection | null;
}

/** Decision of the hedge of a pair. */
export interface HedgeDecision extends Hedged {
  /** For `leg`. */
  readonly intents: readonly Extract<StrategyIntent, { readonly kind: 'Place' }>[];
  /** Leg that is behind. It is the leading leg only where neither leg leads, or for a residual hedge. */
  readonly leg: LegIndex;
  /** null when unchanged. */
  readonly memory: HedgeMemory | null;
  readonly note: GivenReason | null;
  /** Reason to withdraw the leg ahead and to stop its work now; null: it may work. */
  readonly withdraw: GivenReason | null;
  /** Cause to end the order with an unhedged rest, after the last stand; null: continue. */
  readonly giveUp: Rejection | null;
  /** Maximum working lots of the leading leg. */
  readonly headroom: Lots;
  /** Next run; null: after the next report. */
  readonly wakeAtMs: EpochMs | null;
}
