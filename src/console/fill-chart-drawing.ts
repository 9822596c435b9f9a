import { drawn } from './element.js';
import type { FillChart } from './fill-chart.js';

/** Draws a chart anew. Colours and strokes are the style sheet's. */
export function drawFillChart(chart: FillChart): SVGSVGElement {
  const { frame, dots, nowX } = chart;
  const { left, right, top, base, priceTop, priceBase } = frame;
  const across = (y: number, className: string) =>
    drawn('line', { x1: left, x2: right, y1: y, y2: y, class: className });
  const level = (y: number | null, className: string) => (y === null ? [] : [across(y, className)]);
  return drawn(
    'svg',
    { viewBox: `0 0 ${frame.width} ${frame.height}`, role: 'img', 'aria-label': chart.description },
    ...chart.quantityMarks.map(({ at }) => across(at, 'grid')),
    across(priceBase, 'grid'),
    across(priceTop, 'grid'),
    ...shape(chart.filledPath === '' ? '' : `${chart.filledPath}V${base}H${left}Z`, 'filled-area'),
    ...shape(chart.pacePath, 'pace'),
    ...shape(chart.targetPath, 'target'),
    ...shape(chart.filledPath, 'filled'),
    ...level(chart.arrivalY, 'arrival'),
    ...level(chart.limitY, 'limit'),
    ...dots.map(({ x, y, isMaker, hint }) =>
      drawn('circle', { cx: x, cy: y, r: 3, class: isMaker ? 'maker' : 'taker' }, drawn('title', {}, hint)),
    ),
    ...(nowX === null ? [] : [drawn('line', { x1: nowX, x2: nowX, y1: top, y2: priceBase, class: 'now' })]),
    ...chart.quantityMarks.map(({ at, text }) => drawn('text', { x: left - 6, y: at + 4, class: 'of-y' }, text)),
    ...chart.priceMarks.map(({ at, text }) => drawn('text', { x: left - 6, y: at + 4, class: 'of-y' }, text)),
    ...chart.timeMarks.map(({ at, text }, index, { length }) =>
      drawn('text', { x: at, y: frame.height - 8, class: anchorOf(index, length) }, text),
    ),
  );
}

function shape(path: string, className: string): readonly SVGPathElement[] {
  return path === '' ? [] : [drawn('path', { d: path, class: className })];
}

/** The outermost texts stay inside of the drawing. */
function anchorOf(index: number, count: number): string {
  if (index === 0) return 'of-x first';
  return index === count - 1 ? 'of-x last' : 'of-x';
}
