import { clockText, priceText, quantityText } from './figures.js';
import type { FillHistory, FillPoint, QuantityPoint } from './fill-history.js';

/*
 *  left                                right
 *   │ quantity ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄ top      what is filled, over what should be
 *   │      0 ──────────────────────────── base
 *   │    high ·  ·    ·                   priceTop  each fill at its price
 *   │     low ·    ·                      priceBase
 *          start          now          end
 */
const FRAME = { width: 720, height: 330, left: 76, right: 708, top: 12, base: 190, priceTop: 214, priceBase: 302 };
const TIME_MARKS = 5;
/** Dots drawn; of more fills the latest. */
const DOTS_MAX = 1_500;

export interface ChartOrder {
  readonly side: string;
  readonly quantity: number;
  /** Service time. */
  readonly startAtMs: number;
  readonly endAtMs: number | null;
  readonly arrivalPrice: number | null;
  readonly limitPrice: number | null;
}

interface Mark {
  /** Of the text, along its axis. */
  readonly at: number;
  readonly text: string;
}

interface Dot {
  readonly x: number;
  readonly y: number;
  readonly isMaker: boolean;
  readonly hint: string;
}

/** What is to be drawn, in units of a drawing of `width` by `height`. Paths are in the language of SVG. */
export interface FillChart {
  readonly frame: typeof FRAME;
  readonly filledPath: string;
  /** '' when the strategy told no targets. */
  readonly targetPath: string;
  /** The straight line to the end; '' without an end. */
  readonly pacePath: string;
  readonly nowX: number | null;
  readonly arrivalY: number | null;
  readonly limitY: number | null;
  readonly dots: readonly Dot[];
  readonly timeMarks: readonly Mark[];
  readonly quantityMarks: readonly Mark[];
  readonly priceMarks: readonly Mark[];
  /** For whoever does not see it. */
  readonly description: string;
}

type Scale = (value: number) => number;

/** The drawing of an order's progress as it stands at `nowMs`. */
export function fillChart(order: ChartOrder, { fills, targets }: FillHistory, nowMs: number): FillChart {
  const { startAtMs, endAtMs, quantity } = order;
  const firstMs = Math.min(startAtMs, ...ends(fills), ...ends(targets));
  const lastMs = Math.max(firstMs + 1, ...(endAtMs === null ? [nowMs] : [endAtMs]), ...ends(fills), ...ends(targets));
  const atMs = Math.min(nowMs, lastMs);
  const x = scale(firstMs, lastMs, FRAME.left, FRAME.right);
  const y = scale(0, quantity, FRAME.base, FRAME.top);
  const prices = priceRange(order, fills);
  const priceY = scale(prices.low, prices.high, FRAME.priceBase, FRAME.priceTop);
  const within = (price: number | null): number | null =>
    price === null || price < prices.low || price > prices.high ? null : rounded(priceY(price));
  return {
    frame: FRAME,
    filledPath: stepPath([{ atMs: firstMs, quantity: 0 }, ...fills], { x, y, untilMs: atMs }),
    targetPath: targets.length === 0 ? '' : stepPath(targets, { x, y, untilMs: atMs }),
    pacePath: endAtMs === null ? '' : `M${point(x(startAtMs), y(0))}L${point(x(endAtMs), y(quantity))}`,
    nowX: nowMs < lastMs ? rounded(x(nowMs)) : null,
    arrivalY: within(order.arrivalPrice),
    limitY: within(order.limitPrice),
    dots: fills.slice(-DOTS_MAX).map((fill) => dotOf(fill, x, priceY)),
    timeMarks: timeMarks(firstMs, lastMs, x),
    quantityMarks: [0, 0.5, 1].map((part) => ({
      at: rounded(y(part * quantity)),
      text: quantityText(part * quantity),
    })),
    priceMarks: fills.length === 0 ? [] : [prices.low, prices.high].map((price) => priceMark(price, priceY)),
    description: `${quantityText(fills.at(-1)?.quantity ?? 0)} of ${quantityText(quantity)} filled in ${fills.length} fills`,
  };
}

/** The times that a series, which is in order, reaches between. */
function ends(points: readonly QuantityPoint[]): readonly number[] {
  const [first, last] = [points[0], points.at(-1)];
  return first === undefined || last === undefined ? [] : [first.atMs, last.atMs];
}

function scale(from: number, to: number, start: number, end: number): Scale {
  const span = to - from;
  return (value) => (span === 0 ? (start + end) / 2 : start + ((value - from) / span) * (end - start));
}

/** A quantity holds until the next one: it goes along and then up. */
function stepPath(
  points: readonly QuantityPoint[],
  { x, y, untilMs }: { x: Scale; y: Scale; untilMs: number },
): string {
  const steps = points.map(({ atMs, quantity }, index) =>
    index === 0 ? `M${point(x(atMs), y(quantity))}` : `H${rounded(x(atMs))}V${rounded(y(quantity))}`,
  );
  const lastMs = points.at(-1)?.atMs ?? untilMs;
  return `${steps.join('')}H${rounded(x(Math.max(lastMs, untilMs)))}`;
}

/** The arrival price belongs to the picture; a limit price far away would flatten it. */
function priceRange({ arrivalPrice }: ChartOrder, fills: readonly FillPoint[]): { low: number; high: number } {
  let [low, high] = arrivalPrice === null ? [Infinity, -Infinity] : [arrivalPrice, arrivalPrice];
  for (const { price } of fills) [low, high] = [Math.min(low, price), Math.max(high, price)];
  return low > high ? { low: 0, high: 0 } : { low, high };
}

function dotOf({ atMs, price, liquidity }: FillPoint, x: Scale, y: Scale): Dot {
  const hint = `${clockText(atMs)} ${liquidity.toLowerCase()} at ${priceText(price)}`;
  return { x: rounded(x(atMs)), y: rounded(y(price)), isMaker: liquidity === 'MAKER', hint };
}

function timeMarks(firstMs: number, lastMs: number, x: Scale): readonly Mark[] {
  return Array.from({ length: TIME_MARKS }, (_, index) => {
    const atMs = firstMs + ((lastMs - firstMs) * index) / (TIME_MARKS - 1);
    return { at: rounded(x(atMs)), text: clockText(atMs) };
  });
}

function priceMark(price: number, y: Scale): Mark {
  return { at: rounded(y(price)), text: priceText(price) };
}

function point(x: number, y: number): string {
  return `${rounded(x)} ${rounded(y)}`;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
