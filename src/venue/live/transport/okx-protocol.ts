import { bodyMembers } from '../dialect/okx-orders.js';
import { asObject, memberOf } from '../json/json-fields.js';
import { WrongRequest } from '../wire-guard.js';
import type { IncomingAnswer, LibraryProtocol } from './ccxt-transport.js';

/** The host of the library's requests. */
const OKX_HOST = 'www.okx.com';
const TRADE = '/api/v5/trade/';
const CANCEL = 'cancel-order';
const ERROR_STATUS = 400;
/** Longest part of an answer that is no JSON in a message. */
const TEXT_MAX = 200;

/** Requests of the V5 interface of OKX. */
export const OKX_PROTOCOL: LibraryProtocol = {
  clientIdMember: 'clOrdId',
  orderIn: ({ method, url, body }) => {
    if (method !== 'POST' || !url.pathname.startsWith(TRADE)) return null;
    const action = url.pathname.slice(TRADE.length);
    if (action === CANCEL) return null;
    // The other ones place several orders, or orders with triggers.
    if (action !== 'order') throw new WrongRequest(`no order is placed by ${action}`);
    const clientId = memberOf(bodyMembers(body), 'clOrdId');
    return { clientId: typeof clientId === 'string' ? clientId : '', fields: { body } };
  },
  errorOf: okxErrorOf,
  redirect: (addresses, hosts) => {
    addresses['rest'] = hosts.get(OKX_HOST) ?? '';
  },
};

/**
 * The error that an answer states, by REST or on a socket. A request about one order has the code of its refusal in `sCode`; the code of the answer says only that it
 * failed. null: it states none.
 */
export function okxErrorOf({ status, text, body }: IncomingAnswer) {
  const answer = asObject(body);
  const code = memberOf(answer, 'code');
  if (status < ERROR_STATUS && code === '0') return null;
  const data = memberOf(answer, 'data');
  const [order] = Array.isArray(data) ? (data as readonly unknown[]) : [];
  const ofOrder = codeOf(memberOf(asObject(order), 'sCode'));
  const [own, message] =
    ofOrder === null ? [codeOf(code), memberOf(answer, 'msg')] : [ofOrder, memberOf(asObject(order), 'sMsg')];
  return {
    status,
    code: own,
    message: typeof message === 'string' ? message : text.slice(0, TEXT_MAX),
    retryAfterMs: null,
  };
}

/** A code may have a sub-code after a line: `51008_1000`. */
function codeOf(value: unknown): number | null {
  const match = typeof value === 'string' ? /^(\d{1,6})(?:_\d+)?$/.exec(value) : null;
  return match === null ? null : Number(match[1]);
}
