import type { EpochMs } from '../model/time.js';
import { plannedCurve, type PlannedCurve } from '../strategy/planned-curve.js';
import { shareOf } from '../strategy/pov.js';
import {
  deviationFrom,
  type ScheduleDeviation,
  type SchedulePoint,
  type ScheduleStretch,
} from './schedule-deviation.js';
import type { Tape } from './tape.js';
import type { WorkedLeg, WorkedPlan } from './worked-leg.js';

/**
 * How far a leg was from what its strategy set out to do, at most and on average over time, as a part of its quantity:
 *
 *   TWAP  a straight line from its start to its end
 *   IS    the trajectory of Almgren and Chriss that it solved first, slot by slot
 *   VWAP  the volume that others traded by then, of what they traded until its end: known when that is over
 *   POV   rate / (1 − rate) times the volume that others have traded, and no more than is left
 *
 * After a pause or an amendment the schedule begins anew with what is left; the time in between does not count. null: the
 * strategy follows no schedule, or the market that it follows is not known.
 */
export function plannedDeviation(leg: WorkedLeg, tape: Tape, asOfMs: EpochMs): ScheduleDeviation | null {
  const stretches: ScheduleStretch[] = [];
  for (const plan of leg.plans) {
    const curve = plannedCurve(plan.order, plan.memory, plan.atMs);
    if (curve === null && leg.wantedParticipation === null) return null;
    // The venue stamps the end of a leg: that can be a moment before the withdrawal was asked for.
    const untilMs = Math.min(plan.untilMs ?? asOfMs, leg.endedAtMs ?? Infinity, curve?.endMs ?? Infinity) as EpochMs;
    if (untilMs <= plan.atMs) continue;
    const points = curve === null ? sharePoints(leg, plan, tape, untilMs) : curvePoints(leg, plan, curve, tape, asOfMs);
    if (points === null) return null;
    // The market was seen too late for it.
    if (points[0]!.atMs >= untilMs) continue;
    stretches.push({ points, untilMs });
  }
  return stretches.length === 0 ? null : deviationFrom(stretches, leg.fills, leg.quantity);
}

/** What a POV wants, by the volume of others. */
function sharePoints(leg: WorkedLeg, plan: WorkedPlan, tape: Tape, untilMs: EpochMs): SchedulePoint[] | null {
  const course = tape.courseOfOthers(plan.atMs, untilMs, leg.fills);
  if (course.length === 0) return null;
  return course.map(({ atMs, volume }) => {
    const wanted = shareOf(leg.wantedParticipation ?? 0, volume);
    return pointOf(leg, plan, atMs, Math.min(1, wanted / leftOf(plan)));
  });
}

function curvePoints(
  leg: WorkedLeg,
  plan: WorkedPlan,
  { shares, endMs }: PlannedCurve,
  tape: Tape,
  asOfMs: EpochMs,
): SchedulePoint[] | null {
  if (shares !== null) return clockPoints(leg, plan, shares, endMs);
  // A course that is not over has no shares yet.
  if (asOfMs < endMs || tape.mids.at(endMs) === null) return null;
  const course = tape.courseOfOthers(plan.atMs, endMs, leg.fills);
  const whole = course.at(-1)?.volume ?? 0;
  return whole === 0 ? null : course.map(({ atMs, volume }) => pointOf(leg, plan, atMs, volume / whole));
}

function clockPoints(leg: WorkedLeg, plan: WorkedPlan, shares: readonly number[], endMs: EpochMs): SchedulePoint[] {
  const steps = shares.length - 1;
  return shares.map((share, step) =>
    pointOf(leg, plan, (plan.atMs + ((endMs - plan.atMs) * step) / steps) as EpochMs, share),
  );
}

/** A share of what the plan had left to do, as one of the whole quantity. */
function pointOf({ quantity }: WorkedLeg, plan: WorkedPlan, atMs: EpochMs, share: number): SchedulePoint {
  return { atMs, share: (plan.filled + share * leftOf(plan)) / quantity };
}

function leftOf({ order, filled }: WorkedPlan): number {
  return order.quantity - filled;
}
