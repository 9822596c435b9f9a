import type { ParentOrder } from '../domain/order.js';
import type { Lots } from '../domain/quantity.js';
import type { EpochMs } from '../domain/time.js';
import { plannedCurve, type PlannedCurve } from '../strategy/registry.js';
import { shareOf } from '../strategy/schedule/pov.js';
import type { ExecutedFill } from './traded-volume.js';
import type { ObservedMarket } from './quote-history.js';
import type { WorkedLeg, WorkedPlan } from './worked-leg.js';

/** Fraction of an order due by an instant, 0..1. Linear between two points. */
export interface SchedulePoint {
  readonly atMs: EpochMs;
  readonly share: number;
}

/** |filled(t) − X*(t)| / Q over the time of the schedule. */
export interface ScheduleDeviation {
  readonly largest: number;
  /** Root mean square over time. */
  readonly rootMeanSquare: number;
}

/** A schedule from its first point until a pause, an amendment or the end. */
interface ScheduleStretch {
  readonly points: readonly SchedulePoint[];
  readonly untilMs: EpochMs;
}

/** Returns the planned curve of an order of one leg; null when its strategy has none. */
export function scheduleOf({ legs, endAtMs }: ParentOrder, startedAtMs: EpochMs): readonly SchedulePoint[] | null {
  if (legs[0].strategy !== 'TWAP' || endAtMs === null) return null;
  return [
    { atMs: startedAtMs, share: 0 },
    { atMs: endAtMs, share: 1 },
  ];
}

/** Returns the deviation of the fills from one schedule, between its first point and `untilMs`. */
export function scheduleDeviation(
  points: readonly SchedulePoint[],
  fills: readonly ExecutedFill[],
  { quantity, untilMs }: { readonly quantity: Lots; readonly untilMs: EpochMs },
): ScheduleDeviation {
  return deviationFrom([{ points, untilMs }], fills, quantity);
}

/**
 * Returns the exact deviation of the fills from consecutive schedules. Between two points or fills the deviation is
 * linear, so its largest value is at an end. Time between two schedules does not count.
 */
function deviationFrom(
  stretches: readonly ScheduleStretch[],
  fills: readonly ExecutedFill[],
  quantity: Lots,
): ScheduleDeviation {
  const sums = { largest: 0, squares: 0, spanMs: 0 };
  for (const stretch of stretches) addStretch(sums, stretch, { fills, quantity });
  const { largest, squares, spanMs } = sums;
  return { largest, rootMeanSquare: spanMs > 0 ? Math.sqrt(squares / spanMs) : largest };
}

interface Sums {
  largest: number;
  squares: number;
  spanMs: number;
}

interface Done {
  readonly fills: readonly ExecutedFill[];
  readonly quantity: Lots;
}

function addStretch(sums: Sums, { points, untilMs }: ScheduleStretch, { fills, quantity }: Done): void {
  const startMs = points[0]?.atMs ?? untilMs;
  const instants = [startMs, ...points.map(({ atMs }) => atMs), ...fills.map(({ atMs }) => atMs), untilMs]
    .filter((atMs) => atMs >= startMs && atMs <= untilMs)
    .sort((one, other) => one - other);
  const planned = new Line(points);
  let filled = 0;
  let fillIndex = 0;
  for (const [index, fromMs] of instants.entries()) {
    const toMs = instants[index + 1] ?? fromMs;
    for (let fill = fills[fillIndex]; fill !== undefined && fill.atMs <= fromMs; fill = fills[fillIndex]) {
      filled += fill.quantity;
      fillIndex += 1;
    }
    const done = filled / quantity;
    const [first, last] = [done - planned.at(fromMs), done - planned.at(toMs)];
    sums.largest = Math.max(sums.largest, Math.abs(first), Math.abs(last));
    sums.squares += ((toMs - fromMs) * (first * first + first * last + last * last)) / 3;
  }
  sums.spanMs += Math.max(0, untilMs - startMs);
}

/** Linear interpolation between points. Queries must be in order of time. */
class Line {
  readonly #points: readonly SchedulePoint[];
  #next = 0;

  constructor(points: readonly SchedulePoint[]) {
    this.#points = points;
  }

  at(atMs: number): number {
    while (this.#next < this.#points.length && this.#points[this.#next]!.atMs <= atMs) this.#next += 1;
    const [before, after] = [this.#points[this.#next - 1], this.#points[this.#next]];
    if (after === undefined) return before?.share ?? 0;
    if (before === undefined) return 0;
    return before.share + ((after.share - before.share) * (atMs - before.atMs)) / (after.atMs - before.atMs);
  }
}

/**
 * Returns the largest and the root mean square deviation of a leg from its strategy's plan, as a fraction of its
 * quantity:
 *
 *   TWAP  a straight line from its start to its end
 *   IS    the trajectory of Almgren and Chriss as first solved, slot by slot
 *   VWAP  volume of others so far ÷ their volume until the end; known after the end
 *   POV   rate / (1 − rate) × volume of others, at most the rest of the order
 *
 * After a pause or an amendment a new schedule starts with the rest of the quantity. The time in between does not
 * count. null: the strategy has no schedule, or its market is unknown.
 */
export function plannedDeviation(leg: WorkedLeg, market: ObservedMarket, asOfMs: EpochMs): ScheduleDeviation | null {
  const seen = { market, asOfMs };
  const stretches: ScheduleStretch[] = [];
  for (const plan of leg.plans) {
    const curve = plannedCurve(plan.memory, plan.atMs);
    if (curve === null && leg.wantedParticipation === null) return null;
    // The venue stamps the end of a leg, which may be slightly before the cancel request.
    const untilMs = Math.min(plan.untilMs ?? asOfMs, leg.endedAtMs ?? Infinity, curve?.endMs ?? Infinity) as EpochMs;
    if (untilMs <= plan.atMs) continue;
    const points = curve === null ? sharePoints(leg, plan, market, untilMs) : curvePoints(leg, plan, curve, seen);
    if (points === null) return null;
    // The first observation is after the end of this plan.
    if (points[0]!.atMs >= untilMs) continue;
    stretches.push({ points, untilMs });
  }
  return stretches.length === 0 ? null : deviationFrom(stretches, leg.fills, leg.quantity);
}

/** Points of a POV: the wanted share of the volume of others. */
function sharePoints(
  leg: WorkedLeg,
  plan: WorkedPlan,
  market: ObservedMarket,
  untilMs: EpochMs,
): SchedulePoint[] | null {
  const course = market.courseOfOthers(plan.atMs, untilMs, leg.fills);
  if (course.length === 0) return null;
  return course.map(({ atMs, volume }) => {
    const wanted = shareOf(leg.wantedParticipation ?? 0, volume);
    return pointOf(leg, plan, atMs, Math.min(1, wanted / leftOf(plan)));
  });
}

/** The market as it is known at an instant. */
interface SeenMarket {
  readonly market: ObservedMarket;
  readonly asOfMs: EpochMs;
}

function curvePoints(
  leg: WorkedLeg,
  plan: WorkedPlan,
  { shares, endMs }: PlannedCurve,
  { market, asOfMs }: SeenMarket,
): SchedulePoint[] | null {
  if (shares !== null) return clockPoints(leg, plan, shares, endMs);
  // The shares are known only after the end of the course.
  if (asOfMs < endMs || market.mids.at(endMs) === null) return null;
  const course = market.courseOfOthers(plan.atMs, endMs, leg.fills);
  const whole = course.at(-1)?.volume ?? 0;
  return whole === 0 ? null : course.map(({ atMs, volume }) => pointOf(leg, plan, atMs, volume / whole));
}

function clockPoints(leg: WorkedLeg, plan: WorkedPlan, shares: readonly number[], endMs: EpochMs): SchedulePoint[] {
  const steps = shares.length - 1;
  return shares.map((share, step) =>
    pointOf(leg, plan, (plan.atMs + ((endMs - plan.atMs) * step) / steps) as EpochMs, share),
  );
}

/** Converts a share of the plan's rest into a share of the whole quantity. */
function pointOf({ quantity }: WorkedLeg, plan: WorkedPlan, atMs: EpochMs, share: number): SchedulePoint {
  return { atMs, share: (plan.filled + share * leftOf(plan)) / quantity };
}

function leftOf({ quantity, filled }: WorkedPlan): number {
  return quantity - filled;
}
