/** How a cell is to be taken: what asks for attention stands out. */
export type Tone = 'plain' | 'quiet' | 'good' | 'warning' | 'bad';

/** What one cell of a table shows. All of it is text, never markup. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
  /** A second, smaller line. */
  readonly note?: string;
  /** Told when pointed at. */
  readonly hint?: string;
  /** Shown as a word in a frame. */
  readonly isBadge?: boolean;
  /** 0 to 1: drawn as a bar below the text. */
  readonly share?: number;
}

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Cell;
  readonly isNumber?: boolean;
  /** What rows are sorted by when the title is pressed. */
  readonly rank?: (row: Row) => number | string;
}

const STATUS_TONES: Readonly<Record<string, Tone>> = {
  REJECTED: 'bad',
  EXPIRED: 'warning',
  CANCELLED: 'quiet',
  PENDING_CANCEL: 'warning',
  PENDING_PAUSE: 'warning',
  PAUSED: 'warning',
  PENDING_UNPAUSE: 'warning',
  FILLED: 'good',
  PARTIALLY_FILLED: 'good',
};

/** A status as a badge. */
export function statusCell(status: string): Cell {
  return { text: status.replaceAll('_', ' '), tone: STATUS_TONES[status] ?? 'plain', isBadge: true };
}

export function sideCell(side: string): Cell {
  return { text: side, tone: side === 'SELL' ? 'bad' : 'good' };
}
