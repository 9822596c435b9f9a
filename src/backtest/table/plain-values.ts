/** Values that are read from text, because they need no exact arithmetic. Negative: not as declared. */

const NUMBER = /^\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?$/;
/** A date and time in UTC, with or without its zone. */
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.\d{1,9})?(?:Z|\+00:?00)?$/;
const MICROSECONDS_FROM = 1e14;
const MILLISECONDS_FROM = 1e11;
/** 2001, in seconds. */
const SECONDS_FROM = 1e9;
const NONE = -1;

export function numberOf(text: string, { min, max }: { readonly min: number; readonly max: number }): number {
  const value = NUMBER.test(text) ? Number(text) : NONE;
  return value >= min && value <= max ? value : NONE;
}

/** Milliseconds since 1970, without the fractions of a second of a date. */
export function timeOf(text: string): number {
  const [, date, time] = DATE_TIME.exec(text) ?? [];
  if (date !== undefined) return millisecondsOf(`${date}T${time}Z`);
  const count = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : NONE;
  if (count >= MICROSECONDS_FROM) return count / 1000;
  if (count >= MILLISECONDS_FROM) return count;
  return count >= SECONDS_FROM ? count * 1000 : NONE;
}

/** Dates that the calendar does not have, such as February 30, are refused, although the engine reads some of them. */
function millisecondsOf(iso: string): number {
  const atMs = Date.parse(iso);
  return Number.isNaN(atMs) || new Date(atMs).toISOString().slice(0, 19) !== iso.slice(0, 19) ? NONE : atMs;
}
