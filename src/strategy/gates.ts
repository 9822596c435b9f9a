import { WHOLE_PPM_OF_PERCENT } from '../model/clip.js';
import type { Strategy, StrategyDecision, StrategyView } from '../model/intent.js';
import { BOOK_REFILL_MS, WOULD_REST_MS } from '../model/limits.js';
import type { StrategyMemory, Would } from '../model/order.js';
import type { Lots, Ticks } from '../model/quantity.js';
import type { DurationMs, EpochMs } from '../model/time.js';
import { QUIET } from './all-at-once.js';
import { lockPriceOf, wouldPriceOf } from './good-price.js';
import { leanBack, leaningSince } from './leaning-book.js';
import {
  circumstances,
  farTouch,
  isAsAggressive,
  nearTouch,
  place,
  placeable,
  restOf,
  unplaced,
  whenCrossable,
  withinLimit,
} from './placement.js';
import {
  afterPlacing,
  isHeld,
  numbersOf,
  RELAXED_NUMBERS,
  setbackOf,
  STANCE_NUMBERS,
  stanceOf,
  wakeAt,
  type Stance,
} from './stance.js';
import { sweep, type Decided, type Swept } from './sweep.js';

const WOULD_REST = 'WOULD_REST';

/** What the gates of an order remember, before what its strategy does. */
interface GateMemory {
  /** Filled while `would` acted. */
  readonly wouldFilled: number;
  /** Filled in all at the last look. */
  readonly filledThen: number;
  /** Since when the price has been good enough for `would`; 0 while it is not. */
  readonly wouldSinceMs: number;
  /** Since when the book leans against the order; 0 while it does not. */
  readonly leaningSinceMs: number;
  readonly stance: Stance;
}

const STANCE_AT = 4;
export const GATE_NUMBERS = STANCE_AT + STANCE_NUMBERS;

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
  const { wouldFilled, filledThen, wouldSinceMs } = gateMemoryOf(state.memory);
  const gained = wouldSinceMs > 0 ? state.progress.filled - filledThen : 0;
  return [wouldFilled + gained, 0, 0, 0, ...RELAXED_NUMBERS];
}

function work(view: StrategyView, strategy: Strategy): StrategyDecision {
  const { memory, order } = view.state;
  const own = memory.slice(GATE_NUMBERS);
  const before = gateMemoryOf(memory);
  const looked = look(view, before);
  const { decision: decided, stance } =
    lockedIn(view, looked) ??
    wouldTaken(view, looked) ??
    orWouldRest(view, looked, () => strategy.work(within(view, own)));
  const open = { ...decided, wake: withPrices(view, decided, looked, stance) };
  const leaningSinceMs = leaningSince(view, open, before.leaningSinceMs);
  const isWatching = order.imbalanceThresholdPpm !== null;
  const decision = isWatching ? leanBack(view, open, leaningSinceMs, before.leaningSinceMs > 0) : open;
  const next = numbers({ ...looked, leaningSinceMs, stance });
  const hasChanged = next.some((number, index) => number !== memory[index]);
  if (!hasChanged && decision.memory === null) return decision;
  return { ...decision, memory: next.concat(decision.memory ?? own) };
}

/** The strategy sees its own memory alone. */
function within(view: StrategyView, memory: StrategyMemory): StrategyView {
  return { ...view, state: { ...view.state, memory } };
}

/** The strategy comes first; while it has nothing to do, `would` may rest. */
function orWouldRest(view: StrategyView, looked: GateMemory, decide: () => StrategyDecision): Decided {
  const decision = decide();
  const isIdle = decision.intents.length === 0 && decision.end === null;
  const rested = isIdle ? wouldRested(view, looked) : null;
  if (rested === null) return { decision, stance: looked.stance };
  const { intents, note } = rested.decision;
  return { decision: { ...decision, intents, note: decision.note ?? note }, stance: rested.stance };
}

/** What the gates see now. */
function look(view: StrategyView, memory: GateMemory): GateMemory {
  const { filled } = view.state.progress;
  const isGood = isGoodFor(view, wouldPriceOf(view));
  const gained = memory.wouldSinceMs > 0 ? filled - memory.filledThen : 0;
  return {
    wouldFilled: memory.wouldFilled + gained,
    // Told apart only while it counts: a number that changes is written to the journal.
    filledThen: isGood ? filled : memory.filledThen,
    wouldSinceMs: isGood ? memory.wouldSinceMs || view.nowMs : 0,
    leaningSinceMs: memory.leaningSinceMs,
    stance: memory.stance,
  };
}

function isGoodFor({ state, market }: StrategyView, price: Ticks | null): boolean {
  const touch = farTouch(state.order.side, market);
  return price !== null && touch > 0 && isAsAggressive(state.order.side, price, touch);
}

/** The market is so much better than at arrival that all that is left is taken. */
function lockedIn(view: StrategyView, { stance }: GateMemory): Swept {
  const price = lockPriceOf(view);
  if (price === null || !isGoodFor(view, price)) return null;
  const wanted = (view.state.order.quantity - view.state.progress.filled) as Lots;
  return sweep(view, { wanted, price, code: 'PRICE_LOCK' }, stance);
}

/** What `would` may still do; 0 while the price is not good. */
function wouldLeft({ state }: StrategyView, { wouldFilled, wouldSinceMs }: GateMemory): Lots {
  const { would, quantity } = state.order;
  if (would === null || wouldSinceMs === 0) return 0 as Lots;
  const whole = Math.floor((quantity * would.ppmOfPercent) / WHOLE_PPM_OF_PERCENT);
  return Math.max(0, Math.min(whole - wouldFilled, quantity - state.progress.filled)) as Lots;
}

function isTaking({ style }: Would, nowMs: EpochMs, sinceMs: number): boolean {
  return style === 'AGGRESSIVE' || (style === 'HYBRID' && nowMs - sinceMs >= WOULD_REST_MS);
}

function wouldTaken(view: StrategyView, memory: GateMemory): Swept {
  const wanted = wouldLeft(view, memory);
  const price = wouldPriceOf(view);
  const { would } = view.state.order;
  if (wanted === 0 || price === null || would === null) return null;
  return isTaking(would, view.nowMs, memory.wouldSinceMs)
    ? sweep(view, { wanted, price, code: 'WOULD_TAKE' }, memory.stance)
    : null;
}

/** While the strategy has nothing to do, `would` joins the near touch with what it may do beyond the schedule. */
function wouldRested(view: StrategyView, memory: GateMemory): Swept {
  const left = wouldLeft(view, memory);
  const price = wouldPriceOf(view);
  const { order, children } = view.state;
  const near = nearTouch(order.side, view.market);
  const { would } = order;
  if (left === 0 || price === null || would === null || near === 0) return null;
  // What is being taken is not put to rest beside it.
  if (isTaking(would, view.nowMs, memory.wouldSinceMs)) return null;
  const setback = setbackOf(view, memory.stance, null);
  if (setback !== null) return { decision: { ...QUIET, note: setback.note }, stance: setback.stance };
  if (isHeld(view, memory.stance)) return null;
  let standing = 0;
  for (const child of children) if (child.order.reason.code === WOULD_REST) standing += restOf(child);
  const peg = withinLimit(order, isAsAggressive(order.side, price, near) ? near : price);
  const quantity = placeable(view, Math.min(left - standing, unplaced(view)), peg);
  if (quantity === 0) return null;
  const reason = { code: WOULD_REST, detail: `wanted=${left} price=${price} ${circumstances(view, null)}` };
  const intents = place(view, quantity, null, { kind: 'rest', price: peg }, reason);
  return { decision: { ...QUIET, intents }, stance: afterPlacing(view, BOOK_REFILL_MS as DurationMs) };
}

/** The strategy's own wake, and the prices and times that the gates wait for. */
function withPrices(
  view: StrategyView,
  { wake }: StrategyDecision,
  memory: GateMemory,
  { holdUntilMs }: Stance,
): StrategyDecision['wake'] {
  const { order } = view.state;
  const when = [...wake.when];
  for (const price of [lockPriceOf(view), wouldPriceOf(view)]) {
    if (price !== null && !isGoodFor(view, price)) when.push(whenCrossable(order.side, price));
  }
  const isResting = memory.wouldSinceMs > 0;
  const restsUntilMs = isResting ? ((memory.wouldSinceMs + WOULD_REST_MS) as EpochMs) : null;
  return wakeAt(view.nowMs, [wake.atMs, restsUntilMs, isResting ? holdUntilMs : null], when);
}

function gateMemoryOf(memory: StrategyMemory): GateMemory {
  const [wouldFilled = 0, filledThen = 0, wouldSinceMs = 0, leaningSinceMs = 0] = memory;
  return { wouldFilled, filledThen, wouldSinceMs, leaningSinceMs, stance: stanceOf(memory, STANCE_AT) };
}

function numbers({ wouldFilled, filledThen, wouldSinceMs, leaningSinceMs, stance }: GateMemory): StrategyMemory {
  return [wouldFilled, filledThen, wouldSinceMs, leaningSinceMs, ...numbersOf(stance)];
}
