import type { StrategyDecision, StrategyView } from '../domain/intent.js';
import { BOOK_REFILL_MS, MARKET_COLLAR_PPM, MARKET_REACH_PPM, REPOST_MS } from '../domain/limits/trading.js';
import { endOf } from '../domain/order-state.js';
import { formatTicks, type Ticks } from '../domain/quantity.js';
import { assert } from '../domain/rejection.js';
import { type PlainMemory, INITIAL_PACING } from '../domain/strategy-memory.js';
import type { DurationMs } from '../domain/time.js';
import type { Outline } from './outline.js';
import { placeAll, QUIET, waitFor } from './placement/all-at-once.js';
import {
  farTouch,
  isAsAggressive,
  isWithinLimit,
  maximumAt,
  reached,
  unplaced,
  whenCrossable,
  whenPresent,
  whenTakeable,
  withinLimit,
  worthPlacing,
} from './placement/child.js';
import type { Placement } from './placement/placement.js';
import type { Strategy } from './strategy.js';

/**
 * Takes the book near its touch, within the limit price if there is one, until all is filled. Without a limit price,
 * the order ends when the market leaves a collar around the arrival price.
 */
export const MARKET: Strategy = {
  name: 'MARKET',
  begin: () => ({ kind: 'MARKET', ...INITIAL_PACING }),
  work: (view) => {
    const memory = plainMemory(view);
    return withPacing(memory, workMarket(view, memory));
  },
};

/**
 * Rests the whole order at its limit price once the exchange accepts that price. Replaces children that the exchange
 * ends.
 */
export const LIMIT: Strategy = {
  name: 'LIMIT',
  begin: () => ({ kind: 'LIMIT', ...INITIAL_PACING }),
  work: (view) => {
    const memory = plainMemory(view);
    return withPacing(memory, workLimit(view, memory));
  },
};

/** Returns the memory of a strategy that remembers only its pacing. */
export function plainMemory({ state }: StrategyView): PlainMemory {
  const { memory } = state.legs[0];
  assert(
    memory?.kind === 'MARKET' || memory?.kind === 'LIMIT' || memory?.kind === 'SCALE',
    `a ${state.order.legs[0].strategy} has begun before it is worked`,
  );
  return memory;
}

/**
 * Returns the decision with the memory for its new pacing. The shared `QUIET` decision has no pacing and is not
 * changed.
 */
export function withPacing({ kind, gates }: PlainMemory, decision: Placement): StrategyDecision {
  if (decision.pacing !== null) decision.memory = { kind, pacing: decision.pacing, gates };
  return decision;
}

function workMarket(view: StrategyView, memory: PlainMemory): Placement {
  const leg = view.state.order.legs[0];
  const touch = farTouch(leg.side, view.market);
  if (unplaced(view) === 0) return QUIET;
  if (touch === 0)
    return waitFor(view, memory.pacing, 'MARKET_ONE_SIDED', whenPresent(leg.side === 'BUY' ? 'ask' : 'bid'));
  if (!isWithinLimit(leg, touch)) {
    return waitFor(view, memory.pacing, 'LIMIT_BINDS', whenCrossable(leg.side, leg.limitPrice as Ticks));
  }
  const collar = collarOf(view);
  if (!isAsAggressive(leg.side, collar, touch)) return beyondCollar(view, collar, touch);
  const reach = reached(leg.side, touch, MARKET_REACH_PPM);
  const usual = withinLimit(leg, isAsAggressive(leg.side, collar, reach) ? reach : collar);
  const price = worthPlacing(view, usual, leg.side === 'BUY' ? collar : touch);
  const holdMs = BOOK_REFILL_MS as DurationMs;
  return placeAll(view, memory.pacing, { kind: 'take', price, code: 'TAKE', holdMs, most: Infinity });
}

/** Returns the worst price at which the order trades: its limit price, or the collar around the arrival price. */
function collarOf({ state }: StrategyView): Ticks {
  const leg = state.order.legs[0];
  const { arrivalTwiceMid } = state.legs[0];
  return leg.limitPrice ?? reached(leg.side, Math.floor((arrivalTwiceMid ?? 0) / 2) as Ticks, MARKET_COLLAR_PPM);
}

function beyondCollar(view: StrategyView, collar: Ticks, touch: Ticks): Placement {
  if (view.state.legs[0].children.length > 0) return QUIET;
  const { instrument } = view;
  const message =
    `the far touch of ${formatTicks(touch, instrument)} is beyond ${formatTicks(collar, instrument)}, ` +
    `${MARKET_COLLAR_PPM / 10_000} % from the arrival price`;
  return { ...QUIET, end: { code: 'SLIPPAGE_EXCEEDED', message } };
}

function workLimit(view: StrategyView, memory: PlainMemory): Placement {
  const leg = view.state.order.legs[0];
  const price = leg.limitPrice;
  assert(price !== null, 'a LIMIT order has a limit price');
  const takeable = whenTakeable(view, price);
  if (takeable !== null && unplaced(view) > 0) return waitFor(view, memory.pacing, 'BEYOND_BAND', takeable);
  const holdMs = REPOST_MS as DurationMs;
  return placeAll(view, memory.pacing, { kind: 'rest', price, code: 'REST_AT_LIMIT', holdMs, most: Infinity });
}

/** Outlines a MARKET or LIMIT order: the whole quantity at once. */
export function outlineAtOnce({ state: { order, startedAtMs }, instrument, market, nowMs }: StrategyView): Outline {
  const leg = order.legs[0];
  const { quantity } = leg;
  const largest = maximumAt(instrument, withinLimit(leg, farTouch(leg.side, market)));
  return {
    slices: [{ atMs: nowMs, quantity }],
    childCount: Math.ceil(quantity / Math.max(1, largest)),
    endMs: endOf(order, startedAtMs),
  };
}
