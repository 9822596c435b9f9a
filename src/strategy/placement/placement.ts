import type { StrategyDecision, StrategyIntent, StrategyView } from '../../domain/intent.js';
import { DEADLINE_REACH_PPM } from '../../domain/limits/trading.js';
import { isTwoSided, type MarketCondition } from '../../domain/market.js';
import { type LiveChild, restOf } from '../../domain/order-state.js';
import type { GivenReason } from '../../domain/order.js';
import type { Ticks } from '../../domain/quantity.js';
import type { ReasonCode } from '../../domain/reason.js';
import type { LegMemory, NotedIdleReason, Pacing } from '../../domain/strategy-memory.js';
import type { EpochMs } from '../../domain/time.js';
import {
  cancel,
  circumstances,
  farTouch,
  isWithdrawing,
  isWithinLimit,
  minimumAt,
  place,
  placeable,
  placeableOf,
  reached,
  restingChildren,
  takingNow,
  takingPrice,
  unplacedBeside,
  whenAnything,
  whenCrossable,
  whenPresent,
  whenTakeable,
  withinLimit,
  worthPlacing,
  type CodedShape,
} from './child.js';
import { afterPlacing, afterTaking, heldUntilMs, idleFor, isHeld, setbackOf, sooner, wakeAt } from './pacing.js';
import { isTakingBetter, isTooFar, pegOf, whenToMove } from './peg.js';
import {
  bandClosesAtMs,
  crossable,
  isBehind,
  isTimeToTake,
  isWaitingToTake,
  nextQuarterAtMs,
  tipOf,
  whenTimeToTake,
  type Target,
} from './target.js';

/** A decision before the strategy has made its memory from the pacing. */
export interface Placement extends StrategyDecision {
  memory: LegMemory | null;
  /** null: unchanged. */
  readonly pacing: Pacing | null;
  readonly wake: { atMs: EpochMs | null; when: readonly MarketCondition[] };
}

const NO_INTENTS: readonly StrategyIntent[] = [];
const JOIN_TOUCH = 'JOIN_TOUCH';

/**
 * Works an order towards its target in its style, always within its limit price:
 *
 *   PASSIVE     joins the near touch and follows it; crosses only in the deadline window
 *   HYBRID      rests up to a slice ahead of its schedule, crosses what is later than a band that closes with time
 *   AGGRESSIVE  takes from the far touch: the first slice and late ones at once, others at the best time in their slot
 *
 * `renewed`: lots that the strategy wants once its children are withdrawn, when these are more than the withdrawn rest.
 */
export function placeToward(view: StrategyView, target: Target, renewed = 0): Placement {
  const { market, state } = view;
  const leg = state.order.legs[0];
  const lag = target.quantity - state.legs[0].progress.filled;
  const reach = lag + target.ahead;
  if (reach <= 0 && state.legs[0].children.length === 0) return sleep(view, target);
  if (!isTwoSided(market)) {
    return idle(view, target, 'MARKET_ONE_SIDED', [whenPresent(market.bid > 0 ? 'ask' : 'bid')]);
  }
  const setback = setbackOf(view, target.pacing, target.nextAtMs);
  if (setback !== null) {
    const { pacing: held, note } = setback;
    const wake = wakeAt(view.nowMs, held.heldUntilMs);
    return { intents: NO_INTENTS, memory: null, pacing: held, note, end: null, wake };
  }
  const wantsToCross = target.style === 'AGGRESSIVE' || target.isClosing || isBehind(view, target);
  const canCross = isWithinLimit(leg, farTouch(leg.side, market));
  if (wantsToCross && canCross) {
    return isWaitingToTake(view, target, lag) ? awaitMoment(view, target) : cross(view, target, lag, renewed);
  }
  if (canCross && isTaking(view, target)) return takeAtBestTime(view, target, lag);
  if (target.style !== 'AGGRESSIVE' || target.isClosing) return rest(view, target, reach, renewed);
  if (leg.limitPrice === null || lag <= view.working) return sleep(view, target);
  return idle(view, target, 'LIMIT_BINDS', [whenCrossable(leg.side, leg.limitPrice)]);
}

/** True for a HYBRID order that takes its slices. */
function isTaking(view: StrategyView, { intervalMs, style }: Target): boolean {
  return style === 'HYBRID' && intervalMs > 0 && isTakingBetter(view);
}

/** Rests with a small quantity, because HYBRID rests first, and takes the slice at the best time before it is due. */
function takeAtBestTime(view: StrategyView, target: Target, lag: number): Placement {
  const leg = view.state.order.legs[0];
  if (isTimeToTake(view, target)) {
    const price = farTouch(leg.side, view.market);
    const shape: CodedShape = { kind: 'take', price, clip: target.clip, code: 'TAKE_AT_MOMENT' };
    return placeOrCarry(view, target, lag - view.working, shape);
  }
  const isUntouched = lag >= target.slice;
  const tip = isUntouched ? tipOf(view) : view.working;
  const placement = rest(view, target, Math.min(lag, tip), 0);
  const { wake } = placement;
  wake.atMs = sooner(view.nowMs, wake.atMs, nextQuarterAtMs(view, target));
  wake.when = wake.when.concat(whenTimeToTake(view, target));
  return placement;
}

/** Sleeps until the slice may be taken. */
function awaitMoment(view: StrategyView, target: Target): Placement {
  const placement = sleep(view, target);
  placement.wake.atMs = sooner(view.nowMs, placement.wake.atMs, nextQuarterAtMs(view, target));
  placement.wake.when = [whenTimeToTake(view, target)];
  return placement;
}

/**
 * Takes what is late from the far touch. Withdraws the latest resting children first where all of them and the taken
 * quantity together would exceed what may work, so that no quantity trades twice and the first ones keep their place.
 */
function cross(view: StrategyView, target: Target, lag: number, renewed: number): Placement {
  const leg = view.state.order.legs[0];
  const touch = farTouch(leg.side, view.market);
  const usual = target.isClosing ? withinLimit(leg, reached(leg.side, touch, DEADLINE_REACH_PPM)) : touch;
  const price = worthPlacing(view, usual, leg.side === 'BUY' ? (leg.limitPrice ?? usual) : touch);
  const code = crossingCode(target);
  const taken = Math.max(0, crossable(view, target, lag, minimumAt(view.instrument, price)) - takingNow(view));
  const resting = restingChildren(view);
  const surplus = view.working + taken - lag - target.ahead;
  if (resting.length > 0 && surplus > 0) {
    const latest = latestOf(resting, target.isClosing ? Infinity : surplus);
    return canPlaceWithout(view, latest, Math.max(taken, renewed), price)
      ? withdraw(view, target, latest, code)
      : sleep(view, target);
  }
  const shape: CodedShape = target.isClosing
    ? { kind: 'take', price, clip: target.clip, code, requestClass: 'DEADLINE' }
    : { kind: 'take', price, clip: target.clip, code };
  return placeOrCarry(view, target, taken, shape);
}

/** Returns the children placed last whose rests add up to `quantity`, or all. */
function latestOf(resting: readonly LiveChild[], quantity: number): readonly LiveChild[] {
  let left = quantity;
  let from = resting.length;
  while (from > 0 && left > 0) left -= restOf(resting[(from -= 1)]!);
  return resting.slice(from);
}

function crossingCode({ isClosing, style }: Target): ReasonCode {
  if (isClosing) return 'CROSS_AT_DEADLINE';
  return style === 'AGGRESSIVE' ? 'TAKE_SLICE' : 'CROSS_LAG';
}

/**
 * Joins the near touch, or the order's own level, with the part of the lag that is not working. Withdraws children that
 * are too far from the market.
 */
function rest(view: StrategyView, target: Target, lag: number, renewed: number): Placement {
  const leg = view.state.order.legs[0];
  const peg = pegOf(view);
  if (peg === null) return idle(view, target, 'BOOK_UNKNOWN', [whenAnything]);
  const takeable = whenTakeable(view, peg);
  if (takeable !== null) return idle(view, target, 'BEYOND_BAND', [takeable]);
  const resting = restingChildren(view);
  const left = resting.length === 0 ? resting : resting.filter((child) => isTooFar(view, priceOf(child), peg));
  // An order that names its level does not wait at another one.
  const dwellMs = leg.placement === null ? target.dwellMs : 0;
  if (left.length > 0) {
    const rested = left.filter((child) => view.nowMs >= child.order.submittedAtMs + dwellMs);
    const wanted = Math.max(renewed, lag - view.working + sumOf(rested));
    if (rested.length > 0 && canPlaceWithout(view, rested, wanted, peg)) {
      return withdraw(view, target, rested, 'REPEG');
    }
  }
  const shape: CodedShape = { kind: 'join', price: peg, clip: target.clip, code: joiningCode(view) };
  const placement = placeOrCarry(view, target, lag - view.working, shape);
  const { wake, intents } = placement;
  wake.atMs = sooner(view.nowMs, wake.atMs, bandClosesAtMs(view, target));
  for (const child of left) {
    wake.atMs = sooner(view.nowMs, wake.atMs, (child.order.submittedAtMs + dwellMs) as EpochMs);
  }
  const isAnyAtPeg = left.length < resting.length || intents.length > 0;
  const canFollow = leg.limitPrice === null || peg !== leg.limitPrice;
  if (isAnyAtPeg && canFollow) wake.when = [whenToMove(view)];
  return placement;
}

function joiningCode({ state }: StrategyView): ReasonCode {
  return state.order.legs[0].placement?.mode === 'CUSTOM' ? 'JOIN_LEVEL' : JOIN_TOUCH;
}

/** Places `wanted` lots. Sleeps instead while they cannot be placed. */
function placeOrCarry(view: StrategyView, target: Target, wanted: number, shape: CodedShape): Placement {
  // Waits for all withdrawals: one child then takes the whole quantity, instead of one child for each report.
  if (isWithdrawing(view)) return sleep(view, target);
  const quantity = placeable(view, wanted, shape.price);
  if (quantity === 0) {
    // Notes it only when no later slice can include this quantity.
    const isStuck = wanted > 0 && target.quantity === view.state.order.legs[0].quantity;
    return isStuck ? idle(view, target, 'BELOW_MINIMUM', [whenAnything]) : sleep(view, target);
  }
  if (isHeld(view, target.pacing)) return sleepWhileHeld(view, target);
  const isAtTouch = shape.kind === 'take' && !target.isClosing;
  const priced = isAtTouch ? { ...shape, price: takingPrice(view, quantity, shape.price) } : shape;
  return {
    intents: place(view, quantity, priced, reasonOf(view, target, shape.code)),
    memory: null,
    pacing: isAtTouch ? afterTaking(view, target.pacing, target.holdMs) : afterPlacing(view, target.holdMs),
    note: null,
    end: null,
    wake: wakeAt(view.nowMs, target.nextAtMs),
  };
}

/** True when `wanted` can be placed after the children are withdrawn. A rest below the minimum stays in the book. */
function canPlaceWithout(view: StrategyView, children: readonly LiveChild[], wanted: number, price: Ticks): boolean {
  return placeableOf(unplacedBeside(view, view.working - sumOf(children)), wanted, view.instrument, price) > 0;
}

function sumOf(children: readonly LiveChild[]): number {
  let sum = 0;
  for (const child of children) sum += restOf(child);
  return sum;
}

/** Withdraws children to place their rest again. They stay in the book while the pacing allows no placement. */
function withdraw(view: StrategyView, target: Target, children: readonly LiveChild[], code: ReasonCode): Placement {
  if (isHeld(view, target.pacing)) return sleepWhileHeld(view, target);
  const intents = cancel(children, reasonOf(view, target, code));
  return { intents, memory: null, pacing: null, note: null, end: null, wake: wakeAt(view.nowMs, target.nextAtMs) };
}

/** Called only for an action, because most decisions do nothing. */
function reasonOf(view: StrategyView, target: Target, code: ReasonCode): GivenReason {
  const figures = circumstances(view, target.quantity);
  return { code, detail: '', figures: code === JOIN_TOUCH && isDearer(view, target) ? [...figures, 1] : figures };
}

/** True for a PASSIVE order that joins the touch although it could take, and taking is expected to be cheaper. */
function isDearer(view: StrategyView, { style, isClosing }: Target): boolean {
  const leg = view.state.order.legs[0];
  if (style !== 'PASSIVE' || isClosing || !isWithinLimit(leg, farTouch(leg.side, view.market))) return false;
  return isTakingBetter(view);
}

function sleep({ nowMs }: StrategyView, { nextAtMs }: Target): Placement {
  return { intents: NO_INTENTS, memory: null, pacing: null, note: null, end: null, wake: wakeAt(nowMs, nextAtMs) };
}

function sleepWhileHeld(view: StrategyView, { pacing, nextAtMs }: Target): Placement {
  const wake = wakeAt(view.nowMs, nextAtMs, heldUntilMs(view, pacing));
  return { intents: NO_INTENTS, memory: null, pacing: null, note: null, end: null, wake };
}

function idle(
  view: StrategyView,
  target: Target,
  reason: NotedIdleReason,
  when: readonly MarketCondition[],
): Placement {
  const change = idleFor(view, target.pacing, reason, target.quantity);
  const wake = wakeAt(view.nowMs, target.nextAtMs, null, when);
  const [paced, note] = [change?.pacing ?? null, change?.note ?? null];
  return { intents: NO_INTENTS, memory: null, pacing: paced, note, end: null, wake };
}

function priceOf({ order }: LiveChild): Ticks {
  return order.limitPrice ?? (0 as Ticks);
}
