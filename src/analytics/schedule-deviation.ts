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

/** The curve that an order of this strategy is to follow from its start on; null when its strategy follows none. */
export function scheduleOf({ strategy, endAtMs }: ParentOrder, startedAtMs: EpochMs): readonly SchedulePoint[] | null {
  if (strategy !== 'TWAP' || endAtMs === null) return null;
  return [
    { atMs: startedAtMs, share: 0 },
    { atMs: endAtMs, share: 1 },
  ];
}

/**
 * How far the fills were from the schedule between its first point and `untilMs`, exactly: between two instants at which
 * something happens the deviation is a straight line, whose largest value lies at an end.
 */
export function scheduleDeviation(
  schedule: readonly SchedulePoint[],
  fills: readonly ExecutedFill[],
  { quantity, untilMs }: { readonly quantity: Lots; readonly untilMs: EpochMs },
): ScheduleDeviation {
  const startMs = schedule[0]?.atMs ?? untilMs;
  const instants = [startMs, ...schedule.map(({ atMs }) => atMs), ...fills.map(({ atMs }) => atMs), untilMs]
    .filter((atMs) => atMs >= startMs && atMs <= untilMs)
    .sort((one, other) => one - other);
  let largest = 0;
  let squares = 0;
  let filled = 0;
  let fillIndex = 0;
  for (const [index, fromMs] of instants.entries()) {
    const toMs = instants[index + 1] ?? fromMs;
    for (let fill = fills[fillIndex]; fill !== undefined && fill.atMs <= fromMs; fill = fills[fillIndex]) {
      filled += fill.quantity;
      fillIndex += 1;
    }
    const done = filled / quantity;
    const [first, last] = [done - shareAt(schedule, fromMs), done - shareAt(schedule, toMs)];
    largest = Math.max(largest, Math.abs(first), Math.abs(last));
    squares += ((toMs - fromMs) * (first * first + first * last + last * last)) / 3;
  }
  const spanMs = untilMs - startMs;
  return { largest, rootMeanSquare: spanMs > 0 ? Math.sqrt(squares / spanMs) : largest };
}

function shareAt(schedule: readonly SchedulePoint[], atMs: number): number {
  const next = schedule.findIndex((point) => point.atMs > atMs);
  if (next === -1) return schedule.at(-1)?.share ?? 0;
  const [before, after] = [schedule[next - 1], schedule[next]];
  if (before === undefined || after === undefined) return 0;
  return before.share + ((after.share - before.share) * (atMs - before.atMs)) / (after.atMs - before.atMs);
}
