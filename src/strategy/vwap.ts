import type { Strategy, StrategyView, VolumeProfile } from '../model/intent.js';
import type { StrategyMemory } from '../model/order.js';
import type { Lots } from '../model/quantity.js';
import { closingAtMs } from './deadline.js';
import { cumulative, type Slots } from './schedule.js';
import { slotted, type Curve } from './slotted.js';
import { givenEnd } from './twap.js';
import { VolumeDay } from './volume-day.js';

const HOUR_MS = 3600 * 1000;
/** From this horizon on the day's shape says more than the volume so far (mean slippage against TWAP, see below). */
const STATIC_FROM_MS = 6 * HOUR_MS;
/** How long the present level of volume is measured, and how fast it is expected to go back to the average. */
const LEVEL_MS = 4 * HOUR_MS;
const DECAY_MS = 8 * HOUR_MS;

/**
 * Follows the volume of the day, so that the order is done at the market's average price. From 6 hours on the shape
 * learnt from the last days is kept; below, the share done is the share of volume that has come: realised so far ÷
 * (realised + expected until the end). Without a history the day is flat, which makes it a TWAP.
 * What it keeps: the market's volume at the start.
 */
export const VWAP: Strategy = slotted({
  name: 'VWAP',
  needs: { depth: false, profile: true },
  endsAtMs: givenEnd,
  keep: ({ market }) => [market.volume],
  curve: (view, slots) => (view.profile === undefined ? flat(slots) : shaped(view.profile, slots)),
  target,
});

function target(view: StrategyView, slots: Slots, fired: number, kept: StrategyMemory): Lots {
  const { profile, nowMs } = view;
  if (profile === undefined) return flat(slots)(fired);
  // In the deadline window no volume is waited for that may not come.
  const isStatic = slots.endMs - slots.startMs >= STATIC_FROM_MS || nowMs >= closingAtMs(slots);
  return isStatic ? shaped(profile, slots)(fired) : tracked(view, profile, slots, fired, kept);
}

function flat(slots: Slots): Curve {
  return (fired) => cumulative(slots, fired);
}

/** Cumulative quantity by the expected volume from the start to the end of each slot. */
function shaped(profile: VolumeProfile, slots: Slots): Curve {
  const day = VolumeDay.of(profile);
  const whole = day.between(slots.startMs, slots.endMs);
  return (fired) => {
    if (fired <= 0) return 0 as Lots;
    if (fired >= slots.count) return slots.quantity;
    return Math.floor((slots.quantity * day.between(slots.startMs, untilMs(slots, fired))) / whole) as Lots;
  };
}

/** The slot that has fired is to be done by its end: what is expected until then counts as come. */
function tracked(
  view: StrategyView,
  profile: VolumeProfile,
  slots: Slots,
  fired: number,
  [volumeThen = 0]: StrategyMemory,
): Lots {
  const { nowMs, market, state } = view;
  const day = VolumeDay.of(profile);
  // What the order itself has traded is none of the market's course.
  const realised = Math.max(0, market.volume - volumeThen - state.progress.filled);
  const level = levelOf(profile, day.between(slots.startMs, nowMs), realised, nowMs - slots.startMs);
  const average = profile.dailyVolume;
  const expected = (toMs: number): number =>
    average * day.between(nowMs, toMs) + (level - average) * day.betweenFading(nowMs, toMs, DECAY_MS);
  const slotEndMs = Math.max(nowMs, untilMs(slots, fired));
  const whole = realised + expected(slots.endMs);
  if (whole <= 0) return flat(slots)(fired);
  const share = Math.max(0, Math.min(1, (realised + expected(slotEndMs)) / whole));
  return Math.floor(slots.quantity * share) as Lots;
}

/** The volume of a day at the present pace: what has come since the start, filled up with an average day. */
function levelOf({ dailyVolume }: VolumeProfile, share: number, realised: number, elapsedMs: number): number {
  if (share <= 0) return dailyVolume;
  const known = Math.min(1, elapsedMs / LEVEL_MS);
  return known * (realised / share) + (1 - known) * dailyVolume;
}

function untilMs({ startMs, endMs, count }: Slots, fired: number): number {
  return startMs + (fired * (endMs - startMs)) / count;
}
