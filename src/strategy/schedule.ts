import { WHOLE_PPM_OF_PERCENT } from '../model/clip.js';
import { SLOT_INTERVAL_MS, SLOT_INTERVAL_MS_MIN, SLOTS_COUNT_SHORT } from '../model/limits.js';
import type { Clip, ParentOrder } from '../model/order.js';
import type { Lots } from '../model/quantity.js';
import type { DurationMs, EpochMs } from '../model/time.js';

/** A slot fires within this first part of its time, so that slots never change places and the last leaves a rest. */
const JITTER = 0.5;
/** A randomised slice differs from the planned one by at most this part of it. */
const SPREAD = 0.2;

/** Equal slices in equal slots: what a schedule is made of. Its quantity is what was left when it was planned. */
export interface Slots {
  readonly quantity: Lots;
  /** At least 1. */
  readonly count: number;
  readonly startMs: EpochMs;
  readonly endMs: EpochMs;
  readonly isRandomized: boolean;
  /** Uniform in [0, 1) by counter. */
  readonly random: (k: number) => number;
}

export interface SlotDemand {
  readonly quantity: Lots;
  readonly durationMs: DurationMs;
  readonly clip: Clip;
  readonly isRandomized: boolean;
  /** The least quantity that one child may have. */
  readonly minimum: Lots;
}

/**
 * How many slots the order is cut into: by its clip, else one each 30 s, closer together when that would be fewer than
 * ten. Never closer than 1 s, and never so many that a slice, however it is randomised, falls under the minimum.
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

/** The largest child the client allows, a randomised slice included; null when it set none. */
export function clipOf({ clip, quantity, randomizeQuantity }: ParentOrder): Lots | null {
  const each = clipQuantity(clip, quantity);
  return each === null || !randomizeQuantity ? each : (Math.ceil(each * (1 + SPREAD)) as Lots);
}

/** The clip by which a rest of the order is cut: as large as it was for the whole. */
export function clipOfRest({ clip, quantity }: ParentOrder): Clip {
  const each = clip.type === 'ORDER_COUNT' ? null : clipQuantity(clip, quantity);
  return each === null ? clip : { type: 'ABSOLUTE', quantity: each };
}

/** The quantity a clip stands for, at least one lot; null when it is left to the strategy. */
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
 * Cumulative quantity after `slots` of them, by cumulative rounding: no remainder is left over, whatever the count, and
 * with randomised slices the sum stays within a tenth of a slice (and a lot) of the even one.
 */
export function cumulative({ quantity, count, isRandomized, random }: Slots, slots: number): Lots {
  if (slots <= 0) return 0 as Lots;
  if (slots >= count) return quantity;
  // Split so that no product leaves the exact integers.
  const whole = Math.floor(quantity / count);
  const rest = quantity - whole * count;
  const offset = isRandomized ? (SPREAD * (random(2 * slots + 1) - 0.5) * quantity) / count : 0;
  return (whole * slots + Math.floor((rest * slots) / count + offset)) as Lots;
}

/** When a slot fires, slots counted from 0. The first fires at once. */
export function firesAtMs({ count, startMs, endMs, random }: Slots, slot: number): EpochMs {
  const jitter = slot === 0 ? 0 : JITTER * random(2 * slot);
  return Math.ceil(startMs + ((slot + jitter) * (endMs - startMs)) / count) as EpochMs;
}

/** How many slots have fired by now: 0 .. count. */
export function firedCount(slots: Slots, nowMs: EpochMs): number {
  if (nowMs < slots.startMs) return 0;
  const running = Math.floor(((nowMs - slots.startMs) * slots.count) / (slots.endMs - slots.startMs));
  if (running >= slots.count) return slots.count;
  return nowMs >= firesAtMs(slots, running) ? running + 1 : running;
}
