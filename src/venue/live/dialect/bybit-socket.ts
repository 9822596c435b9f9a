import { asObject, type JsonObject, memberOf } from '../json/json-fields.js';
import { WrongRequest } from '../wire-guard.js';
import type { BybitError } from './bybit-errors.js';
import { BYBIT_RECV_WINDOW_MS, type BybitFields } from './bybit-orders.js';

/* Requests about orders on Bybit's socket `/v5/trade`, which has logged on. Their fields are those of REST. */

/** What the service does with orders on the socket. It amends none. */
export type BybitOperation = 'order.create' | 'order.cancel';

/**
 * The text of a request. `timestampMs`: time of the exchange, from which the request is valid for BYBIT_RECV_WINDOW_MS.
 */
export function socketRequest(id: string, op: BybitOperation, fields: BybitFields, timestampMs: number): string {
  const header = { 'X-BAPI-TIMESTAMP': String(timestampMs), 'X-BAPI-RECV-WINDOW': String(BYBIT_RECV_WINDOW_MS) };
  return JSON.stringify({ reqId: id, header, op, args: [fields] });
}

const HEADERS = 'X-BAPI-TIMESTAMP X-BAPI-RECV-WINDOW';
const MEMBERS = 'reqId header op args';

/**
 * The order in the text of an outgoing request; null: it places none. Throws WrongRequest for a request with another
 * validity, for several orders, and for an operation that would change an order in another way.
 */
export function orderInRequest(text: string): JsonObject | null {
  const request = asObject(JSON.parse(text));
  const header = asObject(memberOf(request, 'header'));
  const [op, args] = [memberOf(request, 'op'), memberOf(request, 'args')];
  if (namesOf(request) !== MEMBERS || namesOf(header) !== HEADERS) throw new WrongRequest('an unknown member');
  const windowMs = memberOf(header, 'X-BAPI-RECV-WINDOW');
  if (windowMs !== String(BYBIT_RECV_WINDOW_MS))
    throw new WrongRequest(`the request is valid for ${String(windowMs)} ms`);
  const fields = Array.isArray(args) && args.length === 1 ? asObject((args as readonly unknown[])[0]) : null;
  if (fields === null) throw new WrongRequest('the request has not one order');
  if (op === 'order.cancel') return null;
  if (op !== 'order.create') throw new WrongRequest(`no order is placed by ${String(op)}`);
  return fields;
}

/** The answer in the form of REST. */
export function restBody(answer: JsonObject): JsonObject {
  const time = Number(memberOf(asObject(memberOf(answer, 'header')), 'Timenow') ?? Number.NaN);
  return { retCode: memberOf(answer, 'retCode'), result: memberOf(answer, 'data'), time };
}

const TOO_MANY_VISITS = 10006;
const OK = 200;

/** The error that an answer states; null: it states none. */
export function errorOfAnswer(answer: JsonObject): BybitError | null {
  const [code, message] = [memberOf(answer, 'retCode'), memberOf(answer, 'retMsg')];
  if (code === 0) return null;
  const header = asObject(memberOf(answer, 'header'));
  const at = (name: string): number => Number(memberOf(header, name) ?? Number.NaN);
  const waitMs = at('X-Bapi-Limit-Reset-Timestamp') - at('Timenow');
  return {
    // The interface has no status of its own.
    status: OK,
    code: typeof code === 'number' ? code : null,
    message: typeof message === 'string' ? message : '',
    retryAfterMs: code === TOO_MANY_VISITS && waitMs >= 0 ? waitMs : null,
  };
}

function namesOf(object: JsonObject | null): string {
  return Object.keys(object ?? {}).join(' ');
}
