import { QUERY_CHARACTERS_MAX } from '../../model/limits.js';
import { reject, type OrRejection } from '../../model/rejection.js';

/** Decoded parameters of a query string: every value of a name, in the order sent. Empty values are left out. */
export type Query = ReadonlyMap<string, readonly string[]>;

const NO_QUERY: Query = new Map();

/** Reads a raw query string (without `?`). `+` stands for a blank. */
export function parseQuery(raw: string): OrRejection<Query> {
  if (raw === '') return NO_QUERY;
  if (raw.length > QUERY_CHARACTERS_MAX) {
    return reject('INVALID_PARAM', `the query string is longer than ${QUERY_CHARACTERS_MAX} characters`);
  }
  const query = new Map<string, string[]>();
  for (const pair of raw.split('&')) {
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1));
    if (name === null || value === null)
      return reject('INVALID_PARAM', 'the query string is not percent-encoded UTF-8');
    if (value === '') continue;
    const values = query.get(name);
    if (values === undefined) query.set(name, [value]);
    else values.push(value);
  }
  return query;
}

/** The value of a parameter that may be given once; null when absent. */
export function singleValue(query: Query, name: string): OrRejection<string | null> {
  const values = query.get(name);
  if (values === undefined) return null;
  return values.length === 1 ? (values[0] as string) : reject('INVALID_PARAM', `${name} is given more than once`);
}

/** Every element of an array parameter: comma-joined, repeated, or both. */
export function arrayValues(query: Query, name: string): readonly string[] {
  return (query.get(name) ?? []).flatMap((value) => value.split(',')).filter((element) => element !== '');
}

function decode(text: string): string | null {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return null;
  }
}
