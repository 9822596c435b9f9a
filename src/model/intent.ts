import type { Depth } from './depth.js';
import type { ChildNumber } from './ids.js';
import type { Instrument } from './instrument.js';
import type { Market, MarketCondition } from './market.js';
import type { ChildType, ParentState, Reason, StrategyMemory, StrategyName, TimeInForce } from './order.js';
import type { Lots, Ticks } from './quantity.js';
import type { Rejection } from './rejection.js';
import type { PlacementClass } from './request-class.js';
import type { EpochMs } from './time.js';

/** What a strategy wants done, as data. Every intent carries its reason. */
export type StrategyIntent =
  | {
      readonly kind: 'Place';
      readonly quantity: Lots;
      readonly type: ChildType;
      readonly timeInForce: TimeInForce;
      readonly limitPrice: Ticks | null;
      readonly postOnly: boolean;
      /** Who goes first when the venue takes no more at once; absent: as its time in force says. */
      readonly requestClass?: PlacementClass;
      readonly reason: Reason;
    }
  | { readonly kind: 'CancelChild'; readonly child: ChildNumber; readonly reason: Reason };

/** When the strategy wants to run again besides its own execution reports; whichever comes first. */
export interface Wake {
  readonly atMs: EpochMs | null;
  /** Any one of them suffices. */
  readonly when: readonly MarketCondition[];
}

export interface StrategyDecision {
  readonly intents: readonly StrategyIntent[];
  /** What to remember from now on, all of the order's memory; null when unchanged. */
  readonly memory: StrategyMemory | null;
  /** Why nothing was done, when that is worth a line in the journal; null otherwise. */
  readonly note: Reason | null;
  /**
   * The order cannot go on (a guard, a rest below the minimum): live children are cancelled and it ends CANCELLED for
   * this cause. Given again at each call until then, without intents; null otherwise.
   */
  readonly end: Rejection | null;
  readonly wake: Wake;
}

/** How an instrument's trading is spread over the day, from its history. */
export interface VolumeProfile {
  /** Share of the day's volume in each 5 minutes from 00:00 UTC: 288 numbers that add up to 1. */
  readonly shares: readonly number[];
  /** Traded on an average day. */
  readonly dailyVolume: Lots;
  /** What a day at the pace of the last hours would come to, the time of day allowed for; absent while it is not known. */
  readonly recentDailyVolume?: Lots;
  /** How far the shape is a guide to the course of an order, in 0..1, beside the volume that comes; absent while it is not known. */
  readonly shapeWeight?: number;
}

/** Code of the note that an order begins without the profile that its strategy needs. */
export const VOLUME_UNKNOWN = 'VOLUME_UNKNOWN';

/** All a strategy may know. Pure data: the same view gives the same decision, live, simulated and in replay. */
export interface StrategyView {
  readonly state: ParentState;
  readonly instrument: Instrument;
  /** Live children's unfilled rest, unknown ones included. */
  readonly working: Lots;
  readonly market: Market;
  readonly nowMs: EpochMs;
  /** The book; only for who needs it, and only while it is fresh. Lent: later views fill the same object again. */
  readonly depth?: Depth;
  /** Only for who needs it. Absent while too little of the instrument's history is known: the day is then taken as flat. */
  readonly profile?: VolumeProfile;
  /** Uniform in [0, 1): a pure function of the order's id and k, so that a replay draws the same numbers. */
  readonly random: (k: number) => number;
  /**
   * Where in the order's memory the strategy's own numbers begin: what stands before them is left as it is. Absent: at the
   * first.
   */
  readonly memoryFrom?: number;
}

/** What a strategy sees besides the best prices. */
export interface StrategyNeeds {
  readonly depth: boolean;
  /** Its orders wait a moment for the profile before they begin, and go on without it. */
  readonly profile: boolean;
}

/** One execution strategy: pure functions of the view. */
export interface Strategy {
  readonly name: StrategyName;
  /** Absent: the best prices are enough. Orders that are placed at levels of the book are shown it in any case. */
  readonly needs?: StrategyNeeds;
  /** Called once, when the order first may trade. */
  begin(view: StrategyView): StrategyMemory;
  /** Called when a wake is due and after each execution report of the order. */
  work(view: StrategyView): StrategyDecision;
}
