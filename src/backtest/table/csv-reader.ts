import { cellsOf, described, describedOrder, FileError, type Table } from './columns.js';
import { decoded, type Field, fieldOf, INSTANT, STEPS } from './field.js';
import { readInstant, readPlainSteps, readText } from './field-values.js';
import { QuotedRecord, STRAY_RETURN, withoutMarks } from './quoted-record.js';
import { RowBuffer } from './row-buffer.js';

/** Longest row. A longer one is no row of a table: a quote is open, or the file is binary. */
export const ROW_BYTES_MAX = 65_536;
/** Largest file, unpacked. */
const FILE_BYTES_MAX = 64 * 1024 ** 3;
/** Rows that wait for their use: those of one instant, and those of one piece of the file. */
const WAITING_ROWS_MAX = 4_000_000;

const [LINE_FEED, RETURN, QUOTE, COMMA] = [10, 13, 34, 44];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const NOTHING = new Uint8Array(0);
const SHOWN_CHARACTERS_MAX = 40;

/**
 * Converts the bytes of a CSV file, in pieces, into rows of numbers directly from the digits, without strings or
 * objects. Reads files as RFC 4180 describes them: quoted fields, lines that end in CR LF or LF, a last line with or
 * without an end. A byte order mark at the start and blank lines at the end are skipped. The header row names the
 * columns; columns that are not declared are skipped. Throws FileError for everything that is not as declared.
 */
export class CsvReader {
  /** Rows that are read and not yet dropped. The last cell of each is its line. */
  readonly rows: RowBuffer;
  readonly #file: string;
  readonly #table: Table;
  readonly #check: Required<Table>['check'] | null;
  readonly #quoted = new QuotedRecord();
  #fields: Field[] = [];
  #ordered: Field[] = [];
  #row: Float64Array;
  #previous: Float64Array;
  #rowCount = 0;
  #byteCount = 0;
  /** Line of the record that is read. */
  #line = 1;
  /** Line of a blank line that must be one of the last; 0: none. */
  #blankLine = 0;
  #at = 0;
  /** Start of an incomplete record. */
  #rest: Uint8Array = NOTHING;

  /** `file` is used in error messages. The cells of a row have the order of the columns. */
  constructor(file: string, table: Table) {
    this.#file = file;
    this.#table = table;
    this.#check = table.check ?? null;
    const width = table.columns.reduce((cells, { values }) => cells + cellsOf(values), 1);
    this.#row = new Float64Array(width);
    this.#previous = new Float64Array(width);
    this.rows = new RowBuffer(width);
  }

  /** Rows read so far, without the header. */
  get rowCount(): number {
    return this.#rowCount;
  }

  /** Line of the last row; 0 before the first. */
  get lastLine(): number {
    return this.#previous.at(-1) ?? 0;
  }

  push(bytes: Uint8Array): void {
    this.#byteCount += bytes.length;
    if (this.#byteCount > FILE_BYTES_MAX) throw this.#fault(`the file has more than ${FILE_BYTES_MAX} bytes`);
    // The rest may contain line ends inside of quotes, so it may stay incomplete.
    while (this.#rest.length > 0) {
      const lineEnd = bytes.indexOf(LINE_FEED) + 1;
      if (lineEnd === 0) return this.#keep(bytes);
      const record = joined(this.#rest, bytes.subarray(0, lineEnd));
      this.#rest = NOTHING;
      this.#readRecords(record);
      bytes = bytes.subarray(lineEnd);
    }
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    this.#readRecords(bytes.subarray(0, end));
    if (end < bytes.length) this.#keep(bytes.subarray(end));
    if (this.rows.count > WAITING_ROWS_MAX) {
      throw this.#fault(`more than ${WAITING_ROWS_MAX} rows wait for one instant`);
    }
    return undefined;
  }

  /** Ends the file; the last line may lack its end. */
  finish(): void {
    if (this.#rest.length > 0) {
      this.push(Uint8Array.of(LINE_FEED));
      if (this.#rest.length > 0) throw this.#fault('a quote is not closed', this.#quoted.fieldNumber);
    }
    if (this.#fields.length === 0) throw new FileError({ file: this.#file }, 'the file is empty');
  }

  /** The fault of a row that broke a rule outside of the table. */
  faultAt(line: number, column: string, what: string): FileError {
    const number = this.#fieldNamed(column) + 1;
    return new FileError({ file: this.#file, line, column: { number, name: column } }, what);
  }

  /** Copies the bytes, because the caller may reuse their memory. */
  #keep(bytes: Uint8Array): void {
    this.#rest = joined(this.#rest, bytes);
    if (this.#rest.length > ROW_BYTES_MAX) throw this.#tooLong();
  }

  /** Reads the records of complete lines. */
  #readRecords(bytes: Uint8Array): void {
    this.#at = 0;
    if (this.#fields.length === 0 && bytes.length > 0 && !this.#readHeader(bytes)) return this.#keep(bytes);
    if (bytes.includes(QUOTE, this.#at)) return this.#readQuotedRecords(bytes);
    while (this.#at < bytes.length) {
      this.#readRecord(bytes);
      this.#line += 1;
    }
    return undefined;
  }

  /** The same where a record may have quoted fields. */
  #readQuotedRecords(bytes: Uint8Array): void {
    const quoted = this.#quoted;
    let at = this.#at;
    while (at < bytes.length) {
      const end = quoted.read(bytes, at);
      if (quoted.fault !== null) throw this.#fault(quoted.fault, quoted.fieldNumber);
      if (end === null) return this.#keep(bytes.subarray(at));
      this.#at = 0;
      this.#readRecord(quoted.bytes());
      this.#line += quoted.lineCount;
      at = end;
    }
    return undefined;
  }

  /** False when the header is not complete. */
  #readHeader(bytes: Uint8Array): boolean {
    const end = this.#quoted.read(bytes, startOf(bytes));
    if (this.#quoted.fault !== null) throw this.#fault(this.#quoted.fault, this.#quoted.fieldNumber);
    if (end === null) return false;
    this.#at = end;
    const names = namesIn(this.#quoted.bytes());
    const fields = names.map((name): Field => fieldOf(name, null, 0));
    let cell = 0;
    for (const column of this.#table.columns) {
      const field = names.indexOf(column.name);
      if (field === -1) throw this.#fault(`the header has no column ${column.name}; it has ${shown(names.join(','))}`);
      const again = names.indexOf(column.name, field + 1);
      if (again !== -1) throw this.#fault(`the header has the column ${column.name} twice`, again + 1);
      fields[field] = fieldOf(column.name, column, cell);
      cell += cellsOf(column.values);
    }
    this.#fields = fields;
    this.#ordered = fields.filter(({ column }) => column?.order !== undefined);
    this.#line += this.#quoted.lineCount;
    return true;
  }

  /** Reads one record without quotes. Blank lines are legal at the end of the file. */
  #readRecord(bytes: Uint8Array): void {
    const start = this.#at;
    const first = bytes[start];
    if (first === LINE_FEED || (first === RETURN && bytes[start + 1] === LINE_FEED)) {
      this.#at += first === LINE_FEED ? 1 : 2;
      if (this.#blankLine === 0) this.#blankLine = this.#line;
      return;
    }
    if (this.#blankLine > 0) {
      this.#line = this.#blankLine;
      throw this.#fault('the line is blank, and rows follow it', 1);
    }
    this.#readRow(bytes);
    if (this.#at - start > ROW_BYTES_MAX) throw this.#tooLong();
    this.#row[this.#row.length - 1] = this.#line;
    if (this.#rowCount > 0) this.#checkOrder(bytes, start);
    const fault = this.#check === null ? null : this.#check(this.#row, this.#rowCount > 0 ? this.#previous : null);
    if (fault !== null) throw this.#valueFault(bytes, start, this.#fieldNamed(fault.column), fault.what);
    this.rows.append(this.#row);
    const row = this.#row;
    this.#row = this.#previous;
    this.#previous = row;
    this.#rowCount += 1;
  }

  #readRow(bytes: Uint8Array): void {
    // Locals are faster than private fields, and this loop runs for every field of every row.
    const fields = this.#fields;
    const row = this.#row;
    const start = this.#at;
    const last = fields.length - 1;
    let at = start;
    for (let index = 0; index <= last; index += 1) {
      const field = fields[index]!;
      const { code } = field;
      if (code === STEPS) at = readPlainSteps(bytes, at, field, row);
      else if (code === INSTANT) at = readInstant(bytes, at, field, row);
      else at = readText(bytes, at, field, row);
      if (at < 0 || (index < last && bytes[at] !== COMMA)) throw this.#misread(bytes, start, index);
      at += 1;
    }
    if (bytes[at - 1] !== LINE_FEED) {
      if (bytes[at - 1] !== RETURN || bytes[at] !== LINE_FEED) throw this.#misread(bytes, start, last);
      at += 1;
    }
    this.#at = at;
  }

  #checkOrder(bytes: Uint8Array, start: number): void {
    const row = this.#row;
    const previous = this.#previous;
    const ordered = this.#ordered;
    for (let index = 0; index < ordered.length; index += 1) {
      const { cell, code, stepMin, stepMax } = ordered[index]!;
      let apart = row[cell]! - previous[cell]!;
      if (apart === 0 && code === INSTANT) apart = row[cell + 1]! - previous[cell + 1]!;
      if (apart < stepMin || apart > stepMax) throw this.#orderFault(bytes, start, ordered[index]!);
    }
  }

  #orderFault(bytes: Uint8Array, start: number, field: Field): FileError {
    return this.#valueFault(bytes, start, this.#fields.indexOf(field), describedOrder(field.column!.order!));
  }

  /** The fault of a field that could not be read, or of the number of fields. */
  #misread(bytes: Uint8Array, start: number, index: number): FileError {
    const texts = this.#textsOf(bytes, start);
    const { column, isOptional, isGiven } = this.#fields[index]!;
    if (texts.length !== this.#fields.length) {
      const what = `the row has ${texts.length} fields, the header ${this.#fields.length}`;
      return this.#fault(what, Math.min(texts.length, this.#fields.length));
    }
    if (column === null) return this.#fault(STRAY_RETURN, index + 1);
    if (isOptional && isGiven !== null && (texts[index] === '') === isGiven) {
      return this.#valueFault(bytes, start, index, `is ${isGiven ? 'empty' : 'given'}, unlike in the rows before`);
    }
    return this.#valueFault(bytes, start, index, `is not ${described(column.values)}`);
  }

  #valueFault(bytes: Uint8Array, start: number, index: number, what: string): FileError {
    return this.#fault(`${shown(this.#textsOf(bytes, start)[index] ?? '')} ${what}`, index + 1);
  }

  #fault(what: string, fieldNumber = 0): FileError {
    const name = this.#fields[fieldNumber - 1]?.name ?? '';
    const column = fieldNumber > 0 ? { column: { number: fieldNumber, name } } : {};
    return new FileError({ file: this.#file, line: this.#line, ...column }, what);
  }

  #tooLong(): FileError {
    return this.#fault(`the row has more than ${ROW_BYTES_MAX} bytes; a quote may not be closed`);
  }

  #fieldNamed(name: string): number {
    return this.#fields.findIndex((field) => field.column !== null && field.name === name);
  }

  #textsOf(bytes: Uint8Array, start: number): string[] {
    const end = bytes.indexOf(LINE_FEED, start);
    return namesIn(bytes.subarray(start, end + 1));
  }
}

/** The names in the header row of a file; none when it has no header of RFC 4180. */
export function headerNames(bytes: Uint8Array): readonly string[] {
  const header = new QuotedRecord();
  const end = header.read(bytes, startOf(bytes));
  return end === null ? [] : namesIn(header.bytes());
}

/** The place of the header row. */
function startOf(bytes: Uint8Array): number {
  return BYTE_ORDER_MARK.every((byte, index) => bytes[index] === byte) ? BYTE_ORDER_MARK.length : 0;
}

function namesIn(record: Uint8Array): string[] {
  return decoded(record)
    .replace(/\r?\n$/, '')
    .split(',')
    .map(withoutMarks);
}

/** A text of the file as error messages show it. */
function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text);
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}
