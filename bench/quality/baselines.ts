import { INITIAL_PACING } from '../../src/domain/strategy-memory.js';
import type { Strategy } from '../../src/strategy/strategy.js';
import type { StrategyDecision, StrategyView } from '../../src/domain/intent.js';
import { BOOK_REFILL_MS } from '../../src/domain/limits/trading.js';
import type { Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { Random } from '../../src/sim/prng.js';
import { QUIET } from '../../src/strategy/placement/all-at-once.js';
import {
  cancel,
  circumstances,
  isAsAggressive,
  minimumAt,
  nearTouch,
  restingChildren,
  unplaced,
  whenAnything,
  whenTouchMovesAway,
} from '../../src/strategy/placement/child.js';
import { dueCount, dueTimes, EVEN, inLegs, type Legs, legsOf, progressMemory, progressOf, rest, take } from './legs.js';

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
  const times = dueTimes(legs, EVEN(legs, view));
  const due = Math.min(legs.count, dueCount(times, view.nowMs));
  const { done, isOwed } = progressOf(view);
  const old = restingChildren(view).filter((child) => view.nowMs >= child.order.submittedAtMs + legs.intervalMs);
  const sleep = waiting(nextAtMs(view, legs, times[due]));
  if (old.length > 0) {
    const reason = { code: 'TAKE', detail: '', figures: circumstances(view, null) } as const;
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

function nextAtMs(view: StrategyView, legs: Legs, dueAtMs = Infinity): number {
  const oldAtMs = view.state.legs[0].children.map(({ order }) => order.submittedAtMs + legs.intervalMs);
  return Math.max(view.nowMs + 1, Math.ceil(Math.min(dueAtMs, ...oldAtMs)));
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
 * Takes at even times, more at first: the rate falls evenly from twice the average to 0, so the share filled by the
 * fraction x of the time is 1 − (1 − x)². It saves risk and pays more impact. Front-loading itself is that of Almgren
 * and Chriss (Optimal execution of portfolio transactions, 2000); the curve has no parameter to choose.
 */
export const FRONT_LOADED = inLegs((view, leg, legs) => {
  const share = (1 - Math.min(1, (leg + 1) / legs.count)) ** 2;
  const left = Math.floor(share * view.state.order.legs[0].quantity);
  // A rest below the exchange's minimum could not be sent later.
  const kept = left < minimumAt(view.instrument, view.market.bid) ? 0 : left;
  return take(view, unplaced(view) - kept, null);
});

/** Takes even parts at independent uniform times, which are the same for both sides of a window. */
export const RANDOM_TIMES = inLegs(
  (view, leg, legs) => take(view, unplaced(view) / Math.max(1, legs.count - leg), null),
  ({ count, intervalMs }, { state: { order } }) => {
    const random = new Random(`random times/${order.orderId}`);
    const spanMs = (count - 1) * intervalMs;
    return Array.from({ length: count }, () => random.uniform() * spanMs).toSorted((one, other) => one - other);
  },
);

/**
 * One market order for the whole quantity. Requests the rest again after BOOK_REFILL_MS. Memory: time of the next
 * request.
 */
export const MARKET_AT_ONCE: Strategy = {
  name: 'MARKET',
  begin: () => ({ kind: 'MARKET', ...INITIAL_PACING }),
  work: (view) => {
    const againAtMs = view.state.legs[0].memory?.pacing.heldUntilMs ?? 0;
    if (unplaced(view) === 0) return waiting(null);
    if (view.nowMs < againAtMs) return waiting(againAtMs);
    const next = (view.nowMs + BOOK_REFILL_MS) as EpochMs;
    return {
      ...waiting(next),
      intents: take(view, unplaced(view), null),
      memory: { kind: 'MARKET', pacing: { ...INITIAL_PACING.pacing, heldUntilMs: next }, gates: null },
    };
  },
};

/** Rests the whole quantity at the best price of the own side and follows it at once. Never crosses. Memory: none. */
export const PASSIVE_AT_TOUCH: Strategy = {
  name: 'TWAP',
  begin: () => ({ kind: 'LIMIT', ...INITIAL_PACING }),
  work: (view) => {
    const { side } = view.state.order.legs[0];
    const touch = nearTouch(side, view.market);
    if (touch === 0) return { ...waiting(null), wake: { atMs: null, when: [whenAnything] } };
    const wake = { atMs: null, when: [whenTouchMovesAway(side, touch)] };
    const left = restingChildren(view).filter(({ order }) => !isAsAggressive(side, order.limitPrice ?? touch, touch));
    const reason = { code: 'TAKE', detail: '', figures: circumstances(view, null) } as const;
    const intents = left.length > 0 ? cancel(left, reason) : rest(view, unplaced(view), touch);
    return { ...waiting(null), intents, wake };
  },
};
