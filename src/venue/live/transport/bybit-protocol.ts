import { BYBIT_RECV_WINDOW_MS } from '../dialect/bybit-orders.js';
import type { Fields } from '../dialect/binance-orders.js';
import { asObject, memberOf } from '../json/json-fields.js';
import { WrongRequest } from '../wire-guard.js';
import type { LibraryProtocol } from './ccxt-transport.js';

/** The host of the library's requests. Its addresses have a variable for the domain. */
const BYBIT_HOST = 'api.bybit.com';
const ORDER = '/v5/order/';
/** Requests under the path of orders that place none. */
const HARMLESS: ReadonlySet<string> = new Set(['cancel', 'cancel-all']);
const WINDOW = 'X-BAPI-RECV-WINDOW';
const ERROR_STATUS = 400;
const TOO_MANY_VISITS = 10006;
/** Longest part of an answer that is no JSON in a message. */
const TEXT_MAX = 200;

/** Requests of the V5 interface of Bybit. An error has status 200 and a code in the body. */
export const BYBIT_PROTOCOL: LibraryProtocol = {
  options: { recvWindow: BYBIT_RECV_WINDOW_MS },
  clientIdMember: 'orderLinkId',
  orderIn: ({ method, url, headers, body }) => {
    // The tag of a broker.
    delete headers['Referer'];
    if (method !== 'POST' || !url.pathname.startsWith(ORDER)) return null;
    const action = url.pathname.slice(ORDER.length);
    if (HARMLESS.has(action)) return null;
    // The other ones change an order or place several.
    if (action !== 'create') throw new WrongRequest(`no order is placed by ${action}`);
    const windowMs = headers[WINDOW];
    if (windowMs !== String(BYBIT_RECV_WINDOW_MS)) throw new WrongRequest(`the request is valid for ${windowMs} ms`);
    const fields = url.search === '' ? asObject(JSON.parse(body)) : null;
    if (fields === null) throw new WrongRequest('the order is no JSON body');
    const clientId = memberOf(fields, 'orderLinkId');
    // The check of the dialect takes any JSON values.
    return { clientId: typeof clientId === 'string' ? clientId : '', fields: fields as Fields };
  },
  errorOf: ({ status, headers, text, body }) => {
    const answer = asObject(body);
    const [code, message] = [memberOf(answer, 'retCode'), memberOf(answer, 'retMsg')];
    if (status < ERROR_STATUS && code === 0) return null;
    return {
      status,
      code: typeof code === 'number' ? code : null,
      message: typeof message === 'string' ? message : text.slice(0, TEXT_MAX),
      retryAfterMs: code === TOO_MANY_VISITS ? waitOf(headers, memberOf(answer, 'time')) : null,
    };
  },
  redirect: (addresses, hosts) => {
    const replaced = hosts.get(BYBIT_HOST) ?? '';
    for (const [name, address] of Object.entries(addresses)) {
      if (typeof address === 'string') addresses[name] = replaced;
    }
  },
};

/** Until the limit of the endpoint is reset, in milliseconds; null: the answer does not say. */
function waitOf(headers: Readonly<Record<string, string>>, exchangeMs: unknown): number | null {
  const reset = Object.entries(headers).find(([name]) => name.toLowerCase() === 'x-bapi-limit-reset-timestamp');
  const waitMs = Number(reset?.[1] ?? Number.NaN) - Number(exchangeMs ?? Number.NaN);
  return waitMs >= 0 ? waitMs : null;
}
