/**
 * How the text of a column is read:
 *   steps    a decimal as a count of 10^-precision, exactly; -1 when the field is empty
 *   instant  nanoseconds since the epoch, in two cells: whole microseconds, and the remaining 0..999 ns, because a
 *            double cannot hold nineteen digits
 *   initial  the code of the first character; 0 when the field is empty
 */
export interface CsvColumn {
  readonly name: string;
  readonly reading: 'steps' | 'instant' | 'initial';
  /** For steps: 0..15. */
  readonly precision?: number;
  /** For steps: rounds values between two steps down instead of refusing them. */
  readonly isRounded?: boolean;
}

export const ABSENT = -1;

const [LINE_FEED, COMMA, POINT, ZERO, NINE] = [10, 44, 46, 48, 57];
const INSTANT_DIGITS = 19;
const DIGITS_BELOW_MICROSECOND = 3;
/** Actions for a field of the file. */
const [SKIP, STEPS, INSTANT, INITIAL] = [0, 1, 2, 3];
const CODES = { steps: STEPS, instant: INSTANT, initial: INITIAL } as const;
const POWERS = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);
const NOTHING = new Uint8Array(0);

/**
 * Converts the bytes of a CSV file, in pieces, into rows of numbers directly from the digits, without strings or
 * objects. The header row names the columns; other columns are skipped. Throws RecordingError for any value that it
 * cannot read exactly.
 */
export class CsvRowReader {
  readonly rows: RowBuffer;
  readonly #file: string;
  readonly #columns: readonly CsvColumn[];
  readonly #row: Float64Array;
  #names: readonly string[] = [];
  /** By field of the file: action, target cell, precision, and rounding. */
  #codes: number[] = [];
  #cells: number[] = [];
  #precisions: number[] = [];
  #areRounded: boolean[] = [];
  #line = 1;
  #at = 0;
  /** Start of an incomplete line. */
  #rest: Uint8Array = NOTHING;

  /** `file` is used in error messages. The cells of a row have the order of `columns`. */
  constructor(file: string, columns: readonly CsvColumn[]) {
    this.#file = file;
    this.#columns = columns;
    this.#row = new Float64Array(columns.reduce((width, { reading }) => width + cellsOf(reading), 0));
    this.rows = new RowBuffer(this.#row.length);
  }

  /** Rows read so far, without the header. */
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
    // Copies the bytes, because the caller may reuse their memory.
    if (end < bytes.length) this.#rest = joined(this.#rest, bytes.subarray(end));
  }

  /** Ends the file; the last line may lack its line feed. */
  finish(): void {
    if (this.#rest.length > 0) this.push(Uint8Array.of(LINE_FEED));
    if (this.#codes.length === 0) throw new RecordingError(`${this.#file} is empty`);
  }

  /** Reads complete lines. */
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
    // Locals are faster than private fields, and this loop runs for every field of every row.
    const [codes, cells, row] = [this.#codes, this.#cells, this.#row];
    const last = codes.length - 1;
    for (let field = 0; field <= last; field += 1) {
      const code = codes[field];
      if (code === STEPS) row[cells[field]!] = this.#readSteps(bytes, field);
      else if (code === INSTANT) this.#readInstant(bytes, field);
      else this.#readText(bytes, field);
      if (bytes[this.#at] !== (field === last ? LINE_FEED : COMMA)) {
        throw this.#failure(field, 'has no valid separator after it');
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

function cellsOf(reading: CsvColumn['reading']): number {
  return reading === 'instant' ? 2 : 1;
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}

const ROWS_AT_FIRST = 1024;

/**
 * A queue of rows of numbers in one flat array, so a row costs no object. Grows to the largest content. Moves its
 * content to the front instead of growing when at least half of the array is free.
 */
export class RowBuffer {
  /** Cells in a row. */
  readonly width: number;
  #cells: Float64Array;
  #head = 0;
  #count = 0;

  constructor(width: number) {
    this.width = width;
    this.#cells = new Float64Array(ROWS_AT_FIRST * width);
  }

  get count(): number {
    return this.#count;
  }

  /** The number in a cell; row 0 is the oldest. */
  at(row: number, cell: number): number {
    return this.#cells[(this.#head + row) * this.width + cell]!;
  }

  /** Number of oldest rows with the same number in that cell. Needs at least one row. */
  runLength(cell: number): number {
    const value = this.at(0, cell);
    let count = 1;
    while (count < this.#count && this.at(count, cell) === value) count += 1;
    return count;
  }

  append(row: Float64Array): void {
    const start = (this.#head + this.#count) * this.width;
    if (start + this.width > this.#cells.length) {
      this.#makeRoom();
      return this.append(row);
    }
    const cells = this.#cells;
    for (let cell = 0; cell < this.width; cell += 1) cells[start + cell] = row[cell]!;
    this.#count += 1;
    return undefined;
  }

  /** Appends the oldest rows of another buffer of the same width. */
  appendFrom(other: RowBuffer, rows: number): void {
    for (let row = 0; row < rows; row += 1) {
      const start = (other.#head + row) * this.width;
      this.append(other.#cells.subarray(start, start + this.width));
    }
  }

  /** Drops the oldest rows. */
  drop(rows: number): void {
    this.#head += rows;
    this.#count -= rows;
    if (this.#count === 0) this.#head = 0;
  }

  #makeRoom(): void {
    const { width } = this;
    const start = this.#head * width;
    const end = (this.#head + this.#count) * width;
    if (this.#head >= this.#count && this.#head > 0) this.#cells.copyWithin(0, start, end);
    else {
      const larger = new Float64Array(this.#cells.length * 2);
      larger.set(this.#cells.subarray(start, end));
      this.#cells = larger;
    }
    this.#head = 0;
  }
}

/** A recording that cannot be played; the message names the file, the position and the violated rule. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}
