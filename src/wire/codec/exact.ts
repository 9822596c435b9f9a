import { INTEGER_TEXT_CHARACTERS_MAX } from '../../model/limits.js';
import { CodecError } from './codec-error.js';

const INTEGER_TEXT = /^-?\d+$/;

/** An integer that a double holds exactly, as the id or unit that the caller's type names. */
export function integer<Unit extends number>(value: number, field: string): Unit {
  if (!Number.isSafeInteger(value)) throw new CodecError(`${field}: ${value} is not an integer below 2^53`);
  return value as Unit;
}

export function integerOrNull<Unit extends number>(value: number | null, field: string): Unit | null {
  return value === null ? null : integer(value, field);
}

/** An instant or a span: a whole millisecond is not asked for, a number is. */
export function time<Unit extends number>(value: number, field: string): Unit {
  if (!Number.isFinite(value)) throw new CodecError(`${field}: ${value} is not a time in ms`);
  return value as Unit;
}

export function timeOrNull<Unit extends number>(value: number | null, field: string): Unit | null {
  return value === null ? null : time(value, field);
}

/** The decimal text of a sum; zero is the empty text, which is not written at all. */
export function integerText(sum: bigint): string {
  return sum === 0n ? '' : sum.toString();
}

/** A number of so many characters is exact in a double. */
const EXACT_CHARACTERS = 15;

/** Reads what integerText wrote. Bounded, for reading a number takes more than linear time in its digits. */
export function bigInteger<Unit extends bigint>(text: string, field: string): Unit {
  if (text === '') return 0n as Unit;
  // Most sums are short, and a number becomes a bigint sooner than a text does.
  const short = text.length <= EXACT_CHARACTERS ? Number(text) : NaN;
  if (Number.isSafeInteger(short)) return BigInt(short) as Unit;
  if (text.length > INTEGER_TEXT_CHARACTERS_MAX || !INTEGER_TEXT.test(text)) {
    throw new CodecError(`${field}: not the text of an integer of at most ${INTEGER_TEXT_CHARACTERS_MAX} characters`);
  }
  return BigInt(text) as Unit;
}
