import type { StrategyView, VolumeProfile } from '../../domain/intent.js';
import { endOf } from '../../domain/order-state.js';
import type { Lots } from '../../domain/quantity.js';
import { assert } from '../../domain/rejection.js';
import type { TwapMemory, VolumeStart, VwapMemory } from '../../domain/strategy-memory.js';
import type { EpochMs } from '../../domain/time.js';
import { shapeShare, shareDue, type VolumeCourse } from '../volume/course.js';
import { scheduled } from './scheduled.js';
import { closingAtMs, cumulative, type Slots } from './slots.js';

/** Trades equal slices at about equal times. */
export const TWAP = scheduled<TwapMemory>({
  name: 'TWAP',
  endsAtMs: givenEnd,
  keep: () => null,
  curve: (_view, slots, _kept, fired) => cumulative(slots, fired),
});

/**
 * Follows the expected volume of the day to trade at the market's average price. It combines the shape learnt from past
 * days with the volume traded since the start, weighted by their past accuracy. Without a history it works as a TWAP.
 */
export const VWAP = scheduled<VwapMemory>({
  name: 'VWAP',
  needs: { depth: false, profile: true },
  endsAtMs: givenEnd,
  keep: ({ market, profile, state }) => ({
    volumeThen: market.volume - state.legs[0].progress.filled,
    levelBefore: profile?.recentDailyVolume ?? 0,
  }),
  curve: ({ profile }, slots, kept, fired) =>
    profile === undefined ? cumulative(slots, fired) : shaped(courseOf(profile, slots, kept), slots, fired),
  target,
});

/** Returns the client's end time, which a TWAP or VWAP always has. */
function givenEnd({ state, nowMs }: StrategyView): EpochMs {
  const endAtMs = endOf(state.order, state.startedAtMs ?? nowMs);
  assert(endAtMs !== null, `a ${state.order.legs[0].strategy} has an end time`);
  return endAtMs;
}

function target(view: StrategyView, slots: Slots, kept: VolumeStart, fired: number): Lots {
  const { profile, nowMs } = view;
  if (profile === undefined) return cumulative(slots, fired);
  const course = courseOf(profile, slots, kept);
  // The deadline window does not wait for volume that may not come.
  if (nowMs >= closingAtMs(slots)) return shaped(course, slots, fired);
  // The order's own trades do not count as market volume.
  const realised = Math.max(0, view.market.volume - kept.volumeThen - view.state.legs[0].progress.filled);
  // The slot that has fired is due by its end, so the volume expected until then counts as traded.
  return floorOf(slots, shareDue(course, { nowMs, realised }, untilMs(slots, fired)));
}

function courseOf(profile: VolumeProfile, slots: Slots, { levelBefore }: VolumeStart): VolumeCourse {
  const { startMs, endMs } = slots;
  return { startMs, endMs, profile, levelBefore: levelBefore > 0 ? levelBefore : profile.dailyVolume };
}

/** Cumulative quantity after `fired` slots, by the expected volume. */
function shaped(course: VolumeCourse, slots: Slots, fired: number): Lots {
  return fired <= 0 ? (0 as Lots) : floorOf(slots, shapeShare(course, untilMs(slots, fired)));
}

function floorOf({ quantity }: Slots, share: number): Lots {
  return Math.floor(quantity * share) as Lots;
}

function untilMs({ startMs, endMs, count }: Slots, fired: number): number {
  return fired >= count ? endMs : startMs + (fired * (endMs - startMs)) / count;
}
