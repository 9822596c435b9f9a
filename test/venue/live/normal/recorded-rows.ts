import { Big } from 'big.js';
import { memberOf, type JsonObject } from '../../../../src/venue/live/json/json-fields.js';
import type { ReportFinding } from '../../../../src/venue/live/normal/message.js';

/** A raw message, by path: `at(raw, 'o', 'i')`. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      Array.isArray(inner) ? (inner as readonly unknown[])[Number(key)] : memberOf(inner as JsonObject, String(key)),
    value,
  );
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

/** Equal as texts, as decimals, or as null and an empty text. */
export function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (isEmpty(left) || isEmpty(right)) return isEmpty(left) && isEmpty(right);
  try {
    return new Big(String(left)).eq(new Big(String(right)));
  } catch {
    return String(left) === String(right);
  }
}

export type Members = Readonly<Record<string, unknown>>;

/** The members of records that differ from what the raw message says. */
export function wrongMembers(records: readonly unknown[], expected: readonly Members[]): string[] {
  const wrong = records.length === expected.length ? [] : [`${records.length} records instead of ${expected.length}`];
  for (const [index, members] of expected.entries()) {
    for (const [name, value] of Object.entries(members)) {
      const got = at(records[index], ...name.split('.'));
      if (!isSame(got, value))
        wrong.push(`${index}.${name}: ${JSON.stringify(got)} instead of ${JSON.stringify(value)}`);
    }
  }
  return wrong;
}

export type Reader = (raw: unknown, report: ReportFinding) => readonly unknown[];

export interface Row {
  readonly file: string;
  readonly reader: Reader;
  readonly expected: (raw: unknown) => readonly Members[];
}

export function list(raw: unknown): readonly unknown[] {
  return Array.isArray(raw) ? raw : [];
}

export function one<Result>(reader: (raw: unknown, report: ReportFinding) => Result | null): Reader {
  return (raw, report) => {
    const result = reader(raw, report);
    return result === null ? [] : [result];
  };
}

export function many(
  reader: (raw: unknown, report: ReportFinding) => { readonly records: readonly unknown[] },
): Reader {
  return (raw, report) => reader(raw, report).records;
}
