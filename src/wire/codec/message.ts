/// <reference lib="es2024.string" />
import protobuf from 'protobufjs/minimal.js';
import { INTEGER_TEXT_CHARACTERS_MAX } from '../../domain/limits/process.js';
import type { PerLeg } from '../../domain/pair.js';

interface Encoder<Properties> {
  encode(message: Properties, writer: protobuf.Writer): protobuf.Writer;
}

interface Decoder<Message> {
  decode(bytes: Uint8Array): Message;
}

/** Kept between messages, so that its buffer grows only once. */
let spareWriter: protobuf.Writer | null = null;

/**
 * Encodes a message. Later messages do not overwrite the bytes. They may be a view of a larger pool, whose `buffer`
 * must not be transferred.
 */
export function bytesOf<Properties>(encoder: Encoder<Properties>, message: Properties): Uint8Array {
  const writer = spareWriter ?? protobuf.Writer.create();
  // Removed while in use: a writer that failed in the middle of a message is not used again.
  spareWriter = null;
  const bytes = encoder.encode(message, writer).finish();
  spareWriter = writer.reset();
  return bytes;
}

/**
 * Decodes a message and maps it to the model. The result has no view of the bytes, which may be in shared memory.
 * Throws CodecError for any invalid bytes.
 */
export function modelOf<Message, Model>(
  name: string,
  decoder: Decoder<Message>,
  map: (message: Message) => Model,
  bytes: Uint8Array,
): Model {
  try {
    return map(decoder.decode(bytes));
  } catch (cause) {
    if (cause instanceof CodecError) throw cause;
    throw new CodecError(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/**
 * The bytes are no known message: truncated, damaged, or written by a newer version with an unknown kind or value.
 * The error names the protobuf message, and the field if known.
 */
export class CodecError extends Error {
  override readonly name = 'CodecError';
}

/** A oneof without a known kind: it is absent, or a newer version added the kind. */
export function unknownKind(message: string): never {
  throw new CodecError(`${message}.kind: absent, or a kind this version does not know`);
}

/** Maps an optional value. */
export function orNull<From, To>(value: From | null, map: (value: From) => To): To | null {
  return value === null ? null : map(value);
}

/** Returns a required part. Throws CodecError when it is absent. */
export function required<Part>(part: Part | null, field: string): Part {
  if (part === null) throw new CodecError(`${field}: absent`);
  return part;
}

/** Maps a list with an entry for each leg. Throws CodecError unless it has one or two. */
export function perLeg<From, To>(list: readonly From[], map: (entry: From) => To, field: string): PerLeg<To> {
  const [first, second] = list;
  if (first === undefined || list.length > 2) throw new CodecError(`${field}: ${list.length}, not 1 or 2`);
  return second === undefined ? [map(first)] : [map(first), map(second)];
}

/**
 * Refuses text that UTF-8 cannot encode. In the journal it would be unreadable. Every free text of a client passes
 * here once, when its command is encoded.
 */
export function refuseLoneSurrogates(text: string | null, field: string): void {
  if (text !== null && !text.isWellFormed()) throw new CodecError(`${field}: holds half of a surrogate pair`);
}

const INTEGER_TEXT = /^-?\d+$/;

/** Checks that a double is an exact integer. Returns it as the caller's id or unit. */
export function integer<Unit extends number>(value: number, field: string): Unit {
  if (!Number.isSafeInteger(value)) throw new CodecError(`${field}: ${value} is not an integer below 2^53`);
  return value as Unit;
}

export function integerOrNull<Unit extends number>(value: number | null, field: string): Unit | null {
  return value === null ? null : integer(value, field);
}

/** Checks that an instant or a span is a finite number. It need not be a whole millisecond. */
export function time<Unit extends number>(value: number, field: string): Unit {
  if (!Number.isFinite(value)) throw new CodecError(`${field}: ${value} is not a time in ms`);
  return value as Unit;
}

export function timeOrNull<Unit extends number>(value: number | null, field: string): Unit | null {
  return value === null ? null : time(value, field);
}

/** Decimal text of a sum. Zero is the empty text, which takes no bytes. */
export function integerText(sum: bigint): string {
  return sum === 0n ? '' : sum.toString();
}

/** A number with at most this many characters is exact in a double. */
const EXACT_CHARACTERS = 15;

/** Parses the text of integerText. The length is bounded, because parsing takes more than linear time. */
export function bigInteger<Unit extends bigint>(text: string, field: string): Unit {
  if (text === '') return 0n as Unit;
  // Most sums are short, and a bigint from a number is faster than from a text.
  const short = text.length <= EXACT_CHARACTERS ? Number(text) : NaN;
  if (Number.isSafeInteger(short)) return BigInt(short) as Unit;
  if (text.length > INTEGER_TEXT_CHARACTERS_MAX || !INTEGER_TEXT.test(text)) {
    throw new CodecError(`${field}: not the text of an integer of at most ${INTEGER_TEXT_CHARACTERS_MAX} characters`);
  }
  return BigInt(text) as Unit;
}

/** A step of a grid on the wire: 0 for 1, which is usual and takes no bytes. */
export function wireStepOf(step: number): number {
  return step === 1 ? 0 : step;
}

/** Reads the number of wireStepOf. */
export function stepOf(step: number, field: string): number {
  return integer<number>(step, field) || 1;
}
