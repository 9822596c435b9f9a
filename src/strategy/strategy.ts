import type { StrategyDecision, StrategyView } from '../domain/intent.js';
import type { StrategyName } from '../domain/order.js';
import type { Lots } from '../domain/quantity.js';
import { type LegMemory, INITIAL_PACING } from '../domain/strategy-memory.js';
import type { DurationMs, EpochMs } from '../domain/time.js';
import type { Target } from './placement/target.js';
import type { Slots } from './schedule/slots.js';

type Changing<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/** Market data that a strategy needs besides the best prices. */
export interface StrategyNeeds {
  readonly depth: boolean;
  /** True: the order waits a bounded time for the volume profile before it begins. It begins without one after that. */
  readonly profile: boolean;
}

/** One execution strategy: pure functions of the view. */
export interface Strategy {
  readonly name: StrategyName;
  /** Absent: the strategy needs only the best prices. An order that names a level of the book always gets the depth. */
  readonly needs?: StrategyNeeds;
  /**
   * Makes the memory for a new plan. Called when the order may first trade, and again after a pause or an amendment.
   */
  begin(view: StrategyView): LegMemory;
  /**
   * Decides the next intents. Called when a wake is due and after each execution report of the order. The result keeps
   * no reference into `scratch`.
   */
  work(view: StrategyView, scratch?: Scratch): StrategyDecision;
}

/** Objects that each decision overwrites. A caller passes them in to save their allocation. */
export interface Scratch {
  readonly slots: Changing<Slots>;
  readonly target: Changing<Target>;
}

/**
 * Makes the objects of one caller. Fields for fractions and times start with a fraction, so that V8 writes later values
 * in place. A field that starts with a small integer would allocate an object for each value.
 */
export function newScratch(): Scratch {
  return {
    slots: {
      quantity: 0 as Lots,
      count: 1,
      startMs: 0.5 as EpochMs,
      endMs: 0.5 as EpochMs,
      isRandomized: false,
      random: () => 0,
    },
    target: {
      pacing: INITIAL_PACING.pacing,
      wanted: 0 as Lots,
      quantity: 0 as Lots,
      ahead: 0.5,
      slice: 0.5,
      clip: null,
      startMs: 0.5 as EpochMs,
      endMs: 0.5 as EpochMs,
      dueAtMs: 0.5 as EpochMs,
      intervalMs: 0.5 as DurationMs,
      isClosing: false,
      nextAtMs: null,
      dwellMs: 0.5 as DurationMs,
      holdMs: 0 as DurationMs,
      style: 'PASSIVE',
    },
  };
}
