import { assert } from '../model/assert.js';
import type { Strategy, StrategyDecision, StrategyView } from '../model/intent.js';
import { CATCH_UP_SLICES_MAX, DWELL_MS_MAX } from '../model/limits.js';
import type { StrategyMemory } from '../model/order.js';
import type { Lots } from '../model/quantity.js';
import type { DurationMs, EpochMs } from '../model/time.js';
import { attemptEachMs, closingAtMs } from './deadline.js';
import { minimumAt, withinLimit } from './placement.js';
import { GOAL, type Goal } from './goal.js';
import type { OutlinedSlice, Outline } from './outline.js';
import { pursue } from './pursuit.js';
import { clipOf, clipOfRest, firedCount, firesAtMs, slotCount, type Slots } from './schedule.js';
import { RELAXED_NUMBERS, STANCE_NUMBERS } from './stance.js';

/** Cumulative quantity wanted once so many slots have fired: 0 at 0, the whole at the last, never falling between. */
export type Curve = (view: StrategyView, slots: Slots, kept: StrategyMemory, fired: number) => Lots;

/** What tells one schedule from another. */
export interface SlottedPlan {
  readonly name: Strategy['name'];
  /** When the order is to be done, as seen when it first may trade. */
  readonly endsAtMs: (view: StrategyView) => EpochMs;
  readonly curve: Curve;
  readonly needs?: Strategy['needs'];
  /** Numbers it keeps from its start, and how they change; the same array when they do not. */
  readonly keep?: (view: StrategyView, endMs: EpochMs) => StrategyMemory;
  readonly learn?: (view: StrategyView, slots: Slots, kept: StrategyMemory) => StrategyMemory;
  /** What is wanted now, where that is more than the curve says at the last slot that has fired. */
  readonly target?: Curve;
}

const NOTHING_KEPT: StrategyMemory = [];

/** Where its numbers stand, from the first of them. */
const STEP_AT = 1;
const CEILING_AT = 2;
const STANCE_AT = 3;
const END_AT = STANCE_AT + STANCE_NUMBERS;
const KEPT_AT = END_AT + 1;
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
  return { count, endMs: endMs as EpochMs, kept: memory.slice(KEPT_AT) };
}

export interface SlottedStrategy extends Strategy {
  /** What it is going to do as far as it knows when it begins; slots that are more than so many are told in groups. */
  outline(view: StrategyView, pointsMax: number): Outline;
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
  const kept = memory.slice(KEPT_AT);
  const curve = (fired: number): Lots => plan.curve(begun, slots, kept, fired);
  const group = Math.ceil(slots.count / pointsMax);
  const slices: OutlinedSlice[] = [];
  for (let from = 0; from < slots.count; from += group) {
    const quantity = (curve(Math.min(slots.count, from + group)) - curve(from)) as Lots;
    if (quantity > 0) slices.push({ atMs: firesAtMs(slots, from), quantity });
  }
  return { slices, childCount: slots.count, endMs: slots.endMs };
}

function work(view: StrategyView, plan: SlottedPlan): StrategyDecision {
  const { memory, plannedFilled } = view.state;
  const from = view.memoryFrom ?? 0;
  const slots = slotsOf(view);
  const before = plan.keep === undefined ? NOTHING_KEPT : memory.slice(from + KEPT_AT);
  const kept = plan.learn?.(view, slots, before) ?? before;
  const fired = firedCount(slots, view.nowMs);
  const until = Math.max(1, fired);
  const slice = Math.max(1, plan.curve(view, slots, kept, until) - plan.curve(view, slots, kept, until - 1));
  const wanted = plannedFilled + (plan.target ?? plan.curve)(view, slots, kept, fired);
  const step = stepOf(view, slots);
  const ceiling = ceilingOf(view, slots, step, slice);
  const decision = pursue(view, goalOf(view, slots, { fired, wanted, slice, ceiling }));
  if (decision.memory !== null) {
    decision.memory[from + STEP_AT] = step;
    decision.memory[from + CEILING_AT] = ceiling;
  }
  if (kept !== before) {
    decision.memory ??= memory.slice();
    for (let index = 0; index < kept.length; index += 1)
      decision.memory[from + KEPT_AT + index] = kept[index] as number;
  }
  return decision;
}

/** The slots of the decision that is being made: each fills them anew, and nothing of them is in what it returns. */
const SLOTS: { -readonly [Key in keyof Slots]: Slots[Key] } = {
  quantity: 0 as Lots,
  count: 1,
  startMs: 0.5 as EpochMs,
  endMs: 0.5 as EpochMs,
  isRandomized: false,
  random: () => 0,
};

function slotsOf(view: StrategyView): Slots {
  const { order, memory, plannedAtMs, plannedFilled } = view.state;
  const from = view.memoryFrom ?? 0;
  const count = memory[from];
  const endMs = memory[from + END_AT];
  assert(
    count !== undefined && endMs !== undefined && plannedAtMs !== null,
    'a schedule has begun before it is worked',
  );
  SLOTS.quantity = (order.quantity - plannedFilled) as Lots;
  SLOTS.count = count;
  SLOTS.startMs = plannedAtMs;
  SLOTS.endMs = endMs as EpochMs;
  SLOTS.isRandomized = order.randomizeQuantity;
  SLOTS.random = view.random;
  return SLOTS;
}

/** Number of the stretch of time in which the order may catch up once: a slot, or an attempt in the deadline window. */
function stepOf({ nowMs }: StrategyView, slots: Slots): number {
  const closingMs = closingAtMs(slots);
  if (nowMs < closingMs) return firedCount(slots, nowMs);
  return slots.count + 1 + Math.floor((nowMs - closingMs) / holdMsOf(slots, true));
}

/** Cumulative quantity that may be filled by the end of the step: a late slice is bounded. */
function ceilingOf(view: StrategyView, slots: Slots, step: number, slice: number): Lots {
  const { memory, order, progress } = view.state;
  const from = view.memoryFrom ?? 0;
  const lastCeiling = memory[from + CEILING_AT];
  if (step === memory[from + STEP_AT] && lastCeiling !== undefined) return lastCeiling as Lots;
  // An even slice counts as planned too: behind a curve that runs out, an order must still catch up.
  const planned = Math.max(slice, slots.quantity / slots.count);
  const most = progress.filled + Math.floor(CATCH_UP_SLICES_MAX * planned);
  return Math.min(order.quantity, most) as Lots;
}

interface Planned {
  readonly fired: number;
  readonly wanted: number;
  readonly slice: number;
  readonly ceiling: Lots;
}

function goalOf(view: StrategyView, slots: Slots, { fired, wanted, slice, ceiling }: Planned): Goal {
  const isClosing = view.nowMs >= closingAtMs(slots);
  const intervalMs = (slots.endMs - slots.startMs) / slots.count;
  GOAL.wanted = wanted as Lots;
  GOAL.target = Math.min(wanted, ceiling) as Lots;
  GOAL.slice = slice;
  GOAL.clip = clipOf(view.state.order);
  GOAL.startMs = slots.startMs;
  GOAL.endMs = slots.endMs;
  GOAL.dueAtMs = Math.ceil(slots.startMs + fired * intervalMs) as EpochMs;
  GOAL.intervalMs = intervalMs as DurationMs;
  GOAL.isClosing = isClosing;
  GOAL.nextAtMs = nextAtMs(view, slots, fired, isClosing && ceiling < wanted);
  GOAL.dwellMs = Math.min(intervalMs / 2, DWELL_MS_MAX) as DurationMs;
  GOAL.holdMs = holdMsOf(slots, isClosing);
  GOAL.style = view.state.order.style;
  GOAL.stanceAt = (view.memoryFrom ?? 0) + STANCE_AT;
  return GOAL;
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
