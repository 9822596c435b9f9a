import type { Terminal } from '../../src/cli/port.js';

const ESCAPE = '\x1b';
const UP = new RegExp(`^${ESCAPE}\\[(\\d+)A`);
const REWIND = new RegExp(`(${ESCAPE}\\[\\d+A\\r${ESCAPE}\\[J)`);

/**
 * A terminal with rows and a cursor. It understands new lines, carriage returns, cursor up and clear below. It folds
 * lines that are too wide, also old ones when it becomes narrower.
 */
export class FakeTerminal implements Terminal {
  readonly isTTY = true;
  columns: number;
  rows: number;
  /** Lines as written. The cursor is always at the start of the line after the last. */
  #lines: string[] = [];

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  /** All rows of the terminal, folded at its width. */
  get text(): string[] {
    return this.#lines.flatMap((line) => this.#folded(line));
  }

  write(text: string): void {
    const visible = text.replaceAll(`${ESCAPE}[?25l`, '').replaceAll(`${ESCAPE}[?25h`, '');
    for (const part of visible.split(REWIND)) {
      const up = UP.exec(part);
      if (up === null) this.#append(part);
      else this.#eraseRows(Number(up[1]));
    }
  }

  #append(text: string): void {
    if (text === '') return;
    if (!text.endsWith('\n')) throw new Error('a line was left unfinished');
    this.#lines.push(...text.slice(0, -1).split('\n'));
  }

  #eraseRows(count: number): void {
    const rows = this.text;
    if (count > rows.length) throw new Error('the cursor was moved beyond the first row');
    this.#lines = rows.slice(0, rows.length - count);
  }

  #folded(line: string): string[] {
    const rows = [];
    for (let at = 0; at === 0 || at < line.length; at += this.columns) rows.push(line.slice(at, at + this.columns));
    return rows;
  }
}
