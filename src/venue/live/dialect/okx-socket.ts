import { asObject, memberOf } from '../json/json-fields.js';
import { WrongRequest } from '../wire-guard.js';

/*
 * Requests about orders on OKX's private socket, which has logged on. Their members are those of REST, except that an
 * instrument has its number there: `instIdCode` instead of `instId`.
 */

/** What the service does with orders on the socket. It amends none. */
export type OkxOperation = 'order' | 'cancel-order';

/** How a request names its instrument. */
export interface OkxInstrumentCode {
  readonly instId: string;
  readonly instIdCode: number;
}

/**
 * The text of a request. `fields`: as in REST. `expTime`: the exchange refuses an order that it gets later; null: for a
 * cancel, which the exchange takes at any time.
 */
export function socketRequest(
  id: string,
  op: OkxOperation,
  fields: Readonly<Record<string, unknown>>,
  { instIdCode, expTime }: { readonly instIdCode: number; readonly expTime: string | null },
): string {
  const { instId: _replaced, ...members } = fields;
  return JSON.stringify({ id, op, args: [{ instIdCode, ...members }], ...(expTime !== null && { expTime }) });
}

/**
 * The order in the text of an outgoing request, as the body of a REST request; null: it places none. Throws
 * WrongRequest for another instrument or expiry, for several orders, and for an operation that would change an order in
 * another way.
 */
export function orderInRequest(
  text: string,
  { instId, instIdCode, expTime }: OkxInstrumentCode & { readonly expTime: string | null },
): string | null {
  const request = asObject(JSON.parse(text));
  const [op, args] = [memberOf(request, 'op'), memberOf(request, 'args')];
  const names = expTime === null ? 'id op args' : 'id op args expTime';
  if (Object.keys(request ?? {}).join(' ') !== names) throw new WrongRequest('an unknown member');
  const members = Array.isArray(args) && args.length === 1 ? asObject((args as readonly unknown[])[0]) : null;
  if (members === null) throw new WrongRequest('the request has not one order');
  const { instIdCode: code, ...others } = members;
  if (code !== instIdCode || 'instId' in others) throw new WrongRequest(`the instrument is ${String(code)}`);
  if (op === 'cancel-order') return null;
  if (op !== 'order') throw new WrongRequest(`no order is placed by ${String(op)}`);
  if (expTime === null || memberOf(request, 'expTime') !== expTime) throw new WrongRequest('the order has no expiry');
  return JSON.stringify({ instId, ...others });
}

/** The instrument numbers in an answer of GET /api/v5/public/instruments. Entries without a number are left out. */
export function instrumentCodes(answer: unknown): readonly OkxInstrumentCode[] {
  const data = memberOf(asObject(answer), 'data');
  return (Array.isArray(data) ? (data as readonly unknown[]) : []).flatMap((entry) => {
    const market = asObject(entry);
    const [instId, instIdCode] = [memberOf(market, 'instId'), memberOf(market, 'instIdCode')];
    const isCode = typeof instIdCode === 'number' && Number.isSafeInteger(instIdCode) && instIdCode > 0;
    return typeof instId === 'string' && isCode ? [{ instId, instIdCode }] : [];
  });
}

/**
 * Codes with which the exchange refuses a connection or a number of an instrument, and never an order for its terms.
 */
const NOT_LOGGED_ON = 60011;
const BAD_NUMBER: ReadonlySet<unknown> = new Set([50014, 51001]);

/**
 * Why the socket, and not the exchange, has refused a request: nothing was carried out, and REST may take it. null:
 * another error.
 */
export function socketRefusal({ code }: { readonly code: number | null }): 'LOGIN' | 'INSTRUMENT' | null {
  if (code === NOT_LOGGED_ON) return 'LOGIN';
  return BAD_NUMBER.has(code) ? 'INSTRUMENT' : null;
}
