import type { Venue } from '../../../domain/exchange.js';
import type { Side } from '../../../domain/order.js';
import { asObject, JsonFields, shown } from '../json/json-fields.js';

/** Something in a message that was not expected. */
export interface MessageFinding {
  readonly venue: Venue;
  /**
   * UNREADABLE: the message, or one element of its list, gave no record. UNKNOWN: a new member or value; it was read.
   */
  readonly kind: 'UNREADABLE' | 'UNKNOWN';
  /** The kind of message, by the exchange's name. */
  readonly type: string;
  readonly message: string;
}

export type ReportFinding = (finding: MessageFinding) => void;

/** Where a message comes from, and who learns of findings. The recipient removes repeated findings. */
export interface Source {
  readonly venue: Venue;
  readonly type: string;
  readonly report: ReportFinding;
}

/** Builds one record from an object; null and a finding when it is no object or a member is unreadable. */
export function readObject<Result>(
  source: Source,
  value: unknown,
  build: (fields: JsonFields) => Result,
): Result | null {
  const object = asObject(value);
  if (object === null) {
    unreadable(source, 'the message is no object');
    return null;
  }
  const fields = new JsonFields(object, (message) => unknown(source, message));
  const result = build(fields);
  if (fields.problem === null) return result;
  unreadable(source, fields.problem);
  return null;
}

/** Records of a list. A list with unreadable elements proves nothing about what is absent from it. */
export interface ListRead<Result> {
  readonly records: readonly Result[];
  readonly isComplete: boolean;
}

/** The most elements that a list of an exchange may have. */
const ELEMENTS_MAX = 50_000;

/** Builds a record from each object of an array. Unreadable elements are left out and reported. */
export function readList<Result>(
  source: Source,
  values: unknown,
  build: (fields: JsonFields) => Result,
): ListRead<Result> {
  if (!Array.isArray(values) || values.length > ELEMENTS_MAX) {
    unreadable(source, 'the list is no array, or too long');
    return { records: [], isComplete: false };
  }
  const records: Result[] = [];
  for (const value of values as readonly unknown[]) {
    const record = readObject(source, value, build);
    if (record !== null) records.push(record);
  }
  return { records, isComplete: records.length === values.length };
}

export function unreadable({ venue, type, report }: Source, message: string): void {
  report({ venue, kind: 'UNREADABLE', type: shown(type), message });
}

export function unknown({ venue, type, report }: Source, message: string): void {
  report({ venue, kind: 'UNKNOWN', type: shown(type), message });
}

/** The side of the order that took liquidity. */
export function takerSide(isBuyerMaker: boolean): Side {
  return isBuyerMaker ? 'SELL' : 'BUY';
}

/** Exchanges write a price of 0 where there is none. */
export function priceOrNull(text: string | null): string | null {
  return text === '0' ? null : text;
}

/** A decimal text with the opposite sign. */
export function negated(text: string): string {
  if (text === '0') return text;
  return text.startsWith('-') ? text.slice(1) : `-${text}`;
}

/** Names the elements of an array, so that they are read as members of an object. */
export function named(values: unknown, names: readonly string[]): Readonly<Record<string, unknown>> | null {
  if (!Array.isArray(values)) return null;
  const elements = values as readonly unknown[];
  return Object.fromEntries(names.map((name, index) => [name, elements[index]]));
}
