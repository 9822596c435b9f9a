import { restOf } from '../../domain/order-state.js';
import type { StrategyDecision, StrategyView, Wake } from '../../domain/intent.js';
import {
  BOOK_REFILL_MS,
  IMBALANCE_LEAN_MS_MIN,
  IMBALANCE_PAUSE_MS_MAX,
  IMBALANCE_PAUSE_MS_MIN,
  WOULD_REST_MS,
} from '../../domain/limits/trading.js';
import { type Leg, WHOLE_PPM_OF_PERCENT, type Would } from '../../domain/order.js';
import type { Lots, Ticks } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import { type GateMemory, type Pacing, INITIAL_PACING } from '../../domain/strategy-memory.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import { QUIET, sweep } from '../placement/all-at-once.js';
import {
  circumstances,
  farTouch,
  isAsAggressive,
  isWithinLimit,
  nearTouch,
  place,
  placeable,
  unplaced,
  whenAnything,
  whenCrossable,
  withinLimit,
} from '../placement/child.js';
import type { Placement } from '../placement/placement.js';
import { afterPlacing, heldUntilMs, isHeld, setbackOf, sooner } from '../placement/pacing.js';
import { newScratch, type Scratch, type Strategy } from '../strategy.js';
import { imbalancedSince, isAtStake, withoutResting } from './book-imbalance.js';

const WOULD_REST = 'WOULD_REST';
const BPS = 10_000;

const NO_GATES: GateMemory = {
  pacing: INITIAL_PACING.pacing,
  wouldFilled: 0 as Lots,
  filledThen: 0 as Lots,
  wouldSinceMs: 0 as EpochMs,
  imbalanceSinceMs: 0 as EpochMs,
};

/** Progress of `would`, and since when its price is good, as of this decision. */
type WouldNow = Pick<GateMemory, 'wouldFilled' | 'filledThen' | 'wouldSinceMs'>;

/** A decision of the strategy or of a gate, and the new pacing of the gates. */
interface Gated {
  readonly decision: StrategyDecision;
  /** null: unchanged. */
  readonly pacing: Pacing | null;
}

/**
 * Adds the gates of its order to a strategy. The first of these that has something to do decides:
 *
 *   price lock ─▶ would that takes ─▶ the strategy ─▶ would that rests
 *
 * The book imbalance gate then removes resting children from the decision.
 */
export function gated(strategy: Strategy): Strategy {
  return {
    ...strategy,
    begin: (view) => ({ ...strategy.begin(view), gates: begun(view) }),
    work: (view, scratch = newScratch()) => work(view, strategy, scratch),
  };
}

/** Keeps the quantity that `would` has filled: its share is of the whole order, over all plans. */
function begun({ state }: StrategyView): GateMemory {
  const { wouldFilled, filledThen, wouldSinceMs } = state.legs[0].memory?.gates ?? NO_GATES;
  const gained = wouldSinceMs > 0 ? state.legs[0].progress.filled - filledThen : 0;
  return { ...NO_GATES, wouldFilled: (wouldFilled + gained) as Lots };
}

function work(view: StrategyView, strategy: Strategy, scratch: Scratch): StrategyDecision {
  const { memory } = view.state.legs[0];
  assert(memory !== null && memory.gates !== null, 'gates have begun before the order is worked');
  const before = memory.gates;
  const now = wouldNow(view, before);
  const taken = takenByPriceLock(view, before) ?? takenByWould(view, before, now);
  const { decision, pacing } =
    taken === null
      ? strategyOrWould(view, before, now, strategy.work(view, scratch))
      : { decision: taken, pacing: taken.pacing };
  const sinceMs = imbalancedSince(view, decision, before.imbalanceSinceMs);
  // The strategy does not remember a placement that the imbalance removed.
  const { intents, memory: own, note, end } = withoutResting(view, decision, sinceMs, before.imbalanceSinceMs > 0);
  const gates = gatesAfter(before, pacing ?? before.pacing, now, sinceMs);
  const isSame = own === null && gates === before;
  const wake = wakeOf(view, decision, gates);
  return { intents, memory: isSame ? null : { ...(own ?? memory), gates }, note, end, wake };
}

/** Returns `before` itself when nothing changes. */
function gatesAfter(before: GateMemory, pacing: Pacing, now: WouldNow, imbalanceSinceMs: EpochMs): GateMemory {
  const { wouldFilled, filledThen, wouldSinceMs } = now;
  const isSame =
    pacing === before.pacing &&
    before.wouldFilled === wouldFilled &&
    before.filledThen === filledThen &&
    before.wouldSinceMs === wouldSinceMs &&
    before.imbalanceSinceMs === imbalanceSinceMs;
  if (isSame) return before;
  return { pacing, wouldFilled, filledThen, wouldSinceMs, imbalanceSinceMs };
}

/** Returns the strategy's decision. While the strategy has nothing to do, `would` may rest. */
function strategyOrWould(view: StrategyView, gates: GateMemory, now: WouldNow, decision: StrategyDecision): Gated {
  const isIdle = decision.intents.length === 0 && decision.end === null;
  const rested = isIdle ? restedByWould(view, gates, now) : null;
  if (rested === null) return { decision, pacing: null };
  const { intents, note, pacing } = rested;
  return { decision: { ...decision, intents, note: decision.note ?? note }, pacing };
}

function wouldNow(view: StrategyView, { wouldFilled, filledThen, wouldSinceMs }: GateMemory): WouldNow {
  const { filled } = view.state.legs[0].progress;
  const isGood = isGoodFor(view, wouldPriceOf(view));
  return {
    wouldFilled: (wouldFilled + (wouldSinceMs > 0 ? filled - filledThen : 0)) as Lots,
    // Updated only while the price is good: each change of the memory is written to the journal.
    filledThen: isGood ? filled : filledThen,
    wouldSinceMs: isGood ? wouldSinceMs || view.nowMs : (0 as EpochMs),
  };
}

function isGoodFor({ state, market }: StrategyView, price: Ticks | null): boolean {
  const touch = farTouch(state.order.legs[0].side, market);
  return price !== null && touch > 0 && isAsAggressive(state.order.legs[0].side, price, touch);
}

/** Takes the whole rest when the market is better than at arrival by `priceLockBps`. */
function takenByPriceLock(view: StrategyView, gates: GateMemory): Placement | null {
  const price = lockPriceOf(view);
  if (price === null || !isGoodFor(view, price)) return null;
  const wanted = (view.state.order.legs[0].quantity - view.state.legs[0].progress.filled) as Lots;
  return sweep(view, gates.pacing, { wanted, price, code: 'PRICE_LOCK' });
}

/** Lots that `would` may still trade; 0 while the price is not good. */
function wouldLeft({ state }: StrategyView, { wouldFilled, wouldSinceMs }: WouldNow): Lots {
  const { would, quantity } = state.order.legs[0];
  if (would === null || wouldSinceMs === 0) return 0 as Lots;
  const whole = Math.floor((quantity * would.ppmOfPercent) / WHOLE_PPM_OF_PERCENT);
  return Math.max(0, Math.min(whole - wouldFilled, quantity - state.legs[0].progress.filled)) as Lots;
}

function isTaking({ style }: Would, nowMs: EpochMs, sinceMs: EpochMs): boolean {
  return style === 'AGGRESSIVE' || (style === 'HYBRID' && nowMs - sinceMs >= WOULD_REST_MS);
}

function takenByWould(view: StrategyView, gates: GateMemory, now: WouldNow): Placement | null {
  const wanted = wouldLeft(view, now);
  const price = wouldPriceOf(view);
  const { would } = view.state.order.legs[0];
  if (wanted === 0 || price === null || would === null) return null;
  return isTaking(would, view.nowMs, now.wouldSinceMs)
    ? sweep(view, gates.pacing, { wanted, price, code: 'WOULD_TAKE' })
    : null;
}

/** Joins the near touch with the lots that `would` may trade beyond the schedule. */
function restedByWould(view: StrategyView, gates: GateMemory, now: WouldNow): Placement | null {
  const left = wouldLeft(view, now);
  const price = wouldPriceOf(view);
  const leg = view.state.order.legs[0];
  const { children } = view.state.legs[0];
  const near = nearTouch(leg.side, view.market);
  const { would } = leg;
  if (left === 0 || price === null || would === null || near === 0) return null;
  // `would` either takes or rests, never both.
  if (isTaking(would, view.nowMs, now.wouldSinceMs)) return null;
  const setback = setbackOf(view, gates.pacing, null);
  if (setback !== null) return { ...QUIET, ...setback };
  if (isHeld(view, gates.pacing)) return null;
  let resting = 0;
  for (const child of children) if (child.order.reason.code === WOULD_REST) resting += restOf(child);
  const peg = withinLimit(leg, isAsAggressive(leg.side, price, near) ? near : price);
  const quantity = placeable(view, Math.min(left - resting, unplaced(view)), peg);
  if (quantity === 0) return null;
  const reason = { code: WOULD_REST, detail: '', figures: [...circumstances(view, null), left, price] } as const;
  const intents = place(view, quantity, { kind: 'rest', price: peg }, reason);
  return { ...QUIET, intents, pacing: afterPlacing(view, BOOK_REFILL_MS as DurationMs) };
}

/** Adds the prices and times that the gates wait for to the strategy's own wake. `gates`: after this decision. */
function wakeOf(view: StrategyView, decision: StrategyDecision, gates: GateMemory): Wake {
  const { wouldSinceMs, imbalanceSinceMs } = gates;
  const { nowMs, state } = view;
  const { imbalanceThresholdPpm, legs } = state.order;
  const { side } = legs[0];
  let { atMs, when } = decision.wake;
  const lock = lockPriceOf(view);
  if (lock !== null && !isGoodFor(view, lock)) when = when.concat(whenCrossable(side, lock));
  const would = wouldPriceOf(view);
  if (would !== null && !isGoodFor(view, would)) when = when.concat(whenCrossable(side, would));
  if (wouldSinceMs > 0) {
    atMs = sooner(nowMs, atMs, (wouldSinceMs + WOULD_REST_MS) as EpochMs);
    atMs = sooner(nowMs, atMs, heldUntilMs(view, gates.pacing));
  }
  if (imbalanceSinceMs > 0) {
    atMs = sooner(nowMs, atMs, (imbalanceSinceMs + IMBALANCE_LEAN_MS_MIN) as EpochMs);
    atMs = sooner(nowMs, atMs, (imbalanceSinceMs + IMBALANCE_LEAN_MS_MIN + IMBALANCE_PAUSE_MS_MIN) as EpochMs);
    atMs = sooner(nowMs, atMs, (imbalanceSinceMs + IMBALANCE_PAUSE_MS_MAX) as EpochMs);
  }
  const isWatching = imbalanceThresholdPpm !== null && (imbalanceSinceMs > 0 || isAtStake(view, decision));
  return { atMs, when: isWatching ? when.concat(whenAnything) : when };
}

/**
 * Returns the worst price at which `would` acts, within the limit; null without `would`. Without a price of its own it
 * acts at the arrival price, rounded to the tick: down for a buy, up for a sell.
 */
function wouldPriceOf({ state }: StrategyView): Ticks | null {
  const leg = state.order.legs[0];
  const { arrivalTwiceMid } = state.legs[0];
  if (leg.would === null || arrivalTwiceMid === null) return null;
  return inside(leg, leg.would.price ?? towardsOwnSide(leg, arrivalTwiceMid / 2));
}

/**
 * Returns the worst price at which the price lock acts, within the limit; null without a price lock. It is better than
 * the arrival price by `priceLockBps`.
 */
function lockPriceOf({ state }: StrategyView): Ticks | null {
  const { priceLockBps, legs } = state.order;
  const leg = legs[0];
  const { arrivalTwiceMid } = state.legs[0];
  if (priceLockBps === null || arrivalTwiceMid === null) return null;
  const better = leg.side === 'BUY' ? BPS - priceLockBps : BPS + priceLockBps;
  return inside(leg, towardsOwnSide(leg, (arrivalTwiceMid * better) / (2 * BPS)));
}

function towardsOwnSide({ side }: Leg, price: number): Ticks {
  return Math.max(1, side === 'BUY' ? Math.floor(price) : Math.ceil(price)) as Ticks;
}

function inside(leg: Leg, price: Ticks): Ticks {
  const { limitPrice, side } = leg;
  return limitPrice === null || isWithinLimit(leg, price) || isAsAggressive(side, limitPrice, price)
    ? price
    : limitPrice;
}
