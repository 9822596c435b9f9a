import {
  CROSSING_MS_MAX,
  CROSSING_MS_MIN,
  DEADLINE_MS_MIN,
  DEADLINE_PPM,
  SLOT_INTERVAL_MS,
  SLOT_INTERVAL_MS_MIN,
  SLOTS_COUNT_SHORT,
} from '../../domain/limits/trading.js';
import { type Clip, type Leg, WHOLE_PPM_OF_PERCENT } from '../../domain/order.js';
import type { Lots } from '../../domain/quantity.js';
import type { DurationMs, EpochMs } from '../../domain/time.js';
/** A slot fires within this first part of its time. So slots keep their order, and the last one leaves time to fill. */
const JITTER = 0.5;
/** Width of the range of a randomised slice around the planned one, as a fraction of it. */
const SPREAD = 0.2;

/** Equal slices in equal slots. `quantity` is the rest of the order when it was planned. */
export interface Slots {
  readonly quantity: Lots;
  /** At least 1. */
  readonly count: number;
  readonly startMs: EpochMs;
  readonly endMs: EpochMs;
  readonly isRandomized: boolean;
  /** Random number k of the order's sequence, uniform in [0, 1). */
  readonly random: (k: number) => number;
}

interface SlotDemand {
  readonly quantity: Lots;
  readonly durationMs: DurationMs;
  readonly clip: Clip;
  readonly isRandomized: boolean;
  /** Least quantity of one child. */
  readonly minimum: Lots;
}

/**
 * Number of slots of an order: from its clip, or else one each 30 s, or ten when that gives more. At least 1 s apart. A
 * slice, including its randomisation, is not below the minimum.
 */
export function slotCount({ quantity, durationMs, clip, isRandomized, minimum }: SlotDemand): number {
  const leastSlice = isRandomized ? (minimum + 1) / (1 - SPREAD) : minimum;
  const most = Math.min(Math.floor(quantity / leastSlice), Math.floor(durationMs / SLOT_INTERVAL_MS_MIN));
  return Math.max(1, Math.min(wantedCount(quantity, durationMs, clip), most));
}

function wantedCount(quantity: Lots, durationMs: DurationMs, clip: Clip): number {
  if (clip.type === 'ORDER_COUNT') return clip.count;
  const each = clipQuantity(clip, quantity);
  if (each !== null) return Math.ceil(quantity / each);
  const intervalMs = Math.max(SLOT_INTERVAL_MS_MIN, Math.min(SLOT_INTERVAL_MS, durationMs / SLOTS_COUNT_SHORT));
  return Math.round(durationMs / intervalMs);
}

/** Largest child that the client allows, including randomisation; null without a clip. */
export function clipOf({ clip, quantity, randomizeQuantity }: Leg): Lots | null {
  const each = clipQuantity(clip, quantity);
  return each === null || !randomizeQuantity ? each : (Math.ceil(each * (1 + SPREAD)) as Lots);
}

/** Clip for the rest of an order: a percentage stays relative to the whole quantity. */
export function clipOfRest({ clip, quantity }: Leg): Clip {
  const each = clip.type === 'ORDER_COUNT' ? null : clipQuantity(clip, quantity);
  return each === null ? clip : { type: 'ABSOLUTE', quantity: each };
}

/** Quantity of a clip, at least one lot; null when the strategy decides. */
function clipQuantity(clip: Clip, quantity: Lots): Lots | null {
  switch (clip.type) {
    case 'ABSOLUTE':
      return clip.quantity;
    case 'PERCENTAGE':
      return Math.max(1, Math.floor((quantity * clip.ppmOfPercent) / WHOLE_PPM_OF_PERCENT)) as Lots;
    case 'ORDER_COUNT':
      return Math.ceil(quantity / clip.count) as Lots;
    case 'AUTOMATIC':
      return null;
    default:
      return clip satisfies never;
  }
}

/**
 * Cumulative quantity after a number of slots, by cumulative rounding: the last slot leaves no remainder. With
 * randomised slices the result differs from the even one by at most a tenth of a slice and a lot.
 */
export function cumulative({ quantity, count, isRandomized, random }: Slots, slots: number): Lots {
  if (slots <= 0) return 0 as Lots;
  if (slots >= count) return quantity;
  // Split so that no product exceeds the safe integers.
  const whole = Math.floor(quantity / count);
  const rest = quantity - whole * count;
  const offset = isRandomized ? (SPREAD * (random(2 * slots + 1) - 0.5) * quantity) / count : 0;
  return (whole * slots + Math.floor((rest * slots) / count + offset)) as Lots;
}

/** Returns when a slot fires. Slots count from 0; the first one fires at once. */
export function firesAtMs({ count, startMs, endMs, random }: Slots, slot: number): EpochMs {
  const jitter = slot === 0 ? 0 : JITTER * random(2 * slot);
  return Math.ceil(startMs + ((slot + jitter) * (endMs - startMs)) / count) as EpochMs;
}

/** Number of slots that have fired: 0 .. count. All of them when no time was left at the start. */
export function firedCount(slots: Slots, nowMs: EpochMs): number {
  if (nowMs < slots.startMs) return 0;
  if (slots.endMs <= slots.startMs) return slots.count;
  const running = Math.floor(((nowMs - slots.startMs) * slots.count) / (slots.endMs - slots.startMs));
  if (running >= slots.count) return slots.count;
  return nowMs >= firesAtMs(slots, running) ? running + 1 : running;
}

/** A period with an end. */
export interface Span {
  readonly startMs: EpochMs;
  readonly endMs: EpochMs;
}

/** Start of the deadline window: the last 2 s, or the last 2 % of the time when that is longer. */
export function closingAtMs({ startMs, endMs }: Span): EpochMs {
  const windowMs = Math.max(DEADLINE_MS_MIN, ((endMs - startMs) * DEADLINE_PPM) / 1_000_000);
  return Math.max(startMs, Math.floor(endMs - windowMs)) as EpochMs;
}

/**
 * Wait between attempts so that `attempts` of them fit into a period; bounded by CROSSING_MS_MIN and CROSSING_MS_MAX.
 */
export function attemptEachMs(stretchMs: number, attempts: number): DurationMs {
  return Math.max(CROSSING_MS_MIN, Math.min(CROSSING_MS_MAX, Math.floor(stretchMs / attempts))) as DurationMs;
}
