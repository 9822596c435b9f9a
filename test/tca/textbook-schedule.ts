import { plannedMemory, sum, termsOf, type Course, type Terms } from './textbook-course.js';
import type { LegMemory } from '../../src/domain/strategy-memory.js';

const DAY_MS = 86_400_000;
const SCHEDULED: ReadonlySet<string> = new Set(['TWAP', 'IS', 'VWAP', 'POV']);
/** Events that end a schedule. */
const BREAKS: ReadonlySet<string> = new Set([
  'ParentPauseRequested',
  'ParentAmendRequested',
  'ParentCancelRequested',
  'ParentPlanned',
]);

type Point = readonly [atMs: number, share: number];
type Deviations = Readonly<Record<'cost.schedule_deviation.largest' | 'cost.schedule_deviation.rms', number | null>>;

/** Returns the deviation of the fills from the plan, under the names of the report. */
export function schedule(course: Course, asOfMs: number): Deviations {
  const none = { 'cost.schedule_deviation.largest': null, 'cost.schedule_deviation.rms': null };
  // The following leg of a pair follows the fills of the leading leg and has no schedule.
  if (!SCHEDULED.has(course.order.strategy)) return none;
  let terms = course.order;
  let [largest, squares, spanMs, isAny] = [0, 0, 0, false];
  for (const [index, { event, atMs }] of course.entries.entries()) {
    if (event.kind === 'ParentCreated' || event.kind === 'ParentAmended') terms = termsOf(event.order, 'leading');
    if (event.kind !== 'ParentStarted' && event.kind !== 'ParentPlanned') continue;
    const memory = plannedMemory(course, event);
    const stop = course.entries.slice(index + 1).find((one) => BREAKS.has(one.event.kind));
    const untilMs = Math.min(stop?.atMs ?? Infinity, course.endMs);
    const endMs = course.order.strategy === 'POV' ? untilMs : Math.min(untilMs, endOf(memory));
    if (endMs <= atMs) continue;
    const before = sum(
      course.entries.slice(0, index).map((one) => (one.event.kind === 'ChildFilled' ? one.event.fill.quantity : 0)),
    );
    const points = planPoints(course, { terms, memory, atMs, untilMs }, asOfMs);
    if (points === null) return none;
    const scaled = points.map(([ms, share]): Point => [
      ms,
      (before + share * (terms.quantity - before)) / course.order.quantity,
    ]);
    if (scaled[0]![0] >= endMs) continue;
    isAny = true;
    const found = deviation(scaled, course, endMs);
    largest = Math.max(largest, found.largest);
    squares += found.squares;
    spanMs += endMs - scaled[0]![0];
  }
  if (!isAny) return none;
  return {
    'cost.schedule_deviation.largest': largest,
    'cost.schedule_deviation.rms': spanMs > 0 ? Math.sqrt(squares / spanMs) : largest,
  };
}

interface Plan {
  readonly terms: Terms;
  readonly memory: LegMemory;
  readonly atMs: number;
  readonly untilMs: number;
}

/** End of a schedule by time; Infinity for other strategies. */
export function endOf(memory: LegMemory): number {
  return memory.kind === 'TWAP' || memory.kind === 'VWAP' || memory.kind === 'IS' ? memory.endMs : Infinity;
}

function planPoints(course: Course, { terms, memory, atMs, untilMs }: Plan, asOfMs: number): Point[] | null {
  const before = sum(course.trades.filter((one) => one.atMs < atMs).map(({ quantity }) => quantity));
  const endMs = endOf(memory);
  switch (terms.strategy) {
    case 'TWAP':
      return [
        [atMs, 0],
        [endMs, 1],
      ];
    case 'IS': {
      if (memory.kind !== 'IS') return null;
      const [count, days] = [memory.slotCount, (endMs - atMs) / DAY_MS];
      const whole = memory.kept.kappa * days;
      const heldAt = (part: number) => (whole < 1e-6 ? 1 - part : Math.sinh(whole * (1 - part)) / Math.sinh(whole));
      return Array.from({ length: count + 1 }, (_, slot): Point => [
        atMs + ((endMs - atMs) * slot) / count,
        slot === count ? 1 : 1 - heldAt(slot / count),
      ]);
    }
    case 'VWAP': {
      if (asOfMs < endMs || course.midAt(endMs) === null) return null;
      const others = volumesOfOthers(course, atMs, endMs);
      const all = others.at(-1)?.[1] ?? 0;
      return all === 0 ? null : others.map(([ms, volume]): Point => [ms, volume / all]);
    }
    case 'POV': {
      const others = volumesOfOthers(course, atMs, untilMs);
      const rate = terms.clip.type === 'PERCENTAGE' ? terms.clip.ppmOfPercent / 1e8 : 0.1;
      const left = terms.quantity - before;
      const wanted = others.map(([ms, volume]): Point => [ms, Math.min(1, ((rate / (1 - rate)) * volume) / left)]);
      return wanted.length === 0 ? null : wanted;
    }
    case 'ICEBERG':
    case 'LIMIT':
    case 'MARKET':
    case 'SCALE':
      return null;
  }
}

function volumesOfOthers(course: Course, fromMs: number, toMs: number): Point[] {
  const rows = course.around(fromMs, toMs);
  return rows.map(({ atMs }, index) => {
    let highest = 0;
    // Never decreasing: the largest volume at any observation so far.
    for (let last = 0; last <= index; last += 1) {
      let traded = 0;
      for (let step = 1; step <= last; step += 1) {
        const [one, next] = [rows[step - 1]!, rows[step]!];
        if (next.volume >= one.volume && next.turnover >= one.turnover) traded += next.volume - one.volume;
      }
      const own = course.trades.filter((trade) => trade.atMs > rows[0]!.atMs && trade.atMs <= rows[last]!.atMs);
      highest = Math.max(highest, traded - sum(own.map(({ quantity }) => quantity)));
    }
    return [atMs, highest];
  });
}

/** Integrates by Simpson's rule between all points and fills, which is exact for squares of linear functions. */
function deviation(points: readonly Point[], { trades, order }: Course, untilMs: number) {
  const startMs = points[0]![0];
  const instants = [startMs, untilMs, ...points.map(([ms]) => ms), ...trades.map(({ atMs }) => atMs)];
  const cuts = [...new Set(instants)].filter((ms) => ms >= startMs && ms <= untilMs).sort((one, other) => one - other);
  const planned = (ms: number): number => {
    const before = points.findLastIndex(([at]) => at <= ms);
    const [one, next] = [points[before]!, points[before + 1]];
    return next === undefined ? one[1] : one[1] + ((next[1] - one[1]) * (ms - one[0])) / (next[0] - one[0]);
  };
  let [largest, squares] = [0, 0];
  for (const [index, from] of cuts.entries()) {
    const to = cuts[index + 1] ?? from;
    const done = sum(trades.filter(({ atMs }) => atMs <= from).map(({ quantity }) => quantity)) / order.quantity;
    const [a, m, b] = [planned(from), planned((from + to) / 2), planned(to)].map((wanted) => done - wanted);
    largest = Math.max(largest, Math.abs(a!), Math.abs(b!));
    squares += ((to - from) / 6) * (a! ** 2 + 4 * m! ** 2 + b! ** 2);
  }
  return { largest, squares };
}
