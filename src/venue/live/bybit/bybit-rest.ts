import type { BybitOperation } from '../dialect/bybit-socket.js';
import type { LimitGroup } from '../dialect/bybit-limits.js';
import type { BybitError } from '../dialect/bybit-errors.js';
import { BYBIT_RECV_WINDOW_MS, type BybitFields } from '../dialect/bybit-orders.js';
import { messageIn, type Outcome, type RestAnswer, sendByRest } from '../exchange-requests.js';
import { asObject, memberOf } from '../json/json-fields.js';
import { type BybitKey, signedHeaders } from '../transport/bybit-signature.js';
import type { HttpAnswer, HttpRequest, HttpsClient } from '../transport/https-client.js';
import { pathWith, queryText, restTarget, type RestName } from '../transport/rest-form.js';
import { WrongRequest } from '../wire-guard.js';

/** One request of the exchange's API, and what it counts against. */
export interface BybitCall {
  readonly rest: RestName;
  /** Its operation on the socket for orders; absent: not there. */
  readonly socket?: BybitOperation;
  readonly group: LimitGroup;
}

interface BybitRestParts {
  readonly http: Pick<HttpsClient, 'send'>;
  /** `https://` and a host. */
  readonly origin: string;
  /** null: public requests alone. */
  readonly key: BybitKey | null;
  /** Time of the exchange in whole milliseconds. */
  readonly timestampMs: () => number;
}

/** The last look at an order: it throws WrongRequest for fields that must not leave. */
type OrderCheck = ((sent: Readonly<Record<string, unknown>>) => void) | undefined;

const ORDER = '/v5/order/';
const ERROR_STATUS = 400;
const TOO_MANY_VISITS = 10006;

/** Writes, signs and sends the requests of one account by REST. */
export class BybitRest {
  readonly #parts: BybitRestParts;

  constructor(parts: BybitRestParts) {
    this.#parts = parts;
  }

  send(
    call: BybitCall,
    fields: BybitFields,
    { check, onHeaders }: { readonly check: OrderCheck; readonly onHeaders: (headers: HttpAnswer['headers']) => void },
  ): Promise<Outcome> {
    return sendByRest(this.#parts.http, {
      write: () => this.#write(call, fields, check),
      errorOf: bybitErrorOf,
      onHeaders,
    });
  }

  #write({ rest, group }: BybitCall, fields: BybitFields, check: OrderCheck): HttpRequest {
    const { origin, key, timestampMs } = this.#parts;
    const { method, path } = restTarget(rest);
    const isChange = method === 'POST';
    const text = isChange ? JSON.stringify(fields) : query(fields);
    if (isChange) checkOrder(path, text, check);
    const request = { method, origin, path: isChange ? path : pathWith(path, text), body: isChange ? text : null };
    if (group === 'public') return { ...request, headers: {} };
    if (key === null) throw new WrongRequest(`${rest} needs a key`);
    const signed = signedHeaders(key, text, { timestampMs: timestampMs(), windowMs: BYBIT_RECV_WINDOW_MS });
    return { ...request, headers: isChange ? { ...signed, 'content-type': 'application/json' } : signed };
  }
}

/** The exchange writes a cursor percent-encoded, and wants it back as it is. */
function query({ cursor, ...fields }: BybitFields): string {
  const text = queryText(fields);
  return cursor === undefined ? text : `${text}&cursor=${String(cursor)}`;
}

/** Looks at a change under the path of orders. Throws WrongRequest for one that places an order in another way. */
function checkOrder(path: string, body: string, check: OrderCheck): void {
  const action = path.startsWith(ORDER) ? path.slice(ORDER.length) : '';
  if (action === 'cancel') return;
  if (action !== 'create') throw new WrongRequest(`no order is placed by ${path}`);
  if (check === undefined) throw new WrongRequest('an order leaves without its check');
  check(asObject(JSON.parse(body)) ?? {});
}

/** The error that an answer states; null: it states none. An error has status 200 and a code in the body. */
export function bybitErrorOf({ status, headers, text, body }: RestAnswer): BybitError | null {
  const answer = asObject(body);
  const code = memberOf(answer, 'retCode');
  if (status < ERROR_STATUS && code === 0) return null;
  return {
    status,
    code: typeof code === 'number' ? code : null,
    message: messageIn(memberOf(answer, 'retMsg'), text),
    retryAfterMs: code === TOO_MANY_VISITS ? waitOf(headers, memberOf(answer, 'time')) : null,
  };
}

/** Until the limit of the endpoint is reset, in milliseconds; null: the answer does not say. */
function waitOf(headers: HttpAnswer['headers'], exchangeMs: unknown): number | null {
  const reset = headers['x-bapi-limit-reset-timestamp'];
  const waitMs = Number(reset ?? Number.NaN) - Number(exchangeMs ?? Number.NaN);
  return waitMs >= 0 ? waitMs : null;
}
