import type { FillPoint, OrderProgress, QuantityPoint } from '../order/order-history.js';

/*
 * Data of the charts: the first column has the x values, each further column one series over them; null draws nothing.
 * Times are epoch milliseconds of service time.
 */

export type ChartColumns = (number | null)[][];

export interface ChartOrder {
  readonly quantity: number;
  readonly startAtMs: number;
  readonly endAtMs: number | null;
}

/** Price levels over a whole order; null when unknown. */
export interface PriceLevels {
  readonly arrival: number | null;
  readonly vwap: number | null;
  readonly average: number | null;
  readonly limit: number | null;
}

/** The time axis of an order: from its start to its end, or to now while it has no end. */
export function timeRange(
  { startAtMs, endAtMs }: ChartOrder,
  progress: OrderProgress,
  nowMs: number,
): [number, number] {
  const points = [progress.fills[0], progress.fills.at(-1), progress.targets[0], progress.targets.at(-1)];
  const times = points.flatMap((point) => (point === undefined ? [] : [point.atMs]));
  const first = Math.min(startAtMs, ...times);
  return [first, Math.max(first + 1, endAtMs ?? nowMs, ...times)];
}

/** Columns: time, filled, target of the strategy, even pace. Filled and target are steps that end at `nowMs`. */
export function progressColumns(order: ChartOrder, progress: OrderProgress, nowMs: number): ChartColumns {
  const { quantity, startAtMs, endAtMs } = order;
  const [firstMs, lastMs] = timeRange(order, progress, nowMs);
  const { fills, targets } = progress;
  const shownMs = Math.min(nowMs, lastMs);
  const marks = [firstMs, startAtMs, shownMs, lastMs].map((atMs) => ({ atMs, quantity: 0 }));
  const times = distinctTimes([...marks, ...fills, ...targets]);
  const filled = steps(times, fills, shownMs, 0);
  const target = targets.length === 0 ? times.map(() => null) : steps(times, targets, shownMs, null);
  const pace = times.map((atMs) => {
    if (endAtMs === null || endAtMs <= startAtMs || atMs < startAtMs || atMs > endAtMs) return null;
    return (quantity * (atMs - startAtMs)) / (endAtMs - startAtMs);
  });
  return [times, filled, target, pace];
}

/**
 * Columns: time, maker fills, taker fills, arrival price, interval VWAP, average, limit. The levels go from end to end.
 * A limit price outside the other prices is left out: it would flatten the chart.
 */
export function priceColumns(
  fills: readonly FillPoint[],
  levels: PriceLevels,
  [firstMs, lastMs]: readonly [number, number],
): ChartColumns {
  const prices = [...levelsOf(levels.arrival), ...levelsOf(levels.vwap), ...levelsOf(levels.average)];
  let [low, high] = [Math.min(...prices), Math.max(...prices)];
  for (const { price } of fills) [low, high] = [Math.min(low, price), Math.max(high, price)];
  const limit = levels.limit !== null && levels.limit >= low && levels.limit <= high ? levels.limit : null;
  const times = [firstMs, ...fills.map(({ atMs }) => atMs), lastMs];
  const fillsOf = (isMaker: boolean) => [
    null,
    ...fills.map(({ price, liquidity }) => ((liquidity === 'MAKER') === isMaker ? price : null)),
    null,
  ];
  const level = (price: number | null) => times.map(() => price);
  const constant = [levels.arrival, levels.vwap, levels.average, limit].map(level);
  return [times, fillsOf(true), fillsOf(false), ...constant];
}

/** Columns: time, planned quantity after each slice of a schedule. */
export function scheduleColumns(slices: readonly { readonly time: number; readonly quantity: number }[]): ChartColumns {
  let planned = 0;
  return [slices.map(({ time }) => time), slices.map(({ quantity }) => (planned += quantity))];
}

/** Columns: place of the horizon, basis points. */
export function markoutColumns(markouts: readonly { readonly bps: number | null }[]): ChartColumns {
  return [markouts.map((_, index) => index), markouts.map(({ bps }) => bps)];
}

/** Values that a legend shows: each series has one, and the x value to which the legend belongs. */
export interface LegendValues {
  readonly at: number | null;
  /** In the sequence of the series; null only for a series without any value. */
  readonly values: readonly (number | null)[];
}

/** The last place of the x axis at which one of the series has a value; -1: none has any. */
export function latestPlace(series: ChartColumns): number {
  return Math.max(-1, ...series.map((column) => column.findLastIndex((value) => value !== null)));
}

/** The values at a place of the x axis. A gap shows the value before it, or the first one. */
export function legendValues([places = [], ...series]: ChartColumns, place: number): LegendValues {
  const values = series.map((column) => {
    const before = column.slice(0, place + 1).findLast((value) => value !== null);
    return before ?? column.find((value) => value !== null) ?? null;
  });
  return { at: places[place] ?? null, values };
}

function levelsOf(price: number | null): readonly number[] {
  return price === null ? [] : [price];
}

function distinctTimes(points: readonly QuantityPoint[]): number[] {
  return [...new Set(points.map(({ atMs }) => atMs))].sort((one, other) => one - other);
}

/** The value of the last point at or before each time; `before` ahead of the first point, null after `untilMs`. */
function steps(
  times: readonly number[],
  points: readonly QuantityPoint[],
  untilMs: number,
  before: number | null,
): (number | null)[] {
  let index = 0;
  let current = before;
  return times.map((atMs) => {
    for (let point = points[index]; point !== undefined && point.atMs <= atMs; point = points[index]) {
      current = point.quantity;
      index += 1;
    }
    return atMs > untilMs ? null : current;
  });
}
