import type { ParentOrder } from '../model/order.js';
import type { Lots } from '../model/quantity.js';
import type { EpochMs } from '../model/time.js';
import type { ExecutedFill } from './execution.js';

/** How much of an order should be done by an instant, 0..1; between two points in a straight line. */
export interface SchedulePoint {
  readonly atMs: EpochMs;
  readonly share: number;
}

/** |filled(t) − X*(t)| / Q over the time of the schedule. */
export interface ScheduleDeviation {
  readonly largest: number;
  /** Root of the mean square over time. */
  readonly rootMeanSquare: number;
}

/** A schedule as long as it held: from its first point until a pause, new terms, or the end. */
export interface ScheduleStretch {
  readonly points: readonly SchedulePoint[];
  readonly untilMs: EpochMs;
}

/** The curve that an order of this strategy is to follow from its start on; null when its strategy follows none. */
export function scheduleOf({ strategy, endAtMs }: ParentOrder, startedAtMs: EpochMs): readonly SchedulePoint[] | null {
  if (strategy !== 'TWAP' || endAtMs === null) return null;
  return [
    { atMs: startedAtMs, share: 0 },
    { atMs: endAtMs, share: 1 },
  ];
}

/** How far the fills were from the one schedule between its first point and `untilMs`. */
export function scheduleDeviation(
  points: readonly SchedulePoint[],
  fills: readonly ExecutedFill[],
  { quantity, untilMs }: { readonly quantity: Lots; readonly untilMs: EpochMs },
): ScheduleDeviation {
  return deviationFrom([{ points, untilMs }], fills, quantity);
}

/**
 * How far the fills were from the schedules, one after the other, exactly: between two instants at which something
 * happens the deviation is a straight line, whose largest value lies at an end. Time between two schedules does not count.
 */
export function deviationFrom(
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

/** Straight lines from point to point, looked at forwards in time. */
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
