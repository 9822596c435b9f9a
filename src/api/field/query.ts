import { parseSubaccount, parseTradingVenue } from './field-value.js';
import { EXCHANGE_CODES, type ExchangeCode, type Venue } from '../../domain/exchange.js';
import { QUERY_CHARACTERS_MAX } from '../../domain/limits/clients.js';
import { isRejected, type OrRejection, reject } from '../../domain/rejection.js';
import { choiceOf, shown } from './json-value.js';

/** Decoded parameters of a query string: every value of a name, in the order sent. Empty values are left out. */
export type Query = ReadonlyMap<string, readonly string[]>;

const NO_QUERY: Query = new Map();

/** Reads a raw query string (without `?`). `+` means a space. */
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

/** An integer of at most 16 digits within [min, max], safe integers; null when absent. */
export function integerValue(query: Query, name: string, min: number, max: number): OrRejection<number | null> {
  const text = singleValue(query, name);
  if (text === null || isRejected(text)) return text;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  return reject('INVALID_PARAM', `${name} ${shown(text)} is not an integer from ${min} to ${max}`);
}

/** true or false in any letter case; false when absent. */
export function flagValue(query: Query, name: string): OrRejection<boolean> {
  const text = singleValue(query, name);
  if (text === null) return false;
  if (isRejected(text)) return text;
  const flag = choiceOf(['TRUE', 'FALSE'], text);
  return flag === null ? reject('INVALID_PARAM', `${name} ${shown(text)} is not true or false`) : flag === 'TRUE';
}

/** The required exchange of an account's query. */
export function venueValue(query: Query): OrRejection<Venue> {
  const text = singleValue(query, 'exchange');
  return isRejected(text) ? text : parseTradingVenue(text);
}

/** Any exchange that lists instruments; null when absent. */
export function exchangeValue(query: Query): OrRejection<ExchangeCode | null> {
  const text = singleValue(query, 'exchange');
  if (text === null || isRejected(text)) return text;
  return choiceOf(EXCHANGE_CODES, text) ?? reject('INVALID_EXCHANGE', `exchange ${shown(text)} is unknown`);
}

export function subaccountValue(query: Query): OrRejection<string | null> {
  const text = singleValue(query, 'subaccount');
  return isRejected(text) ? text : parseSubaccount(text);
}
