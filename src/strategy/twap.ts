import { assert } from '../model/assert.js';
import type { Strategy, StrategyDecision, StrategyView } from '../model/intent.js';
import {
  CATCH_UP_SLICES_MAX,
  CROSSING_MS_MAX,
  CROSSING_MS_MIN,
  DEADLINE_MS_MIN,
  DEADLINE_PPM,
  DWELL_MS_MAX,
} from '../model/limits.js';
import type { StrategyMemory } from '../model/order.js';
import type { Lots } from '../model/quantity.js';
import type { DurationMs, EpochMs } from '../model/time.js';
import { minimumAt, withinLimit } from './placement.js';
import { pursue, type Goal } from './pursuit.js';
import { clipOf, cumulative, firedCount, firesAtMs, slotCount, type Slots } from './schedule.js';
import { numbersOf, RELAXED_NUMBERS, stanceOf } from './stance.js';

/**
 * Equal slices at about equal times.
 * Memory: slot count, the step in which it last placed, what it may have filled by the end of that step, stance.
 */
export const TWAP: Strategy = { name: 'TWAP', begin, work };

const STANCE_AT = 3;
const ATTEMPTS_PER_SLOT = 10;
const CLOSING_ATTEMPTS_MIN = 8;

/** A stretch of time in which the order may catch up once: a slot, or an attempt in the deadline window. */
interface Step {
  readonly number: number;
  /** Cumulative quantity that may be filled by its end: a late slice is bounded. */
  readonly ceiling: Lots;
}

function begin(view: StrategyView): StrategyMemory {
  const { order } = view.state;
  const count = slotCount({
    quantity: order.quantity,
    durationMs: (endOf(view) - view.nowMs) as DurationMs,
    clip: order.clip,
    isRandomized: order.randomizeQuantity,
    // The bid is the lower of the prices that its children may have.
    minimum: minimumAt(view.instrument, withinLimit(order, view.market.bid)),
  });
  return [count, 0, 0].concat(RELAXED_NUMBERS);
}

function work(view: StrategyView): StrategyDecision {
  const { memory } = view.state;
  const slots = slotsOf(view);
  const step = stepOf(view, slots);
  const { intents, stance, note, wake } = pursue(view, goalOf(view, slots, step), stanceOf(memory, STANCE_AT));
  const next = stance === null ? null : [slots.count, step.number, step.ceiling].concat(numbersOf(stance));
  return { intents, memory: next, note, end: null, wake };
}

function slotsOf(view: StrategyView): Slots {
  const { order, memory, startedAtMs } = view.state;
  const [count] = memory;
  assert(count !== undefined && startedAtMs !== null, 'a TWAP has begun before it works');
  return {
    quantity: order.quantity,
    count,
    startMs: startedAtMs,
    endMs: endOf(view),
    isRandomized: order.randomizeQuantity,
    random: view.random,
  };
}

function stepOf(view: StrategyView, slots: Slots): Step {
  const { memory, order, progress } = view.state;
  const closingMs = closingAtMs(slots);
  const attempt = Math.floor((view.nowMs - closingMs) / holdMsOf(slots, true));
  const number = view.nowMs < closingMs ? firedCount(slots, view.nowMs) : slots.count + 1 + attempt;
  const [, lastNumber, lastCeiling] = memory;
  if (number === lastNumber && lastCeiling !== undefined) return { number, ceiling: lastCeiling as Lots };
  const most = progress.filled + Math.floor((CATCH_UP_SLICES_MAX * order.quantity) / slots.count);
  return { number, ceiling: Math.min(order.quantity, most) as Lots };
}

function goalOf(view: StrategyView, slots: Slots, { ceiling }: Step): Goal {
  const { order } = view.state;
  const fired = firedCount(slots, view.nowMs);
  const wanted = cumulative(slots, fired);
  const isClosing = view.nowMs >= closingAtMs(slots);
  const intervalMs = (slots.endMs - slots.startMs) / slots.count;
  return {
    target: Math.min(wanted, ceiling) as Lots,
    slice: order.quantity / slots.count,
    clip: clipOf(order),
    startMs: slots.startMs,
    endMs: slots.endMs,
    isClosing,
    nextAtMs: nextAtMs(view, slots, isClosing && ceiling < wanted),
    dwellMs: Math.min(intervalMs / 2, DWELL_MS_MAX) as DurationMs,
    holdMs: holdMsOf(slots, isClosing),
  };
}

/** When the next slot fires, the deadline window opens or, while it is held back there, the next attempt begins. */
function nextAtMs({ nowMs }: StrategyView, slots: Slots, isHeldBack: boolean): EpochMs | null {
  const fired = firedCount(slots, nowMs);
  const closingMs = closingAtMs(slots);
  const times: number[] = [];
  if (fired < slots.count) times.push(firesAtMs(slots, fired));
  if (nowMs < closingMs) times.push(closingMs);
  if (isHeldBack) times.push(nowMs + holdMsOf(slots, true));
  return times.length === 0 ? null : (Math.min(...times) as EpochMs);
}

function closingAtMs({ startMs, endMs }: Slots): EpochMs {
  const windowMs = Math.max(DEADLINE_MS_MIN, ((endMs - startMs) * DEADLINE_PPM) / 1_000_000);
  return Math.max(startMs, Math.floor(endMs - windowMs)) as EpochMs;
}

/** In the deadline window, attempts of three slices each come close enough together for the whole order. */
function holdMsOf(slots: Slots, isClosing: boolean): DurationMs {
  const intervalMs = (slots.endMs - slots.startMs) / slots.count;
  const attempts = Math.max(CLOSING_ATTEMPTS_MIN, Math.ceil(slots.count / CATCH_UP_SLICES_MAX));
  const holdMs = isClosing ? (slots.endMs - closingAtMs(slots)) / attempts : intervalMs / ATTEMPTS_PER_SLOT;
  return Math.max(CROSSING_MS_MIN, Math.min(CROSSING_MS_MAX, Math.floor(holdMs))) as DurationMs;
}

function endOf({ state }: StrategyView): EpochMs {
  assert(state.order.endAtMs !== null, 'a TWAP has an end time');
  return state.order.endAtMs;
}
