import type { BinanceError } from '../dialect/binance-errors.js';
import type { Fields } from '../dialect/binance-orders.js';
import { messageIn, type Outcome, type RestAnswer, sendByRest } from '../exchange-requests.js';
import { asObject, memberOf } from '../json/json-fields.js';
import { type BinanceKey, signedText } from '../transport/binance-signature.js';
import type { HttpAnswer, HttpRequest, HttpsClient } from '../transport/https-client.js';
import { pathWith, queryText, restTarget, type RestName } from '../transport/rest-form.js';
import { WrongRequest } from '../wire-guard.js';

/** One request of the exchange's API. */
export interface BinanceCall {
  readonly rest: RestName;
  /** What it carries: nothing, the key, or the key with time and signature. */
  readonly security: 'NONE' | 'KEY' | 'SIGNED';
  /** Name on the socket API; null: not there. */
  readonly socket: string | null;
  /** What the exchange counts for it. */
  readonly weight: number;
  /** True when it also counts as a new order of the account. */
  readonly isOrder?: boolean;
}

/** Where a section of Binance is reached. Addresses have no slash at the end. */
export interface BinanceAddresses {
  /** `https://` and a host. */
  readonly rest: string;
  /** The same for the paths `/sapi`, which state the rights of a key. null: the environment does not have them. */
  readonly walletApi: string | null;
  /** `wss://` and a host. */
  readonly streams: string;
  readonly socketApi: string;
}

interface BinanceRestParts {
  readonly http: Pick<HttpsClient, 'send'>;
  readonly addresses: Pick<BinanceAddresses, 'rest' | 'walletApi'>;
  /** null: public requests alone. */
  readonly key: BinanceKey | null;
  /** Time of the exchange in whole milliseconds. */
  readonly timestampMs: () => number;
}

/** How one request is sent. */
interface Sending {
  /** The last look at an order: it throws WrongRequest for fields that must not leave. */
  readonly check: ((sent: Fields) => void) | undefined;
  /** Gets the headers of an answer, and the timestamp of the request. */
  readonly onHeaders: (headers: HttpAnswer['headers'], sentAtMs: number) => void;
}

const ERROR_STATUS = 400;
const MS_PER_S = 1_000;

/** Writes, signs and sends the requests of one account by REST. */
export class BinanceRest {
  readonly #parts: BinanceRestParts;

  constructor(parts: BinanceRestParts) {
    this.#parts = parts;
  }

  send(call: BinanceCall, fields: Fields, { check, onHeaders }: Sending): Promise<Outcome> {
    let sentAtMs = 0;
    return sendByRest(this.#parts.http, {
      write: () => {
        sentAtMs = this.#parts.timestampMs();
        return this.#write(call, fields, { timestampMs: sentAtMs, check });
      },
      errorOf: binanceErrorOf,
      onHeaders: (headers) => onHeaders(headers, sentAtMs),
    });
  }

  #write(
    { rest, security }: BinanceCall,
    fields: Fields,
    { timestampMs, check }: { readonly timestampMs: number; readonly check: Sending['check'] },
  ): HttpRequest {
    const { addresses, key } = this.#parts;
    const { method, path } = restTarget(rest);
    const origin = path.startsWith('/sapi/') ? addresses.walletApi : addresses.rest;
    if (origin === null) throw new WrongRequest(`the environment has no ${rest}`);
    if (security !== 'NONE' && key === null) throw new WrongRequest(`${rest} needs a key`);
    const text = security === 'SIGNED' ? signedText(fields, key!, timestampMs) : queryText(fields);
    if (method === 'POST' && path.endsWith('/order')) {
      if (check === undefined) throw new WrongRequest('an order leaves without its check');
      check(Object.fromEntries(new URLSearchParams(text)));
    }
    const own: Record<string, string> = security === 'NONE' ? {} : { 'X-MBX-APIKEY': key!.apiKey };
    if (method === 'GET' || method === 'DELETE') {
      return { method, origin, path: pathWith(path, text), headers: own, body: null };
    }
    const headers = { ...own, 'content-type': 'application/x-www-form-urlencoded' };
    return { method, origin, path, headers, body: text };
  }
}

/** The error that an answer states; null: it states none. An answer that is no JSON is not one of the exchange. */
export function binanceErrorOf({ status, headers, text, body }: RestAnswer): BinanceError | null {
  const answer = asObject(body);
  const code = memberOf(answer, 'code');
  const isError = status >= ERROR_STATUS || body === undefined || (typeof code === 'number' && code < 0);
  if (!isError) return null;
  const waitS = Number(headers['retry-after'] ?? Number.NaN);
  return {
    status,
    code: typeof code === 'number' ? code : null,
    message: messageIn(memberOf(answer, 'msg'), text),
    retryAfterMs: waitS >= 0 ? waitS * MS_PER_S : null,
  };
}
