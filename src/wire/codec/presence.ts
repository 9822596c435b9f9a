import { CodecError } from './codec-error.js';

/** Maps what may be absent. */
export function orNull<From, To>(value: From | null, map: (value: From) => To): To | null {
  return value === null ? null : map(value);
}

/** A part without which the message means nothing. */
export function required<Part>(part: Part | null, field: string): Part {
  if (part === null) throw new CodecError(`${field}: absent`);
  return part;
}
