import { QUOTED_CHARACTERS_MAX } from '../../domain/limits/clients.js';
import { asciiUpper } from '../../domain/letter-case.js';
import { parseSteps, type StepFailure } from '../../domain/quantity.js';

/** A JSON object with unchecked members. */
export type JsonObject = { readonly [name: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** null counts as absent. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Text of a client's value for a message. Its length is bounded. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const isLong = typeof value === 'string' && value.length > QUOTED_CHARACTERS_MAX;
  return JSON.stringify(isLong ? `${value.slice(0, QUOTED_CHARACTERS_MAX)}…` : value);
}

/**
 * Decimal text of a number in a request: a string as it is, a JSON number in its shortest form without an exponent.
 * null for other types. `parseSteps` checks whether a string is a decimal.
 */
export function decimalText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return null;
  const text = String(value);
  return text.includes('e') ? withoutExponent(text) : text;
}

/** `1.5e-7` → `0.00000015`. A minus sign ends up inside the text, so that `parseSteps` refuses it. */
function withoutExponent(text: string): string {
  const [mantissa = '', exponent = ''] = text.split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const shift = Number(exponent);
  if (shift < 0) return `0.${'0'.repeat(-shift - 1)}${whole}${fraction}`;
  return whole + fraction + '0'.repeat(shift - fraction.length);
}

/** Reads a request's number as an integer count of steps of 10^-precision, exactly. */
export function stepsOf(value: unknown, precision: number): number | StepFailure {
  const text = decimalText(value);
  return text === null ? 'not a decimal' : parseSteps(text, precision);
}

/** The name that equals the value in any letter case of ASCII; null without such a name. */
export function choiceOf<Name extends string>(names: readonly Name[], value: unknown): Name | null {
  if (typeof value !== 'string') return null;
  for (const name of names) if (name === value) return name;
  const upper = asciiUpper(value);
  return names.find((name) => name === upper) ?? null;
}

/** Members with these names that are not absent. */
export function present(object: JsonObject, names: readonly string[]): { [name: string]: unknown } {
  return Object.fromEntries(names.filter((name) => !isAbsent(object[name])).map((name) => [name, object[name]]));
}

/** Source of a regular expression, with the flag `u`, for a name: printable characters of any script, no comma. */
export function nameForm(charactersMax: number): string {
  return String.raw`^[^\p{C}\p{Zl}\p{Zp},]{1,${charactersMax}}$`;
}
