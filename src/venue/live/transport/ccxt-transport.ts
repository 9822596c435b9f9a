import type { Fields } from '../dialect/binance-orders.js';
import type { BinanceError } from '../dialect/binance-errors.js';
import { parseExactJson } from '../json/exact-json.js';
import { WrongRequest } from '../wire-guard.js';

/** The exchange has answered with an error. Any other failure of a call is no answer. */
export class ErrorAnswer extends Error {
  override readonly name = 'ErrorAnswer';
  readonly answer: BinanceError;

  constructor(answer: BinanceError) {
    super(`${answer.status}: ${answer.message}`);
    this.answer = answer;
  }
}

export interface TransportOptions {
  /** Name of the library's class. */
  readonly exchange: 'binance' | 'binanceusdm';
  readonly apiKey: string;
  readonly secret: string;
  /** Time limit of a request. */
  readonly timeoutMs: number;
  /** A CONNECT proxy for REST and sockets. */
  readonly proxy?: string;
  /** Replaces addresses of the exchange; absent: the real ones. */
  readonly urls?: { readonly rest: string; readonly socketApi: string };
  /** Gets each frame of the private stream, parsed. */
  readonly onFrame: (frame: unknown) => void;
  /** The private stream has ended. */
  readonly onCut: () => void;
}

/** The parts of the library that are used: signing, requests, sockets. Nothing that translates an order. */
interface Library {
  readonly urls: { readonly api: Record<string, unknown> };
  readonly options: Record<string, unknown>;
  fetch: (url: string, method: string, headers: unknown, body: string | undefined) => Promise<unknown>;
  handleErrors: (...args: unknown[]) => unknown;
  parseJson: (text: string) => unknown;
  handleMessage: (client: unknown, message: Record<string, unknown>) => void;
  onClose: (client: unknown, error: unknown) => void;
  onError: (client: unknown, error: unknown) => void;
  signParams: (params: object) => object;
  requestId: (url: string) => string;
  watch: (url: string, hash: string, message: object, subscribeHash: string, subscription: object) => Promise<unknown>;
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
 * Requests and the private stream of one account at one exchange. ccxt signs, dials and keeps sockets alive; this class is
 * its only user. An order leaves only when it was announced (`expectOrder`) and its outgoing bytes pass the check.
 */
export class CcxtTransport {
  readonly #library: Library;
  readonly #options: TransportOptions;
  /** Checks of announced orders by client id. */
  readonly #expected = new Map<string, (fields: Fields) => void>();
  #socket: unknown = null;

  private constructor(library: Library, options: TransportOptions) {
    this.#library = library;
    this.#options = options;
    this.#tap();
  }

  /** Loads the one exchange of the library: the whole library would take a second and 80 MB. */
  static async open(options: TransportOptions): Promise<CcxtTransport> {
    const { exchange, apiKey, secret, timeoutMs, proxy, urls } = options;
    const module = new URL(`./src/pro/${exchange}.js`, import.meta.resolve('ccxt')).href;
    const { default: Exchange } = (await import(module)) as { readonly default: new (settings: object) => Library };
    const library = new Exchange({
      apiKey,
      secret,
      timeout: timeoutMs,
      // The service has a throttle of its own, and never sends an order again.
      enableRateLimit: false,
      maxRetriesOnFailure: 0,
      number: String,
      ...(proxy !== undefined && { httpsProxy: proxy, wssProxy: proxy }),
      options: { broker: {}, fetchCurrencies: false },
    });
    if (urls !== undefined) replaceUrls(library, urls);
    await library.loadProxyModules();
    // The library wants this for addresses without TLS: a loopback exchange.
    if (urls !== undefined) await library.loadHttpProxyAgent();
    return new CcxtTransport(library, options);
  }

  /** Announces an order: `check` reads the outgoing fields and throws WrongRequest when they differ from the child. */
  expectOrder(clientId: string, check: (fields: Fields) => void): void {
    this.#expected.set(clientId, check);
  }

  /** Carries out one request. Throws ErrorAnswer for an error of the exchange, WrongRequest for a request that must not leave. */
  async call(method: string, fields: Fields): Promise<unknown> {
    const request = this.#library[method] as ((params: object) => Promise<unknown>) | undefined;
    if (request === undefined) throw new WrongRequest(`the library has no call ${method}`);
    try {
      return await request.call(this.#library, { ...fields });
    } finally {
      this.#expected.delete(fields['newClientOrderId'] ?? '');
    }
  }

  /** Subscribes to the private stream of a spot account. Resolves when the exchange has confirmed it. */
  async subscribeSpot(): Promise<void> {
    const library = this.#library;
    const api = library.urls.api as { readonly ws: { readonly 'ws-api': { readonly spot: string } } };
    const url = api.ws['ws-api'].spot;
    const id = library.requestId(url);
    const message = { id, method: 'userDataStream.subscribe.signature', params: library.signParams({}) };
    const settled = (client: { resolve: (value: unknown, id: string) => void }, answer: unknown): void => {
      this.#socket = client;
      client.resolve(answer, id);
    };
    await library.watch(url, id, message, id, { id, method: settled });
  }

  async close(): Promise<void> {
    this.#socket = null;
    await this.#library.close();
  }

  #tap(): void {
    const library = this.#library;
    library.parseJson = (text) => parseExactJson(text);
    library.handleErrors = (status, _reason, _url, _method, headers, text, body) => {
      const answer = errorOf(status as number, headers as Record<string, string>, text as string, body);
      if (answer !== null) throw new ErrorAnswer(answer);
      return undefined;
    };
    const fetch = library.fetch.bind(library);
    library.fetch = async (url, method, headers, body) => {
      this.#check(url, method, body);
      return fetch(url, method, headers, body);
    };
    const handle = library.handleMessage.bind(library);
    library.handleMessage = (client, message) => {
      // The library would turn several reports on one order into one.
      if ('event' in message) return this.#options.onFrame(message);
      return handle(client, message);
    };
    const [onClose, onError] = [library.onClose.bind(library), library.onError.bind(library)];
    library.onClose = (client, error) => {
      onClose(client, error);
      this.#onEnd(client);
    };
    library.onError = (client, error) => {
      onError(client, error);
      this.#onEnd(client);
    };
  }

  #onEnd(client: unknown): void {
    if (client !== this.#socket) return;
    this.#socket = null;
    this.#options.onCut();
  }

  /** The last look at an order: at the bytes that leave, after the library has signed them. */
  #check(url: string, method: string, body: string | undefined): void {
    if (method !== 'POST') return;
    const { pathname, searchParams } = new URL(url);
    if (!pathname.endsWith('/order')) return;
    const fields = Object.fromEntries([...searchParams, ...new URLSearchParams(body ?? '')]);
    const check = this.#expected.get(fields['newClientOrderId'] ?? '');
    if (check === undefined) throw new WrongRequest('an order leaves that was not announced');
    check(fields);
  }
}

function errorOf(status: number, headers: Record<string, string>, text: string, body: unknown): BinanceError | null {
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

function replaceUrls(library: Library, { rest, socketApi }: NonNullable<TransportOptions['urls']>): void {
  const { api } = library.urls;
  for (const [name, url] of Object.entries(api)) {
    if (typeof url === 'string') api[name] = `${rest}${new URL(url).pathname}`;
  }
  const sockets = api['ws'] as { 'ws-api': Record<string, string> };
  sockets['ws-api']['spot'] = `${socketApi}/ws-api/v3`;
}
