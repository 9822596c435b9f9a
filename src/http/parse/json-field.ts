import { QUOTED_CHARACTERS_MAX } from '../../model/limits.js';
import { parseSteps, type StepFailure } from '../../model/quantity.js';

/** A JSON object whose members nobody has looked at. */
export type JsonObject = { readonly [name: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** null counts as absent. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** A client's value as a message quotes it: bounded, and without building the text of a large one. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const isLong = typeof value === 'string' && value.length > QUOTED_CHARACTERS_MAX;
  return JSON.stringify(isLong ? `${value.slice(0, QUOTED_CHARACTERS_MAX)}…` : value);
}

/**
 * The decimal text of a request's number: a string as it is, a JSON number by its shortest decimal form (never with an
 * exponent). null for anything else; whether the text is a decimal is for `parseSteps` to say.
 */
export function decimalText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value !== 'number') return null;
  const text = String(value);
  return text.includes('e') ? withoutExponent(text) : text;
}

/** `1.5e-7` → `0.00000015`. A minus sign ends up where no decimal may have it, and is refused there. */
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

/** The member of `names` that equals the value in any case; null when none does. */
export function choiceOf<Name extends string>(names: readonly Name[], value: unknown): Name | null {
  if (typeof value !== 'string') return null;
  for (const name of names) if (name === value) return name;
  const upper = value.toUpperCase();
  return names.find((name) => name === upper) ?? null;
}

/** Members that are not absent, of these names. */
export function present(object: JsonObject, names: readonly string[]): { [name: string]: unknown } {
  return Object.fromEntries(names.filter((name) => !isAbsent(object[name])).map((name) => [name, object[name]]));
}
