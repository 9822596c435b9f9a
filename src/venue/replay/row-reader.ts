import { RecordingError } from './recording-error.js';
import { RowBuffer } from './row-buffer.js';

/**
 * How the text of a column becomes numbers:
 *   steps    a decimal as a count of 10^-precision, exactly; -1 when the field is empty
 *   instant  nanoseconds since the epoch, in two cells: whole microseconds, and the rest of 0..999 ns, for no one
 *            double holds nineteen digits
 *   initial  the code of the first character; 0 when the field is empty
 */
export interface Column {
  readonly name: string;
  readonly reading: 'steps' | 'instant' | 'initial';
  /** Of steps: 0..15. */
  readonly precision?: number;
  /** Of steps: what lies between two of them is rounded down instead of refused. */
  readonly isRounded?: boolean;
}

export const ABSENT = -1;

const [LINE_FEED, COMMA, POINT, ZERO, NINE] = [10, 44, 46, 48, 57];
const INSTANT_DIGITS = 19;
const DIGITS_BELOW_MICROSECOND = 3;
/** What is done with a field of the file. */
const [SKIP, STEPS, INSTANT, INITIAL] = [0, 1, 2, 3];
const CODES = { steps: STEPS, instant: INSTANT, initial: INITIAL } as const;
const POWERS = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);
const NOTHING = new Uint8Array(0);

/**
 * Turns the bytes of a CSV file, in pieces as they come, into rows of numbers, straight from the digits: no text and no
 * object is made. The header row says where the columns stand; columns nobody asked for are skipped.
 * Throws RecordingError on anything it cannot read exactly.
 */
export class RowReader {
  readonly rows: RowBuffer;
  readonly #file: string;
  readonly #columns: readonly Column[];
  readonly #row: Float64Array;
  #names: readonly string[] = [];
  /** By field of the file: what to do with it, into which cell, with which precision, rounded or not. */
  #codes: number[] = [];
  #cells: number[] = [];
  #precisions: number[] = [];
  #areRounded: boolean[] = [];
  #line = 1;
  #at = 0;
  /** The beginning of a line whose end has not come yet. */
  #rest: Uint8Array = NOTHING;

  /** `file` is named in errors. The cells of a row stand in the order of the columns. */
  constructor(file: string, columns: readonly Column[]) {
    this.#file = file;
    this.#columns = columns;
    this.#row = new Float64Array(columns.reduce((width, { reading }) => width + cellsOf(reading), 0));
    this.rows = new RowBuffer(this.#row.length);
  }

  /** Rows read so far, the header not counted. */
  get rowCount(): number {
    return this.#line - 1;
  }

  push(bytes: Uint8Array): void {
    const lineEnd = bytes.indexOf(LINE_FEED) + 1;
    if (this.#rest.length > 0 && lineEnd > 0) {
      this.#readLines(joined(this.#rest, bytes.subarray(0, lineEnd)));
      bytes = bytes.subarray(lineEnd);
      this.#rest = NOTHING;
    }
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    this.#readLines(bytes.subarray(0, end));
    // Copied: whoever handed the bytes over may use their memory again.
    if (end < bytes.length) this.#rest = joined(this.#rest, bytes.subarray(end));
  }

  /** The file has ended: its last line need not. */
  finish(): void {
    if (this.#rest.length > 0) this.push(Uint8Array.of(LINE_FEED));
    if (this.#codes.length === 0) throw new RecordingError(`${this.#file} is empty`);
  }

  /** Whole lines. */
  #readLines(bytes: Uint8Array): void {
    this.#at = 0;
    if (this.#codes.length === 0 && bytes.length > 0) this.#readHeader(bytes);
    while (this.#at < bytes.length) {
      this.#line += 1;
      this.#readRow(bytes);
      this.rows.append(this.#row);
    }
  }

  #readHeader(bytes: Uint8Array): void {
    const end = bytes.indexOf(LINE_FEED);
    const names = new TextDecoder().decode(bytes.subarray(0, end)).split(',');
    this.#names = names;
    this.#codes = names.map(() => SKIP);
    let cell = 0;
    for (const { name, reading, precision, isRounded } of this.#columns) {
      const field = names.indexOf(name);
      if (field === -1) throw new RecordingError(`${this.#file} has no column ${name} in its header row`);
      this.#codes[field] = CODES[reading];
      this.#cells[field] = cell;
      this.#precisions[field] = precision ?? 0;
      this.#areRounded[field] = isRounded === true;
      cell += cellsOf(reading);
    }
    this.#at = end + 1;
  }

  #readRow(bytes: Uint8Array): void {
    // Private fields cost more than locals, and this runs for every field of every row.
    const [codes, cells, row] = [this.#codes, this.#cells, this.#row];
    const last = codes.length - 1;
    for (let field = 0; field <= last; field += 1) {
      const code = codes[field];
      if (code === STEPS) row[cells[field]!] = this.#readSteps(bytes, field);
      else if (code === INSTANT) this.#readInstant(bytes, field);
      else this.#readText(bytes, field);
      if (bytes[this.#at] !== (field === last ? LINE_FEED : COMMA)) {
        throw this.#failure(field, 'is followed by no field, or by one too many');
      }
      this.#at += 1;
    }
  }

  #readSteps(bytes: Uint8Array, field: number): number {
    const start = this.#at;
    let at = start;
    let value = 0;
    let byte = bytes[at]!;
    for (; byte >= ZERO && byte <= NINE; byte = bytes[(at += 1)]!) value = value * 10 + (byte - ZERO);
    let missing = this.#precisions[field]!;
    if (byte === POINT) {
      byte = bytes[(at += 1)]!;
      for (; missing > 0 && byte >= ZERO && byte <= NINE; byte = bytes[(at += 1)]!) {
        value = value * 10 + (byte - ZERO);
        missing -= 1;
      }
      const passed = this.#areRounded[field] ? NINE : ZERO;
      while (byte >= ZERO && byte <= passed) byte = bytes[(at += 1)]!;
      if (byte > ZERO && byte <= NINE) throw this.#failure(field, 'lies between two steps of the instrument');
    }
    this.#at = at;
    if (at === start) return ABSENT;
    value *= POWERS[missing]!;
    if (value > Number.MAX_SAFE_INTEGER) throw this.#failure(field, 'is too large');
    return value;
  }

  #readInstant(bytes: Uint8Array, field: number): void {
    const end = this.#at + INSTANT_DIGITS;
    const cell = this.#cells[field]!;
    this.#row[cell] = this.#readDigits(bytes, end - DIGITS_BELOW_MICROSECOND, field);
    this.#row[cell + 1] = this.#readDigits(bytes, end, field);
  }

  #readDigits(bytes: Uint8Array, end: number, field: number): number {
    let value = 0;
    for (; this.#at < end; this.#at += 1) {
      const byte = bytes[this.#at]!;
      if (!(byte >= ZERO && byte <= NINE)) throw this.#failure(field, `is not ${INSTANT_DIGITS} digits`);
      value = value * 10 + (byte - ZERO);
    }
    return value;
  }

  #readText(bytes: Uint8Array, field: number): void {
    let at = this.#at;
    let byte = bytes[at]!;
    const initial = byte === COMMA || byte === LINE_FEED ? 0 : byte;
    while (byte !== COMMA && byte !== LINE_FEED) byte = bytes[(at += 1)]!;
    this.#at = at;
    if (this.#codes[field] === INITIAL) this.#row[this.#cells[field]!] = initial;
  }

  #failure(field: number, what: string): RecordingError {
    return new RecordingError(`${this.#file}, line ${this.#line}: ${this.#names[field]} ${what}`);
  }
}

function cellsOf(reading: Column['reading']): number {
  return reading === 'instant' ? 2 : 1;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}
