import { reject, isRejected, type OrRejection } from '../../model/rejection.js';
import { choiceOf, isAbsent, isJsonObject, shown, stepsOf, type JsonObject } from './json-field.js';

/** One of `names` in any letter case, or the fallback when the field is absent. */
export function parseChoice<Name extends string, Fallback>(
  object: JsonObject,
  path: string,
  names: readonly Name[],
  fallback: Fallback,
): OrRejection<Name | Fallback> {
  const value = object[nameOf(path)];
  if (isAbsent(value)) return fallback;
  return choiceOf(names, value) ?? reject('INVALID_PARAM', `${path} ${shown(value)} is not one of ${names.join(', ')}`);
}

export function parseFlag(object: JsonObject, path: string): OrRejection<boolean> {
  const value = object[nameOf(path)];
  if (isAbsent(value)) return false;
  return typeof value === 'boolean' ? value : reject('INVALID_PARAM', `${path} ${shown(value)} is not true or false`);
}

export interface StepRange {
  /** Digits behind the point that count; the answer is in units of 10^-precision. */
  readonly precision: number;
  /** In the answer's units, both included. */
  readonly least: number;
  readonly most: number;
  /** For people; that no more digits count is said apart. */
  readonly rule: string;
}

/** A decimal of the range, or the fallback when the field is absent. */
export function parseNumber<Fallback>(
  object: JsonObject,
  path: string,
  { precision, least, most, rule }: StepRange,
  fallback: Fallback,
): OrRejection<number | Fallback> {
  const value = object[nameOf(path)];
  if (isAbsent(value)) return fallback;
  const steps = stepsOf(value, precision);
  if (typeof steps === 'number' && steps >= least && steps <= most) return steps;
  if (steps === 'off the grid' && precision > 0) {
    return reject('INVALID_PARAM', `${path} ${shown(value)} has more than ${precision} digits behind the point`);
  }
  return reject('INVALID_PARAM', `${path} ${shown(value)} is not ${rule}`);
}

/** Reads an object within `params` that may be absent. */
export function parseNested<Parsed>(
  object: JsonObject,
  path: string,
  parse: (nested: JsonObject) => OrRejection<Parsed>,
): OrRejection<Parsed | null> {
  const value = object[nameOf(path)];
  if (isAbsent(value)) return null;
  if (!isJsonObject(value)) return reject('INVALID_PARAM', `${path} is ${shown(value)}, not an object`);
  const parsed = parse(value);
  return isRejected(parsed) ? { rejection: parsed.rejection } : parsed;
}

/** `params.would.would_pct` names the member `would_pct`. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
