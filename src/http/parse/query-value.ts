import type { ExchangeCode, Venue } from '../../model/exchange.js';
import { EXCHANGE_CODES } from '../../model/exchange.js';
import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
import { choiceOf, shown } from './json-field.js';
import { parseSubaccount } from './order-text.js';
import { parseTradingVenue } from './order-subject.js';
import { singleValue, type Query } from './query-string.js';

/** An integer of at most 16 digits within [min, max], safe integers; null when absent. */
export function integerValue(query: Query, name: string, min: number, max: number): OrRejection<number | null> {
  const text = singleValue(query, name);
  if (text === null || isRejected(text)) return text;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  return reject('INVALID_PARAM', `${name} ${shown(text)} is not an integer from ${min} to ${max}`);
}

/** true or false in any case; false when absent. */
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
