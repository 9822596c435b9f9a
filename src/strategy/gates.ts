import { WHOLE_PPM_OF_PERCENT } from '../model/clip.js';
import type { Strategy, StrategyDecision, StrategyView, Wake } from '../model/intent.js';
import { BOOK_REFILL_MS, LEAN_PAUSE_MS_MAX, LEAN_PAUSE_MS_MIN, WOULD_REST_MS } from '../model/limits.js';
import type { StrategyMemory, Would } from '../model/order.js';
import type { Lots, Ticks } from '../model/quantity.js';
import type { DurationMs, EpochMs } from '../model/time.js';
import { QUIET } from './all-at-once.js';
import { lockPriceOf, wouldPriceOf } from './good-price.js';
import { isAtStake, leanBack, leaningSince } from './leaning-book.js';
import {
  circumstances,
  farTouch,
  isAsAggressive,
  nearTouch,
  place,
  placeable,
  restOf,
  unplaced,
  whenAnything,
  whenCrossable,
  withinLimit,
} from './placement.js';
import { afterPlacing, isHeld, RELAXED_NUMBERS, setbackOf, sooner, STANCE_NUMBERS } from './stance.js';
import { sweep } from './sweep.js';

const WOULD_REST = 'WOULD_REST';

/*
 * What the gates of an order remember, before what its strategy does: what was filled while `would` acted, what was
 * filled in all at the last look, since when the price has been good enough for `would`, since when the book leans
 * against the order (each 0 while it is not so), and a stance.
 */
const LEANING_AT = 3;
const STANCE_AT = 4;
export const GATE_NUMBERS = STANCE_AT + STANCE_NUMBERS;

/** What the gates see now, as they remember it. */
interface Sight {
  readonly wouldFilled: number;
  readonly filledThen: number;
  readonly wouldSinceMs: number;
}

/**
 * A strategy behind the gates of its order, the first that has something to do decides:
 *
 *   price lock ─▶ would that takes ─▶ the strategy ─▶ would that rests ─▶ nothing rests in a book that leans
 */
export function gated(strategy: Strategy): Strategy {
  return {
    ...strategy,
    begin: (view) => begun(view).concat(strategy.begin(view)),
    work: (view) => work(view, strategy),
  };
}

/** What `would` has done counts for the whole order, however often it is planned. */
function begun({ state }: StrategyView): StrategyMemory {
  const [wouldFilled = 0, filledThen = 0, wouldSinceMs = 0] = state.memory;
  const gained = wouldSinceMs > 0 ? state.progress.filled - filledThen : 0;
  return [wouldFilled + gained, 0, 0, 0, ...RELAXED_NUMBERS];
}

function work(view: StrategyView, strategy: Strategy): StrategyDecision {
  const { memory } = view.state;
  const sight = look(view);
  const decided = lockedIn(view) ?? wouldTaken(view, sight) ?? orWouldRest(view, sight, strategy);
  const leaningBefore = memory[LEANING_AT] ?? 0;
  const leaningMs = leaningSince(view, decided, leaningBefore);
  const { intents, memory: own, note, end } = leanBack(view, decided, leaningMs, leaningBefore > 0);
  // What it did not do, for the book leans, is not remembered of the strategy, but it is of the gates.
  const open = decided.memory !== null && own === null ? joined(decided.memory, memory) : (own ?? memory);
  const next = withSight(open, sight, leaningMs);
  const isSame = own === null && hasSameGates(next, memory);
  return { intents, memory: isSame ? null : next, note, end, wake: wakeOf(view, decided, sight, leaningMs) };
}

/** The gates' numbers of one memory, and the strategy's of another. */
function joined(ofGates: StrategyMemory, ofStrategy: StrategyMemory): StrategyMemory {
  return ofGates.slice(0, GATE_NUMBERS).concat(ofStrategy.slice(GATE_NUMBERS));
}

function withSight(memory: StrategyMemory, sight: Sight, leaningMs: number): StrategyMemory {
  const { wouldFilled, filledThen, wouldSinceMs } = sight;
  const isSame =
    memory[0] === wouldFilled &&
    memory[1] === filledThen &&
    memory[2] === wouldSinceMs &&
    memory[LEANING_AT] === leaningMs;
  return isSame ? memory : memory.toSpliced(0, STANCE_AT, wouldFilled, filledThen, wouldSinceMs, leaningMs);
}

function hasSameGates(memory: StrategyMemory, other: StrategyMemory): boolean {
  for (let index = 0; index < GATE_NUMBERS; index += 1) if (memory[index] !== other[index]) return false;
  return true;
}

/** The strategy comes first; while it has nothing to do, `would` may rest. */
function orWouldRest(view: StrategyView, sight: Sight, strategy: Strategy): StrategyDecision {
  const decision = strategy.work({ ...view, memoryFrom: GATE_NUMBERS });
  const isIdle = decision.intents.length === 0 && decision.end === null;
  const rested = isIdle ? wouldRested(view, sight) : null;
  if (rested === null) return decision;
  const { intents, note, memory: ofGates } = rested;
  const memory = ofGates !== null && decision.memory !== null ? joined(ofGates, decision.memory) : ofGates;
  return { ...decision, intents, note: decision.note ?? note, memory };
}

function look(view: StrategyView): Sight {
  const { memory, progress } = view.state;
  const { filled } = progress;
  const isGood = isGoodFor(view, wouldPriceOf(view));
  const [wouldFilled, filledThen, wouldSinceMs] = [memory[0] ?? 0, memory[1] ?? 0, memory[2] ?? 0];
  return {
    wouldFilled: wouldFilled + (wouldSinceMs > 0 ? filled - filledThen : 0),
    // Told apart only while it counts: a number that changes is written to the journal.
    filledThen: isGood ? filled : filledThen,
    wouldSinceMs: isGood ? wouldSinceMs || view.nowMs : 0,
  };
}

function isGoodFor({ state, market }: StrategyView, price: Ticks | null): boolean {
  const touch = farTouch(state.order.side, market);
  return price !== null && touch > 0 && isAsAggressive(state.order.side, price, touch);
}

/** The market is so much better than at arrival that all that is left is taken. */
function lockedIn(view: StrategyView): StrategyDecision | null {
  const price = lockPriceOf(view);
  if (price === null || !isGoodFor(view, price)) return null;
  const wanted = (view.state.order.quantity - view.state.progress.filled) as Lots;
  return sweep(view, { wanted, price, code: 'PRICE_LOCK' }, STANCE_AT);
}

/** What `would` may still do; 0 while the price is not good. */
function wouldLeft({ state }: StrategyView, { wouldFilled, wouldSinceMs }: Sight): Lots {
  const { would, quantity } = state.order;
  if (would === null || wouldSinceMs === 0) return 0 as Lots;
  const whole = Math.floor((quantity * would.ppmOfPercent) / WHOLE_PPM_OF_PERCENT);
  return Math.max(0, Math.min(whole - wouldFilled, quantity - state.progress.filled)) as Lots;
}

function isTaking({ style }: Would, nowMs: EpochMs, sinceMs: number): boolean {
  return style === 'AGGRESSIVE' || (style === 'HYBRID' && nowMs - sinceMs >= WOULD_REST_MS);
}

function wouldTaken(view: StrategyView, sight: Sight): StrategyDecision | null {
  const wanted = wouldLeft(view, sight);
  const price = wouldPriceOf(view);
  const { would } = view.state.order;
  if (wanted === 0 || price === null || would === null) return null;
  return isTaking(would, view.nowMs, sight.wouldSinceMs)
    ? sweep(view, { wanted, price, code: 'WOULD_TAKE' }, STANCE_AT)
    : null;
}

/** While the strategy has nothing to do, `would` joins the near touch with what it may do beyond the schedule. */
function wouldRested(view: StrategyView, sight: Sight): StrategyDecision | null {
  const left = wouldLeft(view, sight);
  const price = wouldPriceOf(view);
  const { order, children } = view.state;
  const near = nearTouch(order.side, view.market);
  const { would } = order;
  if (left === 0 || price === null || would === null || near === 0) return null;
  // What is being taken is not put to rest beside it.
  if (isTaking(would, view.nowMs, sight.wouldSinceMs)) return null;
  const setback = setbackOf(view, STANCE_AT, null);
  if (setback !== null) return { ...QUIET, memory: setback.memory, note: setback.note };
  if (isHeld(view, STANCE_AT)) return null;
  let standing = 0;
  for (const child of children) if (child.order.reason.code === WOULD_REST) standing += restOf(child);
  const peg = withinLimit(order, isAsAggressive(order.side, price, near) ? near : price);
  const quantity = placeable(view, Math.min(left - standing, unplaced(view)), peg);
  if (quantity === 0) return null;
  const reason = { code: WOULD_REST, detail: `wanted=${left} price=${price} ${circumstances(view, null)}` };
  const intents = place(view, quantity, null, { kind: 'rest', price: peg }, reason);
  return { ...QUIET, intents, memory: afterPlacing(view, STANCE_AT, BOOK_REFILL_MS as DurationMs) };
}

/** The strategy's own wake, and the prices and times that the gates wait for. */
function wakeOf(view: StrategyView, decided: StrategyDecision, sight: Sight, leaningMs: number): Wake {
  const { nowMs, state } = view;
  const { side, imbalanceThresholdPpm } = state.order;
  let { atMs, when } = decided.wake;
  const lock = lockPriceOf(view);
  if (lock !== null && !isGoodFor(view, lock)) when = when.concat(whenCrossable(side, lock));
  const would = wouldPriceOf(view);
  if (would !== null && !isGoodFor(view, would)) when = when.concat(whenCrossable(side, would));
  if (sight.wouldSinceMs > 0) {
    const memory = decided.memory ?? state.memory;
    atMs = sooner(nowMs, atMs, (sight.wouldSinceMs + WOULD_REST_MS) as EpochMs);
    atMs = sooner(nowMs, atMs, (memory[STANCE_AT] ?? 0) as EpochMs);
  }
  if (leaningMs > 0) {
    atMs = sooner(nowMs, atMs, (leaningMs + LEAN_PAUSE_MS_MIN) as EpochMs);
    atMs = sooner(nowMs, atMs, (leaningMs + LEAN_PAUSE_MS_MAX) as EpochMs);
  }
  const isWatching = imbalanceThresholdPpm !== null && (leaningMs > 0 || isAtStake(view, decided));
  return { atMs, when: isWatching ? when.concat(whenAnything) : when };
}
