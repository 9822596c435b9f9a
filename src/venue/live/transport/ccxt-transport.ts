import type { Fields } from '../dialect/binance-orders.js';
import type { BinanceError } from '../dialect/binance-errors.js';
import { EXCHANGE_BODY_MS_MAX } from '../../../domain/limits/live.js';
import { parseExactJson } from '../json/exact-json.js';
import { WrongRequest } from '../wire-guard.js';
import { SendingTimes } from './sending-times.js';

/** The exchange has answered with an error. Any other failure of a call is no answer. */
export class ErrorAnswer extends Error {
  override readonly name = 'ErrorAnswer';
  readonly answer: BinanceError;

  constructor(answer: BinanceError) {
    super(`${answer.status}: ${answer.message}`);
    this.answer = answer;
  }
}

/** One outgoing request after the library has signed it. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: URL;
  /** They leave as they are after the look at the request. */
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** One answer. `body` is the parsed text; undefined when it is no JSON. */
export interface IncomingAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: unknown;
}

/** What differs between exchanges in the requests of the library. */
export interface LibraryProtocol {
  /** Options of the library. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** The member of a request that has the client id. */
  readonly clientIdMember: string;
  /**
   * The order in an outgoing request, in the form that its check reads; null: there is none. Throws WrongRequest for a
   * request that would place an order in another way.
   */
  readonly orderIn: (request: OutgoingRequest) => { readonly clientId: string; readonly fields: Fields } | null;
  /** The error that an answer states; null: it states none. */
  readonly errorOf: (answer: IncomingAnswer) => BinanceError | null;
  /** Replaces the library's addresses by those of `hosts`. */
  readonly redirect: (addresses: Record<string, unknown>, hosts: ReadonlyMap<string, string>) => void;
}

export interface TransportOptions {
  /** Name of the library's class. */
  readonly exchange: 'binance' | 'binanceusdm' | 'bybit' | 'okx';
  /** Absent: that of Binance. */
  readonly protocol?: LibraryProtocol;
  readonly apiKey: string;
  readonly secret: string;
  /** The third part of a key, where the exchange has it. */
  readonly passphrase?: string;
  /** Time limit of a request. */
  readonly timeoutMs: number;
  /** A CONNECT proxy for REST and sockets. */
  readonly proxy?: string;
  /** Replaces hosts of the exchange: each original host with the beginning of another address. Absent: the real ones. */
  readonly hosts?: ReadonlyMap<string, string>;
  /** Timestamp of requests in milliseconds; absent: the wall clock. */
  readonly timestampMs?: () => number;
  /** Gets the headers of each answer, also of an error. Their names have any case. `sentAtMs` is a time of `timestampMs`. */
  readonly onHeaders?: (
    headers: Readonly<Record<string, string>>,
    request: { readonly pathname: string; readonly body: string; readonly sentAtMs: number },
  ) => void;
  /** Headers of every request. */
  readonly headers?: Fields;
}

/** The parts of the library that are used: signing and requests. Nothing that translates an order. */
interface Library {
  readonly urls: { readonly api: Record<string, unknown> };
  nonce: () => number;
  fetch: (url: string, method: string, headers: unknown, body: string | undefined) => Promise<unknown>;
  handleErrors: (...args: unknown[]) => unknown;
  parseJson: (text: string) => unknown;
  loadProxyModules: () => Promise<unknown>;
  loadHttpProxyAgent: () => Promise<unknown>;
  close: () => Promise<unknown>;
  readonly [call: string]: unknown;
}

const ERROR_STATUS = 400;
const MS_PER_S = 1_000;
/** Longest part of an answer that is no JSON in a message. */
const TEXT_MAX = 200;

/**
 * HTTP requests of one account at one exchange. ccxt signs and sends them; this class is its only user. An order leaves
 * only when it was announced (`expectOrder`) and its outgoing bytes pass the check.
 */
export class CcxtTransport {
  readonly #library: Library;
  readonly #options: TransportOptions;
  readonly #protocol: LibraryProtocol;
  /** Announced orders by client id. */
  readonly #expected = new Map<string, ExpectedOrder>();
  readonly #sendingTimes = new SendingTimes();

  private constructor(library: Library, options: TransportOptions) {
    this.#library = library;
    this.#options = options;
    this.#protocol = options.protocol ?? BINANCE;
    this.#tap();
  }

  /** Loads the one exchange of the library: the whole library would take a second and 80 MB. */
  static async open(options: TransportOptions): Promise<CcxtTransport> {
    const { exchange, apiKey, secret, passphrase, timeoutMs, proxy, hosts, headers, protocol = BINANCE } = options;
    const module = new URL(`./src/${exchange}.js`, import.meta.resolve('ccxt')).href;
    const { default: Exchange } = (await import(module)) as { readonly default: new (settings: object) => Library };
    const library = new Exchange({
      apiKey,
      secret,
      ...(passphrase !== undefined && { password: passphrase }),
      ...(headers !== undefined && { headers }),
      timeout: timeoutMs,
      // The service has a throttle of its own, and never sends an order again.
      enableRateLimit: false,
      maxRetriesOnFailure: 0,
      number: String,
      ...(proxy !== undefined && { httpsProxy: proxy }),
      options: { broker: {}, brokerId: '', fetchCurrencies: false, ...protocol.options },
    });
    if (hosts !== undefined) protocol.redirect(library.urls.api, hosts);
    await library.loadProxyModules();
    // The library wants this for addresses without TLS: a loopback exchange.
    if (hosts !== undefined) await library.loadHttpProxyAgent();
    return new CcxtTransport(library, options);
  }

  /**
   * Announces an order: `check` reads the outgoing fields and throws WrongRequest when they differ from the child. `headers`
   * leave with it.
   */
  expectOrder(clientId: string, check: (fields: Fields) => void, headers: Fields = {}): void {
    this.#expected.set(clientId, { check, headers });
  }

  /** Carries out one request. Throws ErrorAnswer for an error of the exchange, WrongRequest for a request that must not leave. */
  async call(method: string, fields: Readonly<Record<string, unknown>>): Promise<unknown> {
    const request = this.#library[method] as ((params: object) => Promise<unknown>) | undefined;
    if (request === undefined) throw new WrongRequest(`the library has no call ${method}`);
    try {
      return await ended(request.call(this.#library, { ...fields }), this.#options.timeoutMs + EXCHANGE_BODY_MS_MAX);
    } finally {
      const clientId = fields[this.#protocol.clientIdMember];
      if (typeof clientId === 'string') this.#expected.delete(clientId);
    }
  }

  async close(): Promise<void> {
    await this.#library.close();
  }

  #tap(): void {
    const library = this.#library;
    library.parseJson = (text) => parseExactJson(text);
    const { timestampMs, onHeaders } = this.#options;
    if (timestampMs !== undefined) library.nonce = timestampMs;
    const nowMs = timestampMs ?? Date.now;
    library.handleErrors = (status, _reason, url, _method, headers, text, body, _sentHeaders, sentBody) => {
      if (onHeaders !== undefined) {
        const { pathname } = new URL(String(url));
        const sent = typeof sentBody === 'string' ? sentBody : '';
        const sentAtMs = this.#sendingTimes.earliest(`${String(url)} ${sent}`) ?? nowMs();
        onHeaders(headers as Record<string, string>, { pathname, body: sent, sentAtMs });
      }
      const answer = this.#protocol.errorOf({ status, headers, text, body } as IncomingAnswer);
      if (answer !== null) throw new ErrorAnswer(answer);
      return undefined;
    };
    const fetch = library.fetch.bind(library);
    library.fetch = async (url, method, headers, body) => {
      const own = { ...(headers as Record<string, string> | undefined) };
      const added = this.#check({ method, url: new URL(url), headers: own, body: body ?? '' });
      return this.#sendingTimes.during(`${url} ${body ?? ''}`, nowMs(), () =>
        fetch(url, method, { ...own, ...added }, body),
      );
    };
  }

  /** The last look at an order: at the bytes that leave, after the library has signed them. Returns its further headers. */
  #check(request: OutgoingRequest): Fields | null {
    const order = this.#protocol.orderIn(request);
    if (order === null) return null;
    const expected = this.#expected.get(order.clientId);
    if (expected === undefined) throw new WrongRequest('an order leaves that was not announced');
    expected.check(order.fields);
    return expected.headers;
  }
}

/** The library limits the time until an answer begins. This also limits the time until it ends. */
async function ended(call: Promise<unknown>, limitMs: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the answer has not ended within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}

interface ExpectedOrder {
  readonly check: (fields: Fields) => void;
  readonly headers: Fields;
}

const BINANCE: LibraryProtocol = {
  clientIdMember: 'newClientOrderId',
  orderIn: ({ method, url, body }) => {
    if (method !== 'POST' || !url.pathname.endsWith('/order')) return null;
    const fields = Object.fromEntries([...url.searchParams, ...new URLSearchParams(body)]);
    return { clientId: fields['newClientOrderId'] ?? '', fields };
  },
  errorOf,
  redirect: replaceHosts,
};

function errorOf({ status, headers, text, body }: IncomingAnswer): BinanceError | null {
  const { code, msg } = (typeof body === 'object' && body !== null ? body : {}) as { code?: unknown; msg?: unknown };
  const isError = status >= ERROR_STATUS || (typeof code === 'number' && code < 0);
  if (!isError) return null;
  const waitS = Number(headers['Retry-After'] ?? headers['retry-after'] ?? Number.NaN);
  return {
    status,
    code: typeof code === 'number' ? code : null,
    message: typeof msg === 'string' ? msg : text.slice(0, TEXT_MAX),
    retryAfterMs: Number.isFinite(waitS) && waitS >= 0 ? waitS * MS_PER_S : null,
  };
}

/** Addresses without a replacement are emptied: nothing reaches a host that the caller did not name. */
function replaceHosts(api: Record<string, unknown>, hosts: ReadonlyMap<string, string>): void {
  for (const [name, url] of Object.entries(api)) {
    if (typeof url !== 'string') continue;
    const { host, pathname } = new URL(url);
    const replaced = hosts.get(host);
    api[name] = replaced === undefined ? '' : `${replaced}${pathname}`;
  }
}
