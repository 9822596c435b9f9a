import type { Terminal } from '../port.js';
import { number, type Column, table } from '../output.js';
import type { ChildRow, OrderPicture } from './order-picture.js';

interface Clock {
  nowMs(): number;
}

const REDRAW_MS = 100;
const PLAIN_LINE_MS = 5_000;

/** Shows a running order: redrawn in place on a terminal, otherwise as a plain line every 5 s. */
export class ProgressScreen {
  readonly #terminal: Terminal;
  readonly #region: LiveRegion;
  #shown: { readonly picture: OrderPicture; readonly clock: Clock } | null = null;
  #drawnAtMs = 0;
  #drawnStatus = '';
  readonly #timer: NodeJS.Timeout;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
    this.#region = new LiveRegion(terminal);
    // The remaining time changes without frames.
    this.#timer = setInterval(() => this.#refresh(), REDRAW_MS);
  }

  update(picture: OrderPicture, clock: Clock): void {
    this.#shown = { picture, clock };
    this.#refresh();
  }

  /** Releases the terminal. The last drawing remains. */
  end(): void {
    clearInterval(this.#timer);
    this.#region.end();
  }

  #refresh(): void {
    if (this.#shown === null) return;
    const { picture, clock } = this.#shown;
    const pauseMs = this.#terminal.isTTY === true ? REDRAW_MS : PLAIN_LINE_MS;
    if (picture.status !== this.#drawnStatus || Date.now() - this.#drawnAtMs >= pauseMs) this.#draw(picture, clock);
  }

  #draw(picture: OrderPicture, clock: Clock): void {
    this.#drawnAtMs = Date.now();
    this.#drawnStatus = picture.status;
    const nowMs = clock.nowMs();
    if (this.#terminal.isTTY === true) this.#region.draw(progressLines(picture, { nowMs, width: this.#region.width }));
    else this.#terminal.write(`${progressLine(picture, nowMs)}\n`);
  }
}

interface View {
  /** Service time, epoch milliseconds. */
  readonly nowMs: number;
  /** Largest line width in columns, at least 1. */
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

/** Formats the order as lines. Cuts each line to the width of the view. */
export function progressLines(picture: OrderPicture, view: View): string[] {
  const { title, quantity, status, filled } = picture;
  const children = picture.latestChildren(CHILDREN_SHOWN);
  const scheduled = picture.scheduled(view.nowMs);
  const lines = [
    `${title}  ${status}${picture.isConnected ? '' : '  not connected'}`,
    bar(filled / quantity, scheduled, view.width),
    `filled ${percent(filled / quantity)}  ${number(filled)} of ${number(quantity)}`,
    scheduled === null
      ? timeLeft(picture, view.nowMs)
      : `│ schedule ${percent(scheduled)}  ${timeLeft(picture, view.nowMs)}`,
    market(picture),
    '',
    ...(children.length === 0 ? ['no child orders yet'] : table(CHILD_COLUMNS, children).split('\n')),
  ];
  return lines.map((line) => line.slice(0, view.width));
}

/** Formats the order as one line for logs and pipes. */
export function progressLine(picture: OrderPicture, nowMs: number): string {
  const { quantity, status, filled } = picture;
  const scheduled = picture.scheduled(nowMs);
  const done = `filled ${number(filled)} of ${number(quantity)} (${percent(filled / quantity)})`;
  const plan = scheduled === null ? [] : [`schedule ${percent(scheduled)}`];
  const link = picture.isConnected ? [] : ['not connected'];
  const course = [`${picture.childCount} children`, market(picture), timeLeft(picture, nowMs)];
  return [status, done, ...plan, ...course, ...link].join(', ');
}

/** Bar of the filled share with a stroke at the scheduled share, if the order has a schedule. */
function bar(filled: number, scheduled: number | null, width: number): string {
  const columns = Math.min(BAR_COLUMNS_MAX, Math.max(BAR_COLUMNS_MIN, width - 2));
  const full = Math.floor(Math.min(1, filled) * columns);
  const cells = '█'.repeat(full).padEnd(columns, '░');
  if (scheduled === null) return `[${cells}]`;
  const stroke = Math.min(columns - 1, Math.floor(scheduled * columns));
  return `[${cells.slice(0, stroke)}│${cells.slice(stroke + 1)}]`;
}

function market({ quote, average }: OrderPicture): string {
  const traded = average === 0 ? '' : `  average ${number(average, AVERAGE_DECIMALS)}`;
  return quote === null ? `no quote yet${traded}` : `bid ${number(quote.bid)}  ask ${number(quote.ask)}${traded}`;
}

function timeLeft(picture: OrderPicture, nowMs: number): string {
  if (picture.isOver) return 'ended';
  const leftMs = picture.leftMs(nowMs);
  return leftMs === null ? 'no end' : `${Math.ceil(leftMs / 1000)} s left`;
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const CLEAR_BELOW = '\x1b[J';

const COLUMNS_DEFAULT = 80;
const ROWS_DEFAULT = 24;

/** Redraws lines in place at the bottom of a terminal. */
export class LiveRegion {
  readonly #terminal: Terminal;
  #drawn: readonly string[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Leaves one column free, because some terminals wrap a line that fills the last column. */
  get width(): number {
    return Math.max(1, this.#columns - 1);
  }

  /** Replaces the last drawing. Lines must not be wider than `width`. Drops lines beyond the height of the terminal. */
  draw(lines: readonly string[]): void {
    const fitting = lines.slice(0, Math.max(1, (this.#terminal.rows || ROWS_DEFAULT) - 1));
    this.#terminal.write(`${HIDE_CURSOR}${this.#rewind()}${fitting.map((line) => `${line}\n`).join('')}`);
    this.#drawn = fitting;
  }

  /** Shows the cursor again and keeps the last drawing. */
  end(): void {
    if (this.#drawn.length > 0) this.#terminal.write(SHOW_CURSOR);
    this.#drawn = [];
  }

  get #columns(): number {
    // A terminal that does not know its size has 0 columns and 0 rows.
    return this.#terminal.columns || COLUMNS_DEFAULT;
  }

  /** Moves the cursor to the first line of the last drawing. A narrower terminal has wrapped the old lines. */
  #rewind(): string {
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / this.#columns)), 0);
    return rows === 0 ? '' : `\x1b[${rows}A\r${CLEAR_BELOW}`;
  }
}
