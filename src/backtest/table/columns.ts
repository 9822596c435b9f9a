import { formatSteps } from '../../domain/quantity.js';

/** A decimal, read exactly as a count of steps. A step is `step` units of 10^-precision. */
interface StepsKind {
  readonly kind: 'steps';
  /** 0..15 */
  readonly precision: number;
  /** 1 when absent. */
  readonly step?: number;
  /** Smallest and largest count; 0 and the largest safe integer when absent. */
  readonly min?: number;
  readonly max?: number;
  /** Rounds a value between two steps down instead of refusing it. */
  readonly isRounded?: boolean;
}

/** Nineteen digits of nanoseconds since 1970, in two cells: whole microseconds, and the remaining 0..999 ns. */
interface InstantKind {
  readonly kind: 'instant';
}

/** One of the words, in exactly this spelling. The cell has its index. */
interface WordKind {
  readonly kind: 'word';
  readonly words: readonly string[];
}

/** A decimal, also with an exponent, as a double. For figures that need no exact arithmetic. */
interface NumberKind {
  readonly kind: 'number';
  readonly min: number;
  readonly max: number;
}

/** Seconds, milliseconds or microseconds since 1970, or a date and time in UTC. The cell has milliseconds. */
interface TimeKind {
  readonly kind: 'time';
}

export type ColumnKind = StepsKind | InstantKind | WordKind | NumberKind | TimeKind;

/**
 * How the values of a column follow each other from row to row:
 *   rising        never smaller than before; equal values are legal
 *   distinct      larger than before
 *   consecutive   larger by one
 */
export type ColumnOrder = 'rising' | 'distinct' | 'consecutive';

/** One declared column of a file. */
export interface TableColumn {
  /** Its name in the header row, in exactly this spelling. */
  readonly name: string;
  readonly values: ColumnKind;
  /** Any order when absent. */
  readonly order?: ColumnOrder;
  /** Its fields may be empty: in all rows of a file, or in none. The cell is then ABSENT. */
  readonly isOptional?: boolean;
}

/** Cell of an empty field of an optional column. */
export const ABSENT = -1;

/** A row that breaks a rule between columns or rows. */
export interface RowFault {
  readonly column: string;
  readonly what: string;
}

/** The declared format of a file. */
export interface Table {
  readonly columns: readonly TableColumn[];
  /**
   * Rules between the columns of a row, or between rows. `row` has the cells of the columns in their order. `previous`
   * is the row before; null for the first row. null: the row breaks no rule. Called once for each row, in order.
   */
  readonly check?: (row: Float64Array, previous: Float64Array | null) => RowFault | null;
}

/** Number of cells of a value. */
export function cellsOf({ kind }: ColumnKind): number {
  return kind === 'instant' ? 2 : 1;
}

export const INSTANT_DIGITS = 19;

/** What a value of this kind is, for error messages and documents. */
export function described(values: ColumnKind): string {
  switch (values.kind) {
    case 'steps':
      return describedSteps(values);
    case 'instant':
      return `${INSTANT_DIGITS} digits of nanoseconds since 1970`;
    case 'word':
      return `${values.words.length > 1 ? 'one of ' : ''}${values.words.map((word) => JSON.stringify(word)).join(', ')}`;
    case 'number':
      return values.max === Number.MAX_VALUE
        ? `a number ${values.min > 0 ? 'above 0' : `from ${values.min}`}`
        : `a number from ${values.min} to ${values.max}`;
    case 'time':
      return 'seconds, milliseconds or microseconds since 1970, or a date and time in UTC';
    default:
      return values satisfies never;
  }
}

function describedSteps({ precision, step = 1, min = 0, max = Number.MAX_SAFE_INTEGER, isRounded }: StepsKind): string {
  const text = (steps: number): string => formatSteps(BigInt(steps) * BigInt(step), precision);
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${text(min)}` : `from ${text(min)} to ${text(max)}`;
  if (precision === 0 && step === 1) return `a whole number ${range}`;
  return `a decimal ${range}${isRounded === true ? '' : ` in steps of ${text(1)}`}`;
}

/** What the value of a row is not, when it breaks the order of its column. */
export function describedOrder(order: ColumnOrder): string {
  switch (order) {
    case 'rising':
      return 'is smaller than in the row before';
    case 'distinct':
      return 'is not larger than in the row before';
    case 'consecutive':
      return 'does not follow that of the row before: rows are missing, repeated or in the wrong order';
    default:
      return order satisfies never;
  }
}

/** The place of a fault. */
export interface FilePlace {
  readonly file: string;
  /** The header row is line 1. */
  readonly line?: number;
  /** Number of the field from 1, and its name in the header. */
  readonly column?: { readonly number: number; readonly name: string };
}

/** A file that cannot be used. The message names the file, the line, the column, the value and the violated rule. */
export class FileError extends Error {
  override readonly name = 'FileError';

  constructor({ file, line, column }: FilePlace, what: string) {
    const place = [file];
    if (line !== undefined) place.push(`line ${line}`);
    if (column !== undefined) place.push(`column ${column.number}${column.name === '' ? '' : ` (${column.name})`}`);
    super(`${place.join(', ')}: ${what}`);
  }
}
