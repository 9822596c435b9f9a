import { assert } from '../model/assert.js';
import type { Strategy, StrategyDecision, StrategyView } from '../model/intent.js';
import { CATCH_UP_SLICES_MAX, DWELL_MS_MAX } from '../model/limits.js';
import type { StrategyMemory } from '../model/order.js';
import type { Lots } from '../model/quantity.js';
import type { DurationMs, EpochMs } from '../model/time.js';
import { attemptEachMs, closingAtMs } from './deadline.js';
import { minimumAt, withinLimit } from './placement.js';
import type { Goal } from './goal.js';
import type { OutlinedSlice, Outline } from './outline.js';
import { pursue } from './pursuit.js';
import { clipOf, clipOfRest, firedCount, firesAtMs, slotCount, type Slots } from './schedule.js';
import { numbersOf, RELAXED_NUMBERS, STANCE_NUMBERS, stanceOf } from './stance.js';

/** Cumulative quantity wanted once so many slots have fired: 0 at 0, the whole at the last, never falling between. */
export type Curve = (fired: number) => Lots;

/** What tells one schedule from another. */
export interface SlottedPlan {
  readonly name: Strategy['name'];
  /** When the order is to be done, as seen when it first may trade. */
  readonly endsAtMs: (view: StrategyView) => EpochMs;
  readonly curve: (view: StrategyView, slots: Slots, kept: StrategyMemory) => Curve;
  readonly needs?: Strategy['needs'];
  /** Numbers it keeps from its start, and how they change; the same array when they do not. */
  readonly keep?: (view: StrategyView, endMs: EpochMs) => StrategyMemory;
  readonly learn?: (view: StrategyView, slots: Slots, kept: StrategyMemory) => StrategyMemory;
  /** What is wanted now, where that is more than the curve says at the last slot that has fired. */
  readonly target?: (view: StrategyView, slots: Slots, fired: number, kept: StrategyMemory) => Lots;
}

const NOTHING_KEPT: StrategyMemory = [];

const STANCE_AT = 3;
const END_AT = STANCE_AT + STANCE_NUMBERS;
const ATTEMPTS_PER_SLOT = 10;
const CLOSING_ATTEMPTS_MIN = 8;

/**
 * A strategy that follows a curve in slots of equal length.
 * Memory: slot count, the step in which it last placed, what it may have filled by the end of that step, stance, end,
 * and what the plan keeps.
 */
export function slotted(plan: SlottedPlan): SlottedStrategy {
  return {
    name: plan.name,
    ...(plan.needs && { needs: plan.needs }),
    begin: (view) => begin(view, plan, plan.endsAtMs(view)),
    work: (view) => work(view, plan),
    outline: (view, pointsMax) => outline(view, plan, pointsMax),
  };
}

/** What a slotted strategy's memory says of its plan, as it was begun or learnt anew. */
export interface SlottedMemory {
  /** Slots. */
  readonly count: number;
  readonly endMs: EpochMs;
  /** What its plan keeps. */
  readonly kept: StrategyMemory;
}

/** null: no memory of such a strategy. */
export function slottedMemoryOf(memory: StrategyMemory): SlottedMemory | null {
  const [count] = memory;
  const endMs = memory[END_AT];
  if (count === undefined || endMs === undefined) return null;
  return { count, endMs: endMs as EpochMs, kept: memory.slice(END_AT + 1) };
}

export interface SlottedStrategy extends Strategy {
  /** What it is going to do as far as it knows when it begins; slots that are more than so many are told in groups. */
  outline(view: StrategyView, pointsMax: number): Outline;
}

/** A stretch of time in which the order may catch up once: a slot, or an attempt in the deadline window. */
interface Step {
  readonly number: number;
  /** Cumulative quantity that may be filled by its end: a late slice is bounded. */
  readonly ceiling: Lots;
}

function begin(view: StrategyView, plan: SlottedPlan, endMs: EpochMs): StrategyMemory {
  const { order, progress } = view.state;
  const quantity = (order.quantity - progress.filled) as Lots;
  const count = slotCount({
    quantity,
    durationMs: (endMs - view.nowMs) as DurationMs,
    clip: clipOfRest(order),
    isRandomized: order.randomizeQuantity,
    // The bid is the lower of the prices that its children may have.
    minimum: minimumAt(view.instrument, withinLimit(order, view.market.bid)),
  });
  return [count, 0, 0].concat(RELAXED_NUMBERS, endMs, plan.keep?.(view, endMs) ?? NOTHING_KEPT);
}

function outline(view: StrategyView, plan: SlottedPlan, pointsMax: number): Outline {
  const memory = begin(view, plan, plan.endsAtMs(view));
  const begun = { ...view, state: { ...view.state, memory } };
  const slots = slotsOf(begun);
  const curve = plan.curve(begun, slots, memory.slice(END_AT + 1));
  const group = Math.ceil(slots.count / pointsMax);
  const slices: OutlinedSlice[] = [];
  for (let from = 0; from < slots.count; from += group) {
    const quantity = (curve(Math.min(slots.count, from + group)) - curve(from)) as Lots;
    if (quantity > 0) slices.push({ atMs: firesAtMs(slots, from), quantity });
  }
  return { slices, childCount: slots.count, endMs: slots.endMs };
}

function work(view: StrategyView, plan: SlottedPlan): StrategyDecision {
  const { memory } = view.state;
  const slots = slotsOf(view);
  const before = plan.keep === undefined ? NOTHING_KEPT : memory.slice(END_AT + 1);
  const kept = plan.learn?.(view, slots, before) ?? before;
  const curve = plan.curve(view, slots, kept);
  const fired = firedCount(slots, view.nowMs);
  const slice = Math.max(1, curve(Math.max(1, fired)) - curve(Math.max(1, fired) - 1));
  const ofPlan = plan.target?.(view, slots, fired, kept) ?? curve(fired);
  const wanted = (view.state.plannedFilled + ofPlan) as Lots;
  const step = stepOf(view, slots, slice);
  const { intents, stance, note, wake } = pursue(
    view,
    goalOf(view, slots, { fired, wanted, slice }, step),
    stanceOf(memory, STANCE_AT),
  );
  if (stance === null && kept === before) return { intents, memory: null, note, end: null, wake };
  const next =
    stance === null
      ? memory.slice(0, END_AT + 1).concat(kept)
      : [slots.count, step.number, step.ceiling].concat(numbersOf(stance), slots.endMs, kept);
  return { intents, memory: next, note, end: null, wake };
}

function slotsOf(view: StrategyView): Slots {
  const { order, memory, plannedAtMs, plannedFilled } = view.state;
  const [count] = memory;
  const endMs = memory[END_AT];
  assert(
    count !== undefined && endMs !== undefined && plannedAtMs !== null,
    'a schedule has begun before it is worked',
  );
  return {
    quantity: (order.quantity - plannedFilled) as Lots,
    count,
    startMs: plannedAtMs,
    endMs: endMs as EpochMs,
    isRandomized: order.randomizeQuantity,
    random: view.random,
  };
}

function stepOf(view: StrategyView, slots: Slots, slice: number): Step {
  const { memory, order, progress } = view.state;
  const closingMs = closingAtMs(slots);
  const attempt = Math.floor((view.nowMs - closingMs) / holdMsOf(slots, true));
  const number = view.nowMs < closingMs ? firedCount(slots, view.nowMs) : slots.count + 1 + attempt;
  const [, lastNumber, lastCeiling] = memory;
  if (number === lastNumber && lastCeiling !== undefined) return { number, ceiling: lastCeiling as Lots };
  // An even slice counts as planned too: behind a curve that runs out, an order must still catch up.
  const planned = Math.max(slice, slots.quantity / slots.count);
  const most = progress.filled + Math.floor(CATCH_UP_SLICES_MAX * planned);
  return { number, ceiling: Math.min(order.quantity, most) as Lots };
}

interface Planned {
  readonly fired: number;
  readonly wanted: Lots;
  readonly slice: number;
}

function goalOf(view: StrategyView, slots: Slots, { fired, wanted, slice }: Planned, { ceiling }: Step): Goal {
  const isClosing = view.nowMs >= closingAtMs(slots);
  const intervalMs = (slots.endMs - slots.startMs) / slots.count;
  return {
    wanted,
    target: Math.min(wanted, ceiling) as Lots,
    slice,
    clip: clipOf(view.state.order),
    startMs: slots.startMs,
    endMs: slots.endMs,
    dueAtMs: Math.ceil(slots.startMs + fired * intervalMs) as EpochMs,
    intervalMs: intervalMs as DurationMs,
    isClosing,
    nextAtMs: nextAtMs(view, slots, fired, isClosing && ceiling < wanted),
    dwellMs: Math.min(intervalMs / 2, DWELL_MS_MAX) as DurationMs,
    holdMs: holdMsOf(slots, isClosing),
  };
}

/** When the next slot fires, the deadline window opens or, while it is held back there, the next attempt begins. */
function nextAtMs({ nowMs }: StrategyView, slots: Slots, fired: number, isHeldBack: boolean): EpochMs | null {
  const closingMs = closingAtMs(slots);
  const slotMs = fired < slots.count ? firesAtMs(slots, fired) : Infinity;
  const windowMs = nowMs < closingMs ? closingMs : Infinity;
  const attemptMs = isHeldBack ? nowMs + holdMsOf(slots, true) : Infinity;
  const nextMs = Math.min(slotMs, windowMs, attemptMs);
  return nextMs === Infinity ? null : (nextMs as EpochMs);
}

/** In the deadline window, attempts of three slices each come close enough together for the whole order. */
function holdMsOf(slots: Slots, isClosing: boolean): DurationMs {
  const intervalMs = (slots.endMs - slots.startMs) / slots.count;
  const attempts = Math.max(CLOSING_ATTEMPTS_MIN, Math.ceil(slots.count / CATCH_UP_SLICES_MAX));
  return isClosing
    ? attemptEachMs(slots.endMs - closingAtMs(slots), attempts)
    : attemptEachMs(intervalMs, ATTEMPTS_PER_SLOT);
}
