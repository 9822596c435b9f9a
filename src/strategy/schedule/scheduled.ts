import type { StrategyDecision, StrategyView } from '../../domain/intent.js';
import { CATCH_UP_SLICES_MAX, DWELL_MS_MAX } from '../../domain/limits/trading.js';
import type { Lots } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import { type IsMemory, INITIAL_PACING, type TwapMemory, type VwapMemory } from '../../domain/strategy-memory.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
import type { OutlinedSlice, Outline } from '../outline.js';
import { pairEndOf } from '../pair/legs.js';
import { minimumAt, withinLimit } from '../placement/child.js';
import { isRestingWorthwhile } from '../placement/peg.js';
import { placeToward } from '../placement/placement.js';
import { newScratch, type Scratch, type Strategy } from '../strategy.js';
import {
  attemptEachMs,
  clipOf,
  clipOfRest,
  closingAtMs,
  firedCount,
  firesAtMs,
  slotCount,
  type Slots,
} from './slots.js';

type ScheduledMemory = TwapMemory | VwapMemory | IsMemory;

/** Returns the cumulative quantity wanted after `fired` slots: 0 at 0, the whole at the last slot, never decreasing. */
export type Curve<Kept> = (view: StrategyView, slots: Slots, kept: Kept, fired: number) => Lots;

/** The parts in which one schedule differs from another. */
export interface SchedulePlan<Memory extends ScheduledMemory> {
  readonly name: Memory['kind'];
  /** Returns the order's end, as seen when the order may first trade. */
  readonly endsAtMs: (view: StrategyView) => EpochMs;
  readonly curve: Curve<Memory['kept']>;
  readonly needs?: Strategy['needs'];
  /** Makes the figures that the plan keeps from its start. */
  readonly keep: (view: StrategyView, endMs: EpochMs) => Memory['kept'];
  /** Updates the figures; returns the same object when they do not change. */
  readonly learn?: (view: StrategyView, slots: Slots, kept: Memory['kept']) => Memory['kept'];
  /** Returns the quantity wanted now; absent: the curve after the last fired slot. */
  readonly target?: Curve<Memory['kept']>;
}

const ATTEMPTS_PER_SLOT = 10;
const CLOSING_ATTEMPTS_MIN = 8;

export interface ScheduledStrategy extends Strategy {
  /** Outlines an order that begins now. Joins slots in groups when there are more than `pointsMax`. */
  outline(view: StrategyView, pointsMax: number): Outline;
}

/** Makes a strategy that follows a curve in slots of equal length. */
export function scheduled<Memory extends ScheduledMemory>(plan: SchedulePlan<Memory>): ScheduledStrategy {
  return {
    name: plan.name,
    ...(plan.needs && { needs: plan.needs }),
    begin: (view) => begin(view, plan, endFor(view, plan.endsAtMs(view))),
    work: (view, scratch = newScratch()) => work(view, plan, scratch),
    outline: (view, pointsMax) => outline(view, plan, pointsMax),
  };
}

/**
 * End of a plan that begins now. A leg of a pair may plan after its own end, when it was held to the pace of the other
 * leg and then paused. Its rest then has the time until the end of the pair, or its own duration once more.
 */
function endFor({ state: { order }, nowMs }: StrategyView, endMs: EpochMs): EpochMs {
  if (endMs > nowMs) return endMs;
  return pairEndOf(order) ?? ((nowMs + (order.legs[0].durationMs ?? 0)) as EpochMs);
}

function begin<Memory extends ScheduledMemory>(view: StrategyView, plan: SchedulePlan<Memory>, endMs: EpochMs): Memory {
  const leg = view.state.order.legs[0];
  const { progress } = view.state.legs[0];
  const quantity = (leg.quantity - progress.filled) as Lots;
  const count = slotCount({
    quantity,
    durationMs: (endMs - view.nowMs) as DurationMs,
    clip: clipOfRest(leg),
    isRandomized: leg.randomizeQuantity,
    // The bid gives the larger minimum quantity: it is the lower price that children may have.
    minimum: minimumAt(view.instrument, withinLimit(leg, view.market.bid)),
  });
  const kept = plan.keep(view, endMs);
  // The compiler does not know that a plan's name and figures belong to one memory type.
  return {
    kind: plan.name,
    ...INITIAL_PACING,
    slotCount: count,
    step: 0,
    ceiling: 0,
    endMs,
    kept,
  } as unknown as Memory;
}

function outline<Memory extends ScheduledMemory>(
  view: StrategyView,
  plan: SchedulePlan<Memory>,
  pointsMax: number,
): Outline {
  const memory = begin(view, plan, plan.endsAtMs(view));
  const begun = { ...view, state: { ...view.state, memory } };
  const slots = slotsOf(begun, memory, newScratch());
  const curve = (fired: number): Lots => plan.curve(begun, slots, memory.kept, fired);
  const group = Math.ceil(slots.count / pointsMax);
  const slices: OutlinedSlice[] = [];
  for (let from = 0; from < slots.count; from += group) {
    const quantity = (curve(Math.min(slots.count, from + group)) - curve(from)) as Lots;
    if (quantity > 0) slices.push({ atMs: firesAtMs(slots, from), quantity });
  }
  return { slices, childCount: slots.count, endMs: slots.endMs };
}

function work<Memory extends ScheduledMemory>(
  view: StrategyView,
  plan: SchedulePlan<Memory>,
  scratch: Scratch,
): StrategyDecision {
  const memory = memoryOf(view, plan);
  const slots = slotsOf(view, memory, scratch);
  const kept = plan.learn?.(view, slots, memory.kept) ?? memory.kept;
  const fired = firedCount(slots, view.nowMs);
  const due = plan.curve(view, slots, kept, fired);
  const planned = fired === 0 ? plan.curve(view, slots, kept, 1) - due : due - plan.curve(view, slots, kept, fired - 1);
  const slice = Math.max(1, planned);
  const wanted = view.state.legs[0].plannedFilled + (plan.target?.(view, slots, kept, fired) ?? due);
  const step = stepOf(view, slots);
  const ceiling = step === memory.step ? memory.ceiling : ceilingOf(view, slots, slice);
  const target = scratch.target;
  target.pacing = memory.pacing;
  target.wanted = wanted as Lots;
  target.quantity = Math.min(wanted, ceiling) as Lots;
  target.ahead = mayRestAhead(view, slots, fired) ? plan.curve(view, slots, kept, fired + 1) - due : 0;
  target.slice = slice;
  setTimes(target, view, slots, fired);
  const decision = placeToward(view, target);
  const { pacing } = decision;
  if (pacing !== null) {
    const { kind, gates, slotCount: count, endMs } = memory;
    decision.memory = { kind, pacing, gates, slotCount: count, step, ceiling, endMs, kept } as ScheduledMemory;
  } else if (kept !== memory.kept) decision.memory = withKept(memory, kept);
  return decision;
}

/**
 * True when a HYBRID order may rest the next slice before it is due, because a child that rests longer fills more
 * often. False for other styles, where resting does not pay, and in the deadline window.
 */
function mayRestAhead(view: StrategyView, slots: Slots, fired: number): boolean {
  if (view.state.order.legs[0].style !== 'HYBRID' || fired >= slots.count) return false;
  return view.nowMs < closingAtMs(slots) && isRestingWorthwhile(view);
}

function memoryOf<Memory extends ScheduledMemory>({ state }: StrategyView, { name }: SchedulePlan<Memory>): Memory {
  assert(
    state.legs[0].memory?.kind === name && state.plannedAtMs !== null,
    `a ${state.order.legs[0].strategy} has begun before it is worked`,
  );
  return state.legs[0].memory as Memory;
}

/** Returns the memory with other figures of the plan. */
function withKept(memory: ScheduledMemory, kept: ScheduledMemory['kept']): ScheduledMemory {
  const { kind, pacing, gates, slotCount: count, step, ceiling, endMs } = memory;
  return { kind, pacing, gates, slotCount: count, step, ceiling, endMs, kept } as ScheduledMemory;
}

function slotsOf(view: StrategyView, memory: ScheduledMemory, { slots }: Scratch): Slots {
  const { order, plannedAtMs } = view.state;
  const leg = order.legs[0];
  const { plannedFilled } = view.state.legs[0];
  slots.quantity = (leg.quantity - plannedFilled) as Lots;
  slots.count = memory.slotCount;
  slots.startMs = plannedAtMs ?? view.nowMs;
  slots.endMs = memory.endMs;
  slots.isRandomized = leg.randomizeQuantity;
  slots.random = view.random;
  return slots;
}

/** Number of the present step: a slot, or an attempt in the deadline window. The order may catch up once per step. */
function stepOf({ nowMs }: StrategyView, slots: Slots): number {
  const closingMs = closingAtMs(slots);
  if (nowMs < closingMs) return firedCount(slots, nowMs);
  return slots.count + 1 + Math.floor((nowMs - closingMs) / holdMsOf(slots, true));
}

/** Largest cumulative quantity in a step that begins now. It bounds the catch-up with late slices. */
function ceilingOf(view: StrategyView, slots: Slots, slice: number): Lots {
  const leg = view.state.order.legs[0];
  const { progress } = view.state.legs[0];
  // Counts at least an even slice as planned, so that an order can catch up when the last slices are small.
  const planned = Math.max(slice, slots.quantity / slots.count);
  const most = progress.filled + Math.floor(CATCH_UP_SLICES_MAX * planned);
  return Math.min(leg.quantity, most) as Lots;
}

/** Sets the fields of the target that follow from the slots. Call it after the quantities are set. */
function setTimes(target: Scratch['target'], view: StrategyView, slots: Slots, fired: number): void {
  const isHeldBack = target.quantity < target.wanted;
  const isClosing = view.nowMs >= closingAtMs(slots);
  const intervalMs = (slots.endMs - slots.startMs) / slots.count;
  target.clip = clipOf(view.state.order.legs[0]);
  target.startMs = slots.startMs;
  target.endMs = slots.endMs;
  target.dueAtMs = Math.ceil(slots.startMs + fired * intervalMs) as EpochMs;
  target.intervalMs = intervalMs as DurationMs;
  target.isClosing = isClosing;
  target.nextAtMs = nextAtMs(view, slots, fired, isClosing && isHeldBack);
  target.dwellMs = Math.min(intervalMs / 2, DWELL_MS_MAX) as DurationMs;
  target.holdMs = holdMsOf(slots, isClosing);
  target.style = view.state.order.legs[0].style;
}

/**
 * Returns the time of the next slot, of the deadline window or, while held back in that window, of the next attempt.
 */
function nextAtMs({ nowMs }: StrategyView, slots: Slots, fired: number, isHeldBack: boolean): EpochMs | null {
  const closingMs = closingAtMs(slots);
  const slotMs = fired < slots.count ? firesAtMs(slots, fired) : Infinity;
  const windowMs = nowMs < closingMs ? closingMs : Infinity;
  const attemptMs = isHeldBack ? nowMs + holdMsOf(slots, true) : Infinity;
  const nextMs = Math.min(slotMs, windowMs, attemptMs);
  return nextMs === Infinity ? null : (nextMs as EpochMs);
}

/** Wait between attempts. In the deadline window it is short enough for the whole order in attempts of three slices. */
function holdMsOf(slots: Slots, isClosing: boolean): DurationMs {
  const intervalMs = (slots.endMs - slots.startMs) / slots.count;
  const attempts = Math.max(CLOSING_ATTEMPTS_MIN, Math.ceil(slots.count / CATCH_UP_SLICES_MAX));
  return isClosing
    ? attemptEachMs(slots.endMs - closingAtMs(slots), attempts)
    : attemptEachMs(intervalMs, ATTEMPTS_PER_SLOT);
}
