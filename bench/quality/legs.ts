import { INITIAL_PACING, type LegMemory } from '../../src/domain/strategy-memory.js';
import type { Strategy } from '../../src/strategy/strategy.js';
import type { StrategyIntent, StrategyView } from '../../src/domain/intent.js';
import { endOf } from '../../src/domain/order-state.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { QUIET } from '../../src/strategy/placement/all-at-once.js';
import { circumstances, farTouch, minimumAt, unplaced } from '../../src/strategy/placement/child.js';

/** Legs of a schedule by time: 30 s apart, as published, and closer together in a short order. */
export interface Legs {
  readonly count: number;
  readonly intervalMs: number;
  readonly startMs: number;
}

/** Returns when the legs are due, from the start of the order on, in order of time. */
type LegTimes = (legs: Legs, view: StrategyView) => readonly number[];

export const EVEN: LegTimes = ({ count, intervalMs }) => Array.from({ length: count }, (_, leg) => leg * intervalMs);

const INTERVAL_MS = 30_000;
const LEGS_COUNT_MIN = 10;
/** Time before the end at which the rest is sent. */
const LAST_CALL_MS = 1_000;

/** Returns the placements when leg number `leg` (from 0) is due. `legs.count` is the leg at the end of the time. */
type LegRule = (view: StrategyView, leg: number, legs: Legs) => readonly StrategyIntent[];

/** Makes a strategy that acts only at its legs. Memory: number of due legs. */
export function inLegs(rule: LegRule, timesOf = EVEN): Strategy {
  return {
    name: 'TWAP',
    begin: () => progressMemory(0, false),
    work: (view) => {
      const legs = legsOf(view);
      const times = dueTimes(legs, timesOf(legs, view));
      const due = dueCount(times, view.nowMs);
      const { done } = progressOf(view);
      const wake = { atMs: times[due] ?? null, when: [] };
      if (due <= done) return { ...QUIET, wake };
      return { ...QUIET, intents: rule(view, due - 1, legs), memory: progressMemory(due, false), wake };
    },
  };
}

/** The memory of a rule: number of due legs, and whether a withdrawn order must be placed again. */
export function progressMemory(done: number, isOwed: boolean): LegMemory {
  const idle = isOwed ? 'BELOW_MINIMUM' : 'MOVING';
  return {
    kind: 'ICEBERG',
    pacing: { ...INITIAL_PACING.pacing, idle },
    gates: null,
    usualClip: 1 as Lots,
    timedAfter: done,
  };
}

export function progressOf({ state }: StrategyView): { readonly done: number; readonly isOwed: boolean } {
  const { memory } = state.legs[0];
  const done = memory?.kind === 'ICEBERG' ? memory.timedAfter : 0;
  return { done, isOwed: memory !== null && memory.pacing.idle !== 'MOVING' };
}

export function legsOf({ state, nowMs }: StrategyView): Legs {
  const startMs = state.startedAtMs ?? nowMs;
  const spanMs = (endOf(state.order, startMs) ?? startMs + LEGS_COUNT_MIN * INTERVAL_MS) - startMs;
  const count = Math.max(LEGS_COUNT_MIN, Math.round(spanMs / INTERVAL_MS));
  return { count, intervalMs: spanMs / count, startMs };
}

/** Due times of the legs and, after them, of the last call. */
export function dueTimes({ count, intervalMs, startMs }: Legs, offsetsMs: readonly number[]): readonly EpochMs[] {
  const lastCallMs = count * intervalMs - LAST_CALL_MS;
  return [...offsetsMs, lastCallMs].map((offsetMs) => Math.ceil(startMs + offsetMs) as EpochMs);
}

/** Number of due legs, including the last call. */
export function dueCount(times: readonly EpochMs[], nowMs: EpochMs): number {
  const next = times.findIndex((atMs) => atMs > nowMs);
  return next === -1 ? times.length : next;
}

/** Places a child that takes at once, at any price or up to a limit. None below the venue's minimum. */
export function take(view: StrategyView, wanted: number, limitPrice: Ticks | null): readonly StrategyIntent[] {
  return child(view, wanted, { limitPrice, timeInForce: 'IOC', type: limitPrice === null ? 'MARKET' : 'LIMIT' });
}

/** Places a child that rests at a price. */
export function rest(view: StrategyView, wanted: number, limitPrice: Ticks): readonly StrategyIntent[] {
  return child(view, wanted, { limitPrice, timeInForce: 'GTC', type: 'LIMIT' });
}

type Terms = Pick<Extract<StrategyIntent, { kind: 'Place' }>, 'limitPrice' | 'timeInForce' | 'type'>;

function child(view: StrategyView, wanted: number, terms: Terms): readonly StrategyIntent[] {
  const price = terms.limitPrice ?? farTouch(view.state.order.legs[0].side, view.market);
  const { quantityMax, filters } = view.instrument;
  const most = terms.type === 'MARKET' ? filters.marketQuantityMax : quantityMax;
  const quantity = Math.min(Math.floor(wanted), unplaced(view), most) as Lots;
  if (price === 0 || quantity < minimumAt(view.instrument, price)) return [];
  const reason = { code: 'TAKE', detail: '', figures: circumstances(view, null) } as const;
  return [{ kind: 'Place', quantity, ...terms, postOnly: false, reason }];
}
