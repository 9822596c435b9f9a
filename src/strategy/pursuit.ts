import type { StrategyDecision, StrategyIntent, StrategyView } from '../model/intent.js';
import { DEADLINE_REACH_PPM } from '../model/limits.js';
import { isTwoSided, type MarketCondition } from '../model/market.js';
import type { LiveChild, Reason } from '../model/order.js';
import type { Ticks } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import {
  cancel,
  circumstances,
  farTouch,
  isWithdrawing,
  isWithinLimit,
  minimumAt,
  nearTouch,
  place,
  placeable,
  placeableOf,
  reached,
  restingChildren,
  restOf,
  unplacedBeside,
  whenAnything,
  whenCrossable,
  whenPresent,
  whenTakeable,
  withinLimit,
  type ChildShape,
} from './placement.js';
import type { Goal } from './goal.js';
import { bandClosesAtMs, isBehind, slackOf } from './lag-band.js';
import { isMoment, momentAtMs, whenMoment } from './moment.js';
import { isRestingWorthwhile } from './patience.js';
import { isLeft, pegOf, whenToFollow } from './peg.js';
import {
  afterPlacing,
  heldUntilMs,
  isHeld,
  NO_CONDITIONS,
  setbackOf,
  sooner,
  standing,
  wakeAt,
  type Still,
} from './stance.js';

/** A decision in the making: all of it is new, and who has asked for it adds what it knows besides. */
export interface Pursuit extends StrategyDecision {
  memory: number[] | null;
  readonly wake: { atMs: EpochMs | null; when: readonly MarketCondition[] };
}

const NO_INTENTS: readonly StrategyIntent[] = [];

/**
 * Brings an order to its goal in the style it asks for, always inside its limit price:
 *
 *   PASSIVE     joins the near touch and follows it; crosses in the deadline window alone
 *   HYBRID      rests while it is within a band of its schedule, crosses what it is behind; the band closes with time
 *   AGGRESSIVE  takes from the far touch at once
 *
 * Its memory is the order's with another stance.
 */
export function pursue(view: StrategyView, goal: Goal): Pursuit {
  const { market, state } = view;
  const { order } = state;
  const lag = goal.target - state.progress.filled;
  if (lag <= 0 && state.children.length === 0) return sleep(view, goal);
  if (!isTwoSided(market)) {
    return standStill(view, goal, 'MARKET_ONE_SIDED', [whenPresent(market.bid > 0 ? 'ask' : 'bid')]);
  }
  const setback = setbackOf(view, goal.stanceAt, goal.nextAtMs);
  if (setback !== null) {
    const { memory, note, holdUntilMs } = setback;
    return { intents: NO_INTENTS, memory, note, end: null, wake: wakeAt(view.nowMs, holdUntilMs) };
  }
  const wantsToCross = goal.style === 'AGGRESSIVE' || goal.isClosing || isBehind(view, goal);
  const canCross = isWithinLimit(order, farTouch(order.side, market));
  if (wantsToCross && canCross) return cross(view, goal, lag);
  if (canCross && isTaking(view, goal)) return takeInTime(view, goal, lag);
  if (goal.style !== 'AGGRESSIVE' || goal.isClosing) return rest(view, goal, lag);
  if (order.limitPrice === null || lag <= view.working) return sleep(view, goal);
  return standStill(view, goal, 'LIMIT_BINDS', [whenCrossable(order.side, order.limitPrice)]);
}

/** A HYBRID order for which resting does not pay, unless its client has said how it is to rest. */
function isTaking(view: StrategyView, { intervalMs, style }: Goal): boolean {
  const { postOnly, placement } = view.state.order;
  return style === 'HYBRID' && !postOnly && placement === null && intervalMs > 0 && !isRestingWorthwhile(view);
}

/** Rests with as little as may be, for resting is what HYBRID does first, and takes the slice at the best moment of its time. */
function takeInTime(view: StrategyView, goal: Goal, lag: number): Pursuit {
  const { order } = view.state;
  if (isMoment(view, goal)) {
    const shape: ChildShape = { kind: 'take', price: farTouch(order.side, view.market) };
    return placeOrCarry(view, goal, lag, shape, 'TAKE_AT_MOMENT');
  }
  const isUntouched = lag >= goal.slice;
  const tip = isUntouched ? minimumAt(view.instrument, nearTouch(order.side, view.market)) : view.working;
  const pursuit = rest(view, goal, Math.min(lag, tip));
  const { wake } = pursuit;
  wake.atMs = sooner(view.nowMs, wake.atMs, momentAtMs(view, goal));
  wake.when = wake.when.concat(whenMoment(view, goal));
  return pursuit;
}

/** Takes the lag from the far touch; what rests is withdrawn first, so that nothing is done twice. */
function cross(view: StrategyView, goal: Goal, lag: number): Pursuit {
  const { order } = view.state;
  const touch = farTouch(order.side, view.market);
  const price = goal.isClosing ? withinLimit(order, reached(order.side, touch, DEADLINE_REACH_PPM)) : touch;
  const code = crossingCode(goal);
  const resting = restingChildren(view);
  if (resting.length > 0) {
    return canReplace(view, resting, lag, price) ? withdraw(view, goal, resting, code) : sleep(view, goal);
  }
  const shape: ChildShape = goal.isClosing
    ? { kind: 'take', price, requestClass: 'DEADLINE' }
    : { kind: 'take', price };
  return placeOrCarry(view, goal, lag, shape, code);
}

function crossingCode({ isClosing, style }: Goal): string {
  if (isClosing) return 'CROSS_AT_DEADLINE';
  return style === 'AGGRESSIVE' ? 'TAKE_SLICE' : 'CROSS_LAG';
}

/** Joins the near touch, or its own level, with what is not working yet, and withdraws what has been left behind. */
function rest(view: StrategyView, goal: Goal, lag: number): Pursuit {
  const { order } = view.state;
  const peg = pegOf(view, slackOf(view, goal));
  if (peg === null) return standStill(view, goal, 'BOOK_UNKNOWN', [whenAnything]);
  const takeable = whenTakeable(view, peg);
  if (takeable !== null) return standStill(view, goal, 'BEYOND_BAND', [takeable]);
  const resting = restingChildren(view);
  const left = resting.length === 0 ? resting : resting.filter((child) => isLeft(view, priceOf(child), peg));
  // Who says where to stand does not want to wait there.
  const dwellMs = order.placement === null ? goal.dwellMs : 0;
  if (left.length > 0) {
    const rested = left.filter((child) => view.nowMs >= child.order.submittedAtMs + dwellMs);
    if (rested.length > 0 && canReplace(view, rested, lag, peg)) return withdraw(view, goal, rested, 'REPEG');
  }
  const shape: ChildShape = { kind: 'join', price: peg };
  const pursuit = placeOrCarry(view, goal, lag, shape, joiningCode(view, peg));
  const { wake, intents } = pursuit;
  wake.atMs = sooner(view.nowMs, wake.atMs, bandClosesAtMs(view, goal));
  for (const child of left) {
    wake.atMs = sooner(view.nowMs, wake.atMs, (child.order.submittedAtMs + dwellMs) as EpochMs);
  }
  const isAnyAtPeg = left.length < resting.length || intents.length > 0;
  const canFollow = order.limitPrice === null || peg !== order.limitPrice;
  wake.when = isAnyAtPeg && canFollow ? [whenToFollow(view)] : NO_CONDITIONS;
  return pursuit;
}

function joiningCode({ state: { order }, market }: StrategyView, peg: Ticks): string {
  if (order.placement?.mode === 'CUSTOM') return 'JOIN_LEVEL';
  return peg === nearTouch(order.side, market) || peg === order.limitPrice ? 'JOIN_TOUCH' : 'JOIN_BEHIND';
}

function placeOrCarry(view: StrategyView, goal: Goal, lag: number, shape: ChildShape, code: string): Pursuit {
  // What is being withdrawn will be free in a moment: one child for all of it, not one for each report.
  if (isWithdrawing(view)) return sleep(view, goal);
  const wanted = lag - view.working;
  const quantity = placeable(view, wanted, shape.price);
  if (quantity === 0) {
    // Worth a line only when no later slice can take it along.
    const isStuck = wanted > 0 && goal.target === view.state.order.quantity;
    return isStuck ? standStill(view, goal, 'BELOW_MINIMUM', NO_CONDITIONS) : sleep(view, goal);
  }
  if (isHeld(view, goal.stanceAt)) return sleepWhileHeld(view, goal);
  return {
    intents: place(view, quantity, goal.clip, shape, reasonOf(view, goal, code)),
    memory: afterPlacing(view, goal.stanceAt, goal.holdMs),
    note: null,
    end: null,
    wake: wakeAt(view.nowMs, goal.nextAtMs),
  };
}

/** True when what the withdrawn children free can be placed again: a rest below the minimum is better left in the book. */
function canReplace(view: StrategyView, children: readonly LiveChild[], lag: number, price: Ticks): boolean {
  let freed = 0;
  for (const child of children) freed += restOf(child);
  const working = view.working - freed;
  return placeableOf(unplacedBeside(view, working), lag - working, view.instrument, price) > 0;
}

/** Withdraws children to place their rest anew; while nothing may be placed they stay. */
function withdraw(view: StrategyView, goal: Goal, children: readonly LiveChild[], code: string): Pursuit {
  if (isHeld(view, goal.stanceAt)) return sleepWhileHeld(view, goal);
  const intents = cancel(children, reasonOf(view, goal, code));
  return { intents, memory: null, note: null, end: null, wake: wakeAt(view.nowMs, goal.nextAtMs) };
}

/** Put into words only for what is done: most looks at the market do nothing. */
function reasonOf(view: StrategyView, { target }: Goal, code: string): Reason {
  return { code, detail: circumstances(view, target) };
}

function sleep({ nowMs }: StrategyView, { nextAtMs }: Goal): Pursuit {
  return { intents: NO_INTENTS, memory: null, note: null, end: null, wake: wakeAt(nowMs, nextAtMs) };
}

function sleepWhileHeld(view: StrategyView, { nextAtMs, stanceAt }: Goal): Pursuit {
  const wake = wakeAt(view.nowMs, nextAtMs, heldUntilMs(view, stanceAt));
  return { intents: NO_INTENTS, memory: null, note: null, end: null, wake };
}

function standStill(view: StrategyView, goal: Goal, still: Still, when: readonly MarketCondition[]): Pursuit {
  const news = standing(view, goal.stanceAt, still, goal.target);
  const wake = wakeAt(view.nowMs, goal.nextAtMs, null, when);
  return { intents: NO_INTENTS, memory: news?.memory ?? null, note: news?.note ?? null, end: null, wake };
}

function priceOf({ order }: LiveChild): Ticks {
  return order.limitPrice ?? (0 as Ticks);
}
