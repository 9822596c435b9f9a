import { RELAXED, type LegMemory } from '../../src/domain/strategy-memory.js';
import type { Strategy } from '../../src/strategy/strategy.js';
import type { StrategyDecision, StrategyIntent, StrategyView } from '../../src/domain/intent.js';
import { BOOK_REFILL_MS } from '../../src/domain/limits/trading.js';
import { endOf } from '../../src/domain/order.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { QUIET } from '../../src/strategy/placement/all-at-once.js';
import {
  cancel,
  circumstances,
  farTouch,
  isAsAggressive,
  minimumAt,
  nearTouch,
  restingChildren,
  unplaced,
  whenAnything,
  whenTouchMovesAway,
} from '../../src/strategy/placement/child.js';

/** Legs of a schedule by time: 30 s apart, as published, and closer together in a short order. */
interface Legs {
  readonly count: number;
  readonly intervalMs: number;
  readonly startMs: number;
}

const INTERVAL_MS = 30_000;
const LEGS_COUNT_MIN = 10;
/** Time before the end at which the rest is sent. */
const LAST_CALL_MS = 1_000;

/** Returns the placements when leg number `leg` (from 0) is due. `legs.count` is the leg at the end of the time. */
type LegRule = (view: StrategyView, leg: number, legs: Legs) => readonly StrategyIntent[];

/** Makes a strategy that acts only at its legs. Memory: number of due legs. */
function inLegs(rule: LegRule): Strategy {
  return {
    name: 'TWAP',
    begin: () => progressMemory(0, false),
    work: (view) => {
      const legs = legsOf(view);
      const due = dueCount(legs, view.nowMs);
      const { done } = progressOf(view);
      const wake = { atMs: dueAtMs(legs, due), when: [] };
      if (due <= done) return { ...QUIET, wake };
      return { ...QUIET, intents: rule(view, due - 1, legs), memory: progressMemory(due, false), wake };
    },
  };
}

/** The memory of a rule: number of due legs, and whether a withdrawn order must be placed again. */
function progressMemory(done: number, isOwed: boolean): LegMemory {
  const idle = isOwed ? 'BELOW_MINIMUM' : 'MOVING';
  return { kind: 'ICEBERG', pacing: { ...RELAXED.pacing, idle }, gates: null, usualClip: 1 as Lots, timedAfter: done };
}

function progressOf({ state }: StrategyView): { readonly done: number; readonly isOwed: boolean } {
  const { memory } = state.legs[0];
  const done = memory?.kind === 'ICEBERG' ? memory.timedAfter : 0;
  return { done, isOwed: memory !== null && memory.pacing.idle !== 'MOVING' };
}

function legsOf({ state, nowMs }: StrategyView): Legs {
  const startMs = state.startedAtMs ?? nowMs;
  const spanMs = (endOf(state.order, startMs) ?? startMs + LEGS_COUNT_MIN * INTERVAL_MS) - startMs;
  const count = Math.max(LEGS_COUNT_MIN, Math.round(spanMs / INTERVAL_MS));
  return { count, intervalMs: spanMs / count, startMs };
}

/** Number of due legs, including the leg near the end. */
function dueCount(legs: Legs, nowMs: EpochMs): number {
  let due = Math.min(legs.count, Math.floor((nowMs - legs.startMs) / legs.intervalMs) + 1);
  while ((dueAtMs(legs, due) ?? Infinity) <= nowMs) due += 1;
  return due;
}

/** Due time of a leg; null after the last one. */
function dueAtMs({ count, intervalMs, startMs }: Legs, leg: number): EpochMs | null {
  if (leg > count) return null;
  return Math.ceil(startMs + leg * intervalMs - (leg === count ? LAST_CALL_MS : 0)) as EpochMs;
}

/** Places a child that takes at once, at any price or up to a limit. None below the venue's minimum. */
function take(view: StrategyView, wanted: number, limitPrice: Ticks | null): readonly StrategyIntent[] {
  return child(view, wanted, { limitPrice, timeInForce: 'IOC', type: limitPrice === null ? 'MARKET' : 'LIMIT' });
}

/** Places a child that rests at a price. */
function rest(view: StrategyView, wanted: number, limitPrice: Ticks): readonly StrategyIntent[] {
  return child(view, wanted, { limitPrice, timeInForce: 'GTC', type: 'LIMIT' });
}

type Terms = Pick<Extract<StrategyIntent, { kind: 'Place' }>, 'limitPrice' | 'timeInForce' | 'type'>;

function child(view: StrategyView, wanted: number, terms: Terms): readonly StrategyIntent[] {
  const price = terms.limitPrice ?? farTouch(view.state.order.legs[0].side, view.market);
  const quantity = Math.min(Math.floor(wanted), unplaced(view)) as Lots;
  if (price === 0 || quantity < minimumAt(view.instrument, price)) return [];
  const reason = { code: 'BASELINE', detail: circumstances(view, null) };
  return [{ kind: 'Place', quantity, ...terms, postOnly: false, reason }];
}

/** Waits for a change, or until `atMs`. */
function waiting(atMs: number | null): StrategyDecision {
  return { ...QUIET, wake: { atMs: atMs as EpochMs | null, when: [] } };
}

/** Largest catch-up at once, in planned slices. */
const SLICES_MAX = 3;
/** Largest distance of a slice's price from the mid, in units of 10^-6. */
const TOLERANCE_PPM = 25_000;

/**
 * The TWAP of dYdX v4 (x/clob/keeper/twap_order_state.go); Pacifica documents the same bound. Each leg sends an even
 * part of the rest, at most three planned slices, as IOC with a tolerance around the reference price. The rest at the
 * end stays unfilled.
 */
export const BOUNDED_CATCH_UP = inLegs((view, leg, legs) => {
  const { quantity, side } = view.state.order.legs[0];
  if (leg >= legs.count) return [];
  const slice = boundedSlice({ quantity, legs: legs.count, left: unplaced(view), legsLeft: legs.count - leg });
  const ppm = side === 'BUY' ? 1_000_000 + TOLERANCE_PPM : 1_000_000 - TOLERANCE_PPM;
  const limit = (((view.market.bid + view.market.ask) / 2) * ppm) / 1_000_000;
  return take(view, slice, (side === 'BUY' ? Math.ceil(limit) : Math.floor(limit)) as Ticks);
});

interface Slicing {
  readonly quantity: number;
  readonly legs: number;
  readonly left: number;
  readonly legsLeft: number;
}

/** In lots, or in the whole steps of the given quantities. */
export function boundedSlice({ quantity, legs, left, legsLeft }: Slicing): number {
  return Math.min(Math.ceil(left / legsLeft), SLICES_MAX * Math.ceil(quantity / legs));
}

/**
 * The maker mode of hummingbot's TWAP (strategy_v2/executors/twap_executor). At each leg it places a limit order at the
 * mid, rounded to its own side, for an even part of the quantity that is neither filled nor open. After a leg's time it
 * cancels and replaces the order. It never crosses, and the rest at the end stays unfilled. Memory: number of due legs,
 * and whether a cancelled order must be placed again.
 */
export const EVEN_MAKER: Strategy = { name: 'TWAP', begin: () => progressMemory(0, false), work };

function work(view: StrategyView): ReturnType<Strategy['work']> {
  const legs = legsOf(view);
  const due = Math.min(legs.count, dueCount(legs, view.nowMs));
  const { done, isOwed } = progressOf(view);
  const old = restingChildren(view).filter((child) => view.nowMs >= child.order.submittedAtMs + legs.intervalMs);
  const sleep = waiting(nextAtMs(view, legs, due));
  if (old.length > 0) {
    const reason = { code: 'BASELINE', detail: circumstances(view, null) };
    return { ...sleep, intents: cancel(old, reason), memory: progressMemory(done, true) };
  }
  const isWithdrawing = view.state.legs[0].children.some(({ state }) => state === 'CANCEL_IN_FLIGHT');
  if (isWithdrawing || (due <= done && !isOwed)) return sleep;
  const { bid, ask } = view.market;
  if (bid === 0 || ask === 0) return sleep;
  const round = view.state.order.legs[0].side === 'BUY' ? Math.floor : Math.ceil;
  const quantity = unplaced(view) / Math.max(1, legs.count - done);
  return {
    ...sleep,
    intents: rest(view, quantity, round((bid + ask) / 2) as Ticks),
    memory: progressMemory(due, false),
  };
}

function nextAtMs(view: StrategyView, legs: Legs, due: number): number {
  const oldAtMs = view.state.legs[0].children.map(({ order }) => order.submittedAtMs + legs.intervalMs);
  return Math.max(view.nowMs + 1, Math.ceil(Math.min(dueAtMs(legs, due) ?? Infinity, ...oldAtMs)));
}

/**
 * The taker mode of hummingbot's TWAP (strategy_v2/executors/twap_executor): at each leg a market order for an even
 * part of the quantity that is neither filled nor open.
 */
export const EVEN_TAKER = inLegs((view, leg, legs) =>
  leg >= legs.count ? [] : take(view, unplaced(view) / (legs.count - leg), null),
);

/**
 * The TWAP of nautilus_trader (examples/algorithms/twap.py): equal market orders rounded down to the lot, and a last
 * one with the remainder. Sends everything at once when a slice is below the minimum.
 */
export const FLOORED_SLICES = inLegs((view, leg, legs) => {
  const slice = Math.floor(view.state.order.legs[0].quantity / legs.count);
  const isTooSmall = slice < minimumAt(view.instrument, view.market.bid);
  return take(view, isTooSmall || leg >= legs.count ? unplaced(view) : slice, null);
});

/**
 * One market order for the whole quantity. Requests the rest again after BOOK_REFILL_MS. Memory: time of the next
 * request.
 */
export const MARKET_AT_ONCE: Strategy = {
  name: 'MARKET',
  begin: () => ({ kind: 'MARKET', ...RELAXED }),
  work: (view) => {
    const againAtMs = view.state.legs[0].memory?.pacing.heldUntilMs ?? 0;
    if (unplaced(view) === 0) return waiting(null);
    if (view.nowMs < againAtMs) return waiting(againAtMs);
    const next = (view.nowMs + BOOK_REFILL_MS) as EpochMs;
    return {
      ...waiting(next),
      intents: take(view, unplaced(view), null),
      memory: { kind: 'MARKET', pacing: { ...RELAXED.pacing, heldUntilMs: next }, gates: null },
    };
  },
};

/** Rests the whole quantity at the best price of the own side and follows it at once. Never crosses. Memory: none. */
export const PASSIVE_AT_TOUCH: Strategy = {
  name: 'TWAP',
  begin: () => ({ kind: 'LIMIT', ...RELAXED }),
  work: (view) => {
    const { side } = view.state.order.legs[0];
    const touch = nearTouch(side, view.market);
    if (touch === 0) return { ...waiting(null), wake: { atMs: null, when: [whenAnything] } };
    const wake = { atMs: null, when: [whenTouchMovesAway(side, touch)] };
    const left = restingChildren(view).filter(({ order }) => !isAsAggressive(side, order.limitPrice ?? touch, touch));
    const reason = { code: 'BASELINE', detail: circumstances(view, null) };
    const intents = left.length > 0 ? cancel(left, reason) : rest(view, unplaced(view), touch);
    return { ...waiting(null), intents, wake };
  },
};
