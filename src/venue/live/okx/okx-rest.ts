import type { OkxOperation } from '../dialect/okx-socket.js';
import { type ExchangeError, messageIn, type Outcome, type RestAnswer, sendByRest } from '../exchange-requests.js';
import { asObject, memberOf } from '../json/json-fields.js';
import type { HttpRequest, HttpsClient } from '../transport/https-client.js';
import { type OkxKey, signedHeaders } from '../transport/okx-signature.js';
import { pathWith, queryText, restTarget, type RestName } from '../transport/rest-form.js';
import { WrongRequest } from '../wire-guard.js';

/** One request of the V5 interface. The exchange counts each one for itself, in intervals of two seconds. */
export interface OkxCall {
  readonly rest: RestName;
  /** Its operation on the private socket; absent: not there. */
  readonly socket?: OkxOperation;
  /** Requests in two seconds: of the account, or of the account in one instrument. */
  readonly max: number;
  readonly isPerInstrument?: boolean;
}

/** The last look at an order before it leaves, and the header with its expiry. */
export interface OrderCheck {
  readonly expiresAtMs: number;
  /** Gets the body that leaves. Throws WrongRequest when it differs from the child. */
  readonly check: (body: string) => void;
}

interface OkxRestParts {
  readonly http: Pick<HttpsClient, 'send'>;
  /** `https://` and a host. */
  readonly origin: string;
  /** null: public requests alone. */
  readonly key: OkxKey | null;
  /** Time of the exchange in whole milliseconds. */
  readonly timestampMs: () => number;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
}

const TRADE = '/api/v5/trade/';
/** Paths of requests that need no key. */
const PUBLIC = ['/api/v5/public/', '/api/v5/market/'];
const ERROR_STATUS = 400;

/** Writes, signs and sends the requests of one account by REST. */
export class OkxRest {
  readonly #parts: OkxRestParts;

  constructor(parts: OkxRestParts) {
    this.#parts = parts;
  }

  send(call: OkxCall, fields: Readonly<Record<string, unknown>>, order: OrderCheck | undefined): Promise<Outcome> {
    return sendByRest(this.#parts.http, {
      write: () => this.#write(call, fields, order),
      errorOf: okxErrorOf,
    });
  }

  #write({ rest }: OkxCall, fields: Readonly<Record<string, unknown>>, order: OrderCheck | undefined): HttpRequest {
    const { origin, key, timestampMs, headers } = this.#parts;
    const { method, path: plain } = restTarget(rest);
    const body = method === 'GET' ? null : JSON.stringify(fields);
    const path = body === null ? pathWith(plain, queryText(fields)) : plain;
    const expiry = body === null ? {} : orderHeaders(plain, body, order);
    const request = { method, origin, path, body };
    if (PUBLIC.some((start) => path.startsWith(start))) return { ...request, headers };
    if (key === null) throw new WrongRequest(`${rest} needs a key`);
    const signed = signedHeaders(key, { method, path, body }, timestampMs());
    const form = body === null ? {} : { 'content-type': 'application/json' };
    return { ...request, headers: { ...headers, ...signed, ...form, ...expiry } };
  }
}

/**
 * The further headers of a change, after the last look at an order. Throws WrongRequest for one that places orders in
 * another way: several of them, or orders with triggers.
 */
function orderHeaders(path: string, body: string, order: OrderCheck | undefined): Readonly<Record<string, string>> {
  const action = path.startsWith(TRADE) ? path.slice(TRADE.length) : '';
  if (action === 'cancel-order') return {};
  if (action !== 'order') throw new WrongRequest(`no order is placed by ${path}`);
  if (order === undefined) throw new WrongRequest('an order leaves without its check');
  order.check(body);
  return { expTime: expiryText(order) };
}

/** When the exchange refuses an order that it has not got before, as it writes times. */
export function expiryText({ expiresAtMs }: Pick<OrderCheck, 'expiresAtMs'>): string {
  return String(Math.round(expiresAtMs));
}

/**
 * The error that an answer states, by REST or on a socket. A request about one order has the code of its refusal in
 * `sCode`; the code of the answer says only that it failed. null: it states none.
 */
export function okxErrorOf({ status, text, body }: Pick<RestAnswer, 'status' | 'text' | 'body'>): ExchangeError | null {
  const answer = asObject(body);
  const code = memberOf(answer, 'code');
  if (status < ERROR_STATUS && code === '0') return null;
  const data = memberOf(answer, 'data');
  const [order] = Array.isArray(data) ? (data as readonly unknown[]) : [];
  const ofOrder = codeOf(memberOf(asObject(order), 'sCode'));
  const [own, message] =
    ofOrder === null ? [codeOf(code), memberOf(answer, 'msg')] : [ofOrder, memberOf(asObject(order), 'sMsg')];
  return { status, code: own, message: messageIn(message, text), retryAfterMs: null };
}

/** A code may have a sub-code after a line: `51008_1000`. */
function codeOf(value: unknown): number | null {
  const match = typeof value === 'string' ? /^(\d{1,6})(?:_\d+)?$/.exec(value) : null;
  return match === null ? null : Number(match[1]);
}
