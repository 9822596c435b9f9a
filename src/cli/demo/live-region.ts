/** The part of a terminal that lines are drawn to. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const CLEAR_BELOW = '\x1b[J';

const COLUMNS_DEFAULT = 80;
const ROWS_DEFAULT = 24;

/** Lines that are drawn over themselves again and again at the bottom of a terminal. */
export class LiveRegion {
  readonly #terminal: Terminal;
  #drawn: readonly string[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** One column stays free: a line that fills the last one makes some terminals wrap. */
  get width(): number {
    return Math.max(1, this.#columns - 1);
  }

  /** Replaces what was drawn. Lines must not be wider than `width`; those that do not fit the height are left out. */
  draw(lines: readonly string[]): void {
    const fitting = lines.slice(0, Math.max(1, (this.#terminal.rows ?? ROWS_DEFAULT) - 1));
    this.#terminal.write(`${HIDE_CURSOR}${this.#rewind()}${fitting.map((line) => `${line}\n`).join('')}`);
    this.#drawn = fitting;
  }

  /** Leaves the last drawing where it is and gives the terminal back. */
  end(): void {
    if (this.#drawn.length > 0) this.#terminal.write(SHOW_CURSOR);
    this.#drawn = [];
  }

  get #columns(): number {
    return this.#terminal.columns ?? COLUMNS_DEFAULT;
  }

  /** A terminal that became narrower has folded the old lines: they take more rows than were written. */
  #rewind(): string {
    const rows = this.#drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / this.#columns)), 0);
    return rows === 0 ? '' : `\x1b[${rows}A\r${CLEAR_BELOW}`;
  }
}
