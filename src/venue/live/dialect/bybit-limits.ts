import { asObject, memberOf } from '../json/json-fields.js';
import type { BybitCategory } from './bybit-orders.js';

/*
 * Bybit counts the requests of an account to each endpoint in a second, and changes of orders for each product apart.
 * Each signed answer states the limit of its endpoint, which is higher for accounts with a higher level.
 */

/** Requests with one limit: each kind of change of an order at each product, and all reads together. */
export type LimitGroup = 'create' | 'cancel' | 'read' | 'public';

/** What a request counts against. */
export interface CountedRequest {
  readonly group: LimitGroup;
  readonly category: BybitCategory;
}

/** What an answer states of the limit of its endpoint, in requests a second. */
export interface StatedLimit {
  readonly max: number;
  readonly used: number;
}

/** The product that a request counts for. */
export function categoryOf(fields: Readonly<Record<string, unknown>>): BybitCategory {
  return fields['category'] === 'linear' ? 'linear' : 'spot';
}

/** Reads the headers of an answer, or the member `header` of an answer on the socket; null: they state no limit. */
export function statedLimit(headers: unknown): StatedLimit | null {
  const [max, rest] = [countIn(headers, 'x-bapi-limit'), countIn(headers, 'x-bapi-limit-status')];
  return max === null || rest === null || max === 0 || rest > max ? null : { max, used: max - rest };
}

/** Servers between the exchange and this process may change the case of a name. */
function countIn(headers: unknown, lowerName: string): number | null {
  const object = asObject(headers) ?? {};
  const name = Object.keys(object).find((each) => each.toLowerCase() === lowerName);
  const text = name === undefined ? undefined : memberOf(object, name);
  return typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
