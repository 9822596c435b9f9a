import { ABSENT, INSTANT_DIGITS } from './columns.js';
import { type Field, SKIP, textValueOf, WORD, wordIn } from './field.js';

/*
 * Functions that read the value of a field into the cells of a row. They return the place after the value; FAULT when
 * it is not as declared. What follows the value is the caller's check.
 */

const FAULT = -1;
const [LINE_FEED, RETURN, COMMA, POINT, ZERO, ONE, NINE] = [10, 13, 44, 46, 48, 49, 57];
const DIGITS_BELOW_MICROSECOND = 3;
const POWERS = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent);

/**
 * Reads the usual decimal: it is on the grid and in its range, and a field follows it. Leaves all others to readSteps.
 * Short, because the engine then makes it a part of the loop over the fields.
 */
export function readPlainSteps(bytes: Uint8Array, start: number, field: Field, row: Float64Array): number {
  let at = start;
  let value = 0;
  let missing = field.precision;
  let byte = bytes[at]!;
  for (; byte >= ZERO && byte <= NINE; byte = bytes[(at += 1)]!) value = value * 10 + (byte - ZERO);
  if (byte === POINT && at > start) {
    byte = bytes[(at += 1)]!;
    for (; missing > 0 && byte >= ZERO && byte <= NINE; byte = bytes[(at += 1)]!) {
      value = value * 10 + (byte - ZERO);
      missing -= 1;
    }
    while (byte === ZERO) byte = bytes[(at += 1)]!;
  }
  value *= POWERS[missing]!;
  const isUsual = field.isPlain && (byte === COMMA || byte === LINE_FEED) && bytes[at - 1]! >= ZERO;
  if (!isUsual || value < field.min || value > field.max) return readSteps(bytes, start, field, row);
  row[field.cell] = value;
  return at;
}

/** Reads any decimal, and an empty field of an optional column. */
function readSteps(bytes: Uint8Array, start: number, field: Field, row: Float64Array): number {
  let at = start;
  let value = 0;
  let byte = bytes[at]!;
  for (; byte >= ZERO && byte <= NINE; byte = bytes[(at += 1)]!) value = value * 10 + (byte - ZERO);
  if (at === start) return isFieldEnd(byte) && isAbsent(field, row) ? at : FAULT;
  let missing = field.precision;
  let isMore = false;
  if (byte === POINT) {
    byte = bytes[(at += 1)]!;
    if (!(byte >= ZERO && byte <= NINE)) return FAULT;
    for (; missing > 0 && byte >= ZERO && byte <= NINE; byte = bytes[(at += 1)]!) {
      value = value * 10 + (byte - ZERO);
      missing -= 1;
    }
    for (; byte >= ZERO && byte <= NINE; byte = bytes[(at += 1)]!) if (byte > ZERO) isMore = true;
  }
  if (missing > 0) value *= POWERS[missing]!;
  if (field.step !== 1) {
    isMore ||= value % field.step !== 0;
    value = Math.floor(value / field.step);
  }
  if (isMore && !field.isRounded) return FAULT;
  if (value > field.max || (value < field.min && !isMore)) return FAULT;
  row[field.cell] = value;
  return !field.isOptional || isPresent(field) ? at : FAULT;
}

/** Passes a field whose value is no plain digits, and reads it where it is declared. */
export function readText(bytes: Uint8Array, start: number, field: Field, row: Float64Array): number {
  let at = start;
  // Nearly all characters are above the separators.
  while (bytes[at]! > COMMA || !isFieldEnd(bytes[at]!)) at += 1;
  if (field.code === SKIP) return at;
  if (at === start && field.isOptional) return isAbsent(field, row) ? at : FAULT;
  const value = field.code === WORD ? wordIn(field.words, bytes, start, at) : textValueOf(field, bytes, start, at);
  row[field.cell] = value;
  return value >= 0 && (!field.isOptional || isPresent(field)) ? at : FAULT;
}

export function readInstant(bytes: Uint8Array, start: number, field: Field, row: Float64Array): number {
  let at = start;
  let byte = bytes[at]!;
  if (!(byte >= ONE)) return FAULT;
  const end = at + INSTANT_DIGITS;
  const microsEnd = end - DIGITS_BELOW_MICROSECOND;
  let micros = 0;
  for (; at < microsEnd && byte >= ZERO && byte <= NINE; byte = bytes[(at += 1)]!) micros = micros * 10 + (byte - ZERO);
  let nanos = 0;
  for (; at < end && byte >= ZERO && byte <= NINE; byte = bytes[(at += 1)]!) nanos = nanos * 10 + (byte - ZERO);
  row[field.cell] = micros;
  row[field.cell + 1] = nanos;
  return at === end ? at : FAULT;
}

/** True when the field may be empty in this row. */
function isAbsent(field: Field, row: Float64Array): boolean {
  if (!field.isOptional || field.isGiven === true) return false;
  field.isGiven = false;
  row[field.cell] = ABSENT;
  return true;
}

/** True when the optional field may have a value in this row. */
function isPresent(field: Field): boolean {
  if (field.isGiven === false) return false;
  field.isGiven = true;
  field.isPlain = field.step === 1;
  return true;
}

function isFieldEnd(byte: number): boolean {
  return byte === COMMA || byte === LINE_FEED || byte === RETURN;
}
