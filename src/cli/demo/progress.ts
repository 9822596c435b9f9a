import { number } from '../order-table.js';
import { table } from '../table.js';
import type { Column } from '../table.js';
import type { ChildRow, OrderPicture } from './order-picture.js';

export interface View {
  /** Service time, epoch milliseconds. */
  readonly nowMs: number;
  /** Columns a line may take, at least 1. */
  readonly width: number;
}

const CHILDREN_SHOWN = 6;
const BAR_COLUMNS_MAX = 60;
const BAR_COLUMNS_MIN = 5;
const AVERAGE_DECIMALS = 4;

const CHILD_COLUMNS: readonly Column<ChildRow>[] = [
  { title: '#', text: (child) => String(child.number), align: 'RIGHT' },
  { title: 'CHILD', text: (child) => child.status },
  { title: 'QUANTITY', text: (child) => number(child.quantity), align: 'RIGHT' },
  { title: 'PRICE', text: (child) => (child.price === null ? 'market' : number(child.price)), align: 'RIGHT' },
  { title: 'FILLED', text: (child) => number(child.filled), align: 'RIGHT' },
];

/** The picture as lines, none wider than the view: what does not fit is cut, never wrapped. */
export function progressLines(picture: OrderPicture, view: View): string[] {
  const { order, status, filled } = picture;
  const children = picture.latestChildren(CHILDREN_SHOWN);
  const lines = [
    `${order.title}  ${status}`,
    bar(filled / order.quantity, picture.scheduled(view.nowMs), view.width),
    `filled ${percent(filled / order.quantity)}  ${number(filled)} of ${number(order.quantity)}`,
    `│ schedule ${percent(picture.scheduled(view.nowMs))}  ${timeLeft(picture, view.nowMs)}`,
    market(picture),
    '',
    ...(children.length === 0 ? ['no child orders yet'] : table(CHILD_COLUMNS, children).split('\n')),
  ];
  return lines.map((line) => line.slice(0, view.width));
}

/** The same in one line, for logs and pipes. */
export function progressLine(picture: OrderPicture, nowMs: number): string {
  const { order, status, filled } = picture;
  const done = `filled ${number(filled)} of ${number(order.quantity)} (${percent(filled / order.quantity)})`;
  const plan = `schedule ${percent(picture.scheduled(nowMs))}`;
  return [status, done, plan, `${picture.childCount} children`, market(picture), timeLeft(picture, nowMs)].join(', ');
}

/** Filled share as blocks, with a stroke where the schedule stands. */
function bar(filled: number, scheduled: number, width: number): string {
  const columns = Math.min(BAR_COLUMNS_MAX, Math.max(BAR_COLUMNS_MIN, width - 2));
  const full = Math.floor(Math.min(1, filled) * columns);
  const stroke = Math.min(columns - 1, Math.floor(scheduled * columns));
  const cells = '█'.repeat(full).padEnd(columns, '░');
  return `[${cells.slice(0, stroke)}│${cells.slice(stroke + 1)}]`;
}

function market({ quote, average }: OrderPicture): string {
  const traded = average === 0 ? '' : `  average ${number(average, AVERAGE_DECIMALS)}`;
  return quote === null ? `no quote yet${traded}` : `bid ${number(quote.bid)}  ask ${number(quote.ask)}${traded}`;
}

function timeLeft(picture: OrderPicture, nowMs: number): string {
  if (picture.isOver) return 'over';
  return `${Math.max(0, Math.ceil((picture.order.endMs - nowMs) / 1000))} s left`;
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}
