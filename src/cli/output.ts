import { table } from './table.js';
import type { Column } from './table.js';

/** Where a command writes. Results go to `out`; what explains a failure goes to `error`. */
export interface Writer {
  out(text: string): void;
  error(text: string): void;
}

/** A command's result, once for people and once for programs. */
export interface Result<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** What a person reads when there are no rows. */
  readonly empty: string;
  /** Printed on one line with --json. */
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
