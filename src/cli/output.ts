import { Big } from 'big.js';

/** One column of a table: its title and the cell text of a row. */
export interface Column<Row> {
  readonly title: string;
  readonly text: (row: Row) => string;
  readonly align?: 'RIGHT';
}

const GAP = '  ';

/**
 * Formats aligned columns under their titles, one line a row. The last column is not padded. Linear in the number of
 * rows: an account may have 100,000 open orders.
 */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => columns.map(({ text }) => text(row)))];
  const widths = columns.map((_, index) => Math.max(...lines.map((cells) => cells[index]?.length ?? 0)));
  return lines.map((cells) => line(columns, cells, widths)).join('\n');
}

function line<Row>(columns: readonly Column<Row>[], cells: readonly string[], widths: readonly number[]): string {
  const padded = cells.map((cell, index) => {
    const width = widths[index] ?? 0;
    return columns[index]?.align === 'RIGHT' ? cell.padStart(width) : cell.padEnd(width);
  });
  return padded.join(GAP).trimEnd();
}

/** Output of a command. Results go to `out`, warnings and error messages to `error`. */
export interface Writer {
  out(text: string): void;
  error(text: string): void;
}

/** Result of a command: a table for people and a value for --json. */
interface Result<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Text of a table without rows. */
  readonly empty: string;
  /** Value that --json prints on one line. */
  readonly json: unknown;
}

export class Output {
  readonly #writer: Writer;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  line(text: string): void {
    this.#writer.out(`${text}\n`);
  }

  warn(text: string): void {
    this.#writer.error(`${text}\n`);
  }

  json(value: unknown): void {
    this.line(JSON.stringify(value));
  }

  show<Row>(result: Result<Row>, asJson: boolean | undefined): void {
    if (asJson === true) return this.json(result.json);
    this.line(result.rows.length === 0 ? result.empty : table(result.columns, result.rows));
  }
}

/** An error code with its reason, for example `OTHER (KILL_SWITCH)`. */
export function codeText(code: string, reason: string | null | undefined): string {
  return reason ? `${code} (${reason})` : code;
}

/**
 * Formats the decimal that a number of the service stands for, rounded half up: no exponent, no trailing zeros, and no
 * digits of its binary form. `decimals` is the largest number of decimals.
 */
export function number(value: number, decimals = 8): string {
  return new Big(value).round(decimals, Big.roundHalfUp).toFixed();
}

/** Money of a quote currency at two decimals. */
export function money(value: number): string {
  return new Big(value).toFixed(2, Big.roundHalfUp);
}

/** The exact sum of two decimals. */
export function sum(one: number, other: number): number {
  return new Big(one).plus(other).toNumber();
}

/** Formats a share as a percentage; `unknown` is the text for null. */
export function percent(share: number | null, decimals = 1, unknown = ''): string {
  return share === null ? unknown : `${(100 * share).toFixed(decimals)} %`;
}
