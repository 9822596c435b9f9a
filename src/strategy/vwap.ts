import type { StrategyView, VolumeProfile } from '../model/intent.js';
import type { StrategyMemory } from '../model/order.js';
import type { Lots } from '../model/quantity.js';
import { closingAtMs } from './deadline.js';
import { cumulative, type Slots } from './schedule.js';
import { slotted } from './slotted.js';
import { givenEnd } from './twap.js';
import { shapeShare, shareDue, type VolumeCourse } from './volume-course.js';

/**
 * Follows the volume of the day, so that the order is done at the market's average price: by the shape learnt from the
 * last days and by the volume that comes, as much by each as those days commend. Without a history the day is flat, which
 * makes it a TWAP.
 * What it keeps: what others had traded at the start, and the level of volume before it in lots a day (0: not known).
 */
export const VWAP = slotted({
  name: 'VWAP',
  needs: { depth: false, profile: true },
  endsAtMs: givenEnd,
  keep: ({ market, profile, state }) => [market.volume - state.progress.filled, profile?.recentDailyVolume ?? 0],
  curve: ({ profile }, slots, kept, fired) =>
    profile === undefined ? cumulative(slots, fired) : shaped(courseOf(profile, slots, kept), fired),
  target,
});

function target(view: StrategyView, slots: Slots, kept: StrategyMemory, fired: number): Lots {
  const { profile, nowMs } = view;
  if (profile === undefined) return cumulative(slots, fired);
  const course = courseOf(profile, slots, kept);
  // In the deadline window no volume is waited for that may not come.
  if (nowMs >= closingAtMs(slots)) return shaped(course, fired);
  const [volumeThen = 0] = kept;
  // What the order itself has traded is none of the market's course.
  const realised = Math.max(0, view.market.volume - volumeThen - view.state.progress.filled);
  // The slot that has fired is to be done by its end: what is expected until then counts as come.
  return floorOf(slots, shareDue(course, { nowMs, realised }, untilMs(slots, fired)));
}

interface SlottedCourse extends VolumeCourse {
  readonly slots: Slots;
}

function courseOf(profile: VolumeProfile, slots: Slots, [, levelBefore = 0]: StrategyMemory): SlottedCourse {
  const { startMs, endMs } = slots;
  return { startMs, endMs, profile, levelBefore: levelBefore > 0 ? levelBefore : profile.dailyVolume, slots };
}

/** Cumulative quantity by the expected volume from the start to the end of each slot. */
function shaped(course: SlottedCourse, fired: number): Lots {
  return fired <= 0 ? (0 as Lots) : floorOf(course.slots, shapeShare(course, untilMs(course.slots, fired)));
}

function floorOf({ quantity }: Slots, share: number): Lots {
  return Math.floor(quantity * share) as Lots;
}

function untilMs({ startMs, endMs, count }: Slots, fired: number): number {
  return fired >= count ? endMs : startMs + (fired * (endMs - startMs)) / count;
}
