import type { StrategyIntent, StrategyView, Wake } from '../model/intent.js';
import { DEADLINE_REACH_PPM } from '../model/limits.js';
import { isMet, isTwoSided, type MarketCondition } from '../model/market.js';
import type { LiveChild, Reason } from '../model/order.js';
import type { Lots, Ticks } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import {
  cancel,
  circumstances,
  farTouch,
  isWithinLimit,
  minimumAt,
  nearTouch,
  place,
  placeable,
  reached,
  restingChildren,
  restOf,
  whenAnything,
  whenCrossable,
  whenPresent,
  whenTakeable,
  withinLimit,
  type ChildShape,
} from './placement.js';
import type { Goal } from './goal.js';
import { bandClosesAtMs, isBehind, slackOf } from './lag-band.js';
import { isMoment, whenMoment } from './moment.js';
import { isRestingWorthwhile } from './patience.js';
import { isLeft, pegOf, whenToFollow } from './peg.js';
import { afterPlacing, isHeld, setbackOf, standing, wakeAt, type Stance, type Still } from './stance.js';

/** What to do to come to the goal. */
export interface Pursuit {
  readonly intents: readonly StrategyIntent[];
  /** What to remember; null when unchanged. */
  readonly stance: Stance | null;
  readonly note: Reason | null;
  readonly wake: Wake;
}

/**
 * Brings an order to its goal in the style it asks for, always inside its limit price:
 *
 *   PASSIVE     joins the near touch and follows it; crosses in the deadline window alone
 *   HYBRID      rests while it is within a band of its schedule, crosses what it is behind; the band closes with time
 *   AGGRESSIVE  takes from the far touch at once
 */
export function pursue(view: StrategyView, goal: Goal, stance: Stance): Pursuit {
  const { market, nowMs, state } = view;
  const { order } = state;
  const lag = goal.target - state.progress.filled;
  if (lag <= 0 && state.children.length === 0) return sleep(view, goal);
  if (!isTwoSided(market)) {
    return standStill(view, goal, stance, 'MARKET_ONE_SIDED', [whenPresent(market.bid > 0 ? 'ask' : 'bid')]);
  }
  const setback = setbackOf(view, stance, goal.nextAtMs);
  if (setback !== null) return { intents: [], ...setback, wake: wakeAt(nowMs, [setback.stance.holdUntilMs]) };
  const wantsToCross = order.style === 'AGGRESSIVE' || goal.isClosing || isBehind(view, goal);
  const canCross = isWithinLimit(order, farTouch(order.side, market));
  if (wantsToCross && canCross) return cross(view, goal, stance, lag);
  if (canCross && isTaking(view, goal)) return takeInTime(view, goal, stance, lag);
  if (order.style !== 'AGGRESSIVE' || goal.isClosing) return rest(view, goal, stance, lag);
  if (order.limitPrice === null || lag <= view.working) return sleep(view, goal);
  return standStill(view, goal, stance, 'LIMIT_BINDS', [whenCrossable(order.side, order.limitPrice)]);
}

/** A HYBRID order for which resting does not pay, unless its client has said how it is to rest. */
function isTaking(view: StrategyView, { intervalMs }: Goal): boolean {
  const { style, postOnly, placement } = view.state.order;
  return style === 'HYBRID' && !postOnly && placement === null && intervalMs > 0 && !isRestingWorthwhile(view);
}

/** Rests with as little as may be, for resting is what HYBRID does first, and takes the slice at the best moment of its time. */
function takeInTime(view: StrategyView, goal: Goal, stance: Stance, lag: number): Pursuit {
  const { order } = view.state;
  if (isMoment(view, goal)) {
    const shape: ChildShape = { kind: 'take', price: farTouch(order.side, view.market) };
    return placeOrCarry(view, goal, stance, lag, shape, 'TAKE_AT_MOMENT');
  }
  const isUntouched = lag >= goal.slice;
  const tip = isUntouched ? minimumAt(view.instrument, nearTouch(order.side, view.market)) : view.working;
  const pursuit = rest(view, goal, stance, Math.min(lag, tip));
  const { atMs, when } = whenMoment(view, goal);
  return { ...pursuit, wake: wakeAt(view.nowMs, [pursuit.wake.atMs, atMs], [...pursuit.wake.when, ...when]) };
}

/** Takes the lag from the far touch; what rests is withdrawn first, so that nothing is done twice. */
function cross(view: StrategyView, goal: Goal, stance: Stance, lag: number): Pursuit {
  const { order } = view.state;
  const touch = farTouch(order.side, view.market);
  const price = goal.isClosing ? withinLimit(order, reached(order.side, touch, DEADLINE_REACH_PPM)) : touch;
  const code = crossingCode(view, goal);
  const resting = restingChildren(view);
  if (resting.length > 0) {
    return canReplace(view, resting, lag, price) ? withdraw(view, goal, stance, resting, code) : sleep(view, goal);
  }
  const shape: ChildShape = goal.isClosing
    ? { kind: 'take', price, requestClass: 'DEADLINE' }
    : { kind: 'take', price };
  return placeOrCarry(view, goal, stance, lag, shape, code);
}

function crossingCode({ state }: StrategyView, goal: Goal): string {
  if (goal.isClosing) return 'CROSS_AT_DEADLINE';
  return state.order.style === 'AGGRESSIVE' ? 'TAKE_SLICE' : 'CROSS_LAG';
}

/** Joins the near touch, or its own level, with what is not working yet, and withdraws what has been left behind. */
function rest(view: StrategyView, goal: Goal, stance: Stance, lag: number): Pursuit {
  const { order } = view.state;
  const peg = pegOf(view, slackOf(view, goal));
  if (peg === null) return standStill(view, goal, stance, 'BOOK_UNKNOWN', [whenAnything]);
  const takeable = whenTakeable(order.side, peg, view.instrument);
  if (takeable !== null && !isMet(takeable, view.market))
    return standStill(view, goal, stance, 'BEYOND_BAND', [takeable]);
  const resting = restingChildren(view);
  const left = resting.filter((child) => isLeft(view, priceOf(child), peg));
  // Who says where to stand does not want to wait there.
  const dwellMs = order.placement === null ? goal.dwellMs : 0;
  const rested = left.filter((child) => view.nowMs >= child.order.submittedAtMs + dwellMs);
  if (rested.length > 0 && canReplace(view, rested, lag, peg)) {
    return withdraw(view, goal, stance, rested, 'REPEG');
  }
  const shape: ChildShape = { kind: 'join', price: peg };
  const pursuit = placeOrCarry(view, goal, stance, lag, shape, joiningCode(view, peg));
  const isAnyAtPeg = left.length < resting.length || pursuit.intents.length > 0;
  const canFollow = order.limitPrice === null || peg !== order.limitPrice;
  const dwellEnds = left.map(({ order: { submittedAtMs } }) => (submittedAtMs + dwellMs) as EpochMs);
  return {
    ...pursuit,
    wake: wakeAt(
      view.nowMs,
      [pursuit.wake.atMs, bandClosesAtMs(view, goal), ...dwellEnds],
      isAnyAtPeg && canFollow ? [whenToFollow(view)] : [],
    ),
  };
}

function joiningCode({ state: { order }, market }: StrategyView, peg: Ticks): string {
  if (order.placement?.mode === 'CUSTOM') return 'JOIN_LEVEL';
  return peg === nearTouch(order.side, market) || peg === order.limitPrice ? 'JOIN_TOUCH' : 'JOIN_BEHIND';
}

function placeOrCarry(
  view: StrategyView,
  goal: Goal,
  stance: Stance,
  lag: number,
  shape: ChildShape,
  code: string,
): Pursuit {
  // What is being withdrawn will be free in a moment: one child for all of it, not one for each report.
  if (view.state.children.some((child) => child.state === 'CANCEL_IN_FLIGHT')) return sleep(view, goal);
  const wanted = lag - view.working;
  const quantity = placeable(view, wanted, shape.price);
  if (quantity === 0) {
    // Worth a line only when no later slice can take it along.
    const isStuck = wanted > 0 && goal.target === view.state.order.quantity;
    return isStuck ? standStill(view, goal, stance, 'BELOW_MINIMUM', []) : sleep(view, goal);
  }
  if (isHeld(view, stance)) return sleep(view, goal, stance.holdUntilMs);
  const intents = place(view, quantity, goal.clip, shape, reasonOf(view, goal, code));
  const wake = wakeAt(view.nowMs, [goal.nextAtMs]);
  return { intents, stance: afterPlacing(view, goal.holdMs), note: null, wake };
}

/** True when what the withdrawn children free can be placed again: a rest below the minimum is better left in the book. */
function canReplace(view: StrategyView, children: readonly LiveChild[], lag: number, price: Ticks): boolean {
  let freed = 0;
  for (const child of children) freed += restOf(child);
  const working = (view.working - freed) as Lots;
  return placeable({ ...view, working }, lag - working, price) > 0;
}

/** Withdraws children to place their rest anew; while nothing may be placed they stay. */
function withdraw(
  view: StrategyView,
  goal: Goal,
  stance: Stance,
  children: readonly LiveChild[],
  code: string,
): Pursuit {
  if (isHeld(view, stance)) return sleep(view, goal, stance.holdUntilMs);
  const intents = cancel(children, reasonOf(view, goal, code));
  return { intents, stance: null, note: null, wake: wakeAt(view.nowMs, [goal.nextAtMs]) };
}

/** Put into words only for what is done: most looks at the market do nothing. */
function reasonOf(view: StrategyView, { target }: Goal, code: string): Reason {
  return { code, detail: circumstances(view, target) };
}

function sleep({ nowMs }: StrategyView, goal: Goal, untilMs: EpochMs | null = null): Pursuit {
  return { intents: [], stance: null, note: null, wake: wakeAt(nowMs, [goal.nextAtMs, untilMs]) };
}

function standStill(
  view: StrategyView,
  goal: Goal,
  stance: Stance,
  still: Still,
  when: readonly MarketCondition[],
): Pursuit {
  const { stance: next, note } = standing(view, stance, still, goal.target);
  return { intents: [], stance: next, note, wake: wakeAt(view.nowMs, [goal.nextAtMs], when) };
}

function priceOf({ order }: LiveChild): Ticks {
  return order.limitPrice ?? (0 as Ticks);
}
