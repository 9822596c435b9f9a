import { queryString, type QueryValue } from './wire.js';
import { RETRY_DEFAULT, retried } from './retry.js';
import type { RetryPolicy } from './retry.js';
import { CREATE_OPS, OrderSession, SESSION_OPS, SESSION_PATH } from './order-session.js';
import type { SessionCredentials } from './order-session.js';
import { digestOf, newNonce, requestText, signedMessage, signerOf } from './signature.js';
import type { RequestParts, Signer } from './signature.js';
import { SluiceError } from './sluice-error.js';
import { parsed, refusalIn, Transport } from './transport.js';
import type { HttpAnswer } from './transport.js';

export interface SluiceClientOptions {
  /** Base address, for example http://127.0.0.1:8080. */
  readonly url: string;
  /** Without a key only ping, health and isReady work. */
  readonly apiKey?: string;
  /** The key's Base64 secret, or the PEM private key of an RSA key. */
  readonly apiSecret?: string;
  /** 1 to 60000; default 5000. */
  readonly recvWindowMs?: number;
  /** Time limit for an answer; default 15000, longer than the time limits of the service. */
  readonly timeoutMs?: number;
  /** Number of keep-alive connections; default 16. */
  readonly connections?: number;
  /** Limits for retries of signed requests; default 8 tries within 30 s. */
  readonly retry?: RetryPolicy;
  /** 2, the default, also covers method, path and a nonce. 1 covers the payload only. */
  readonly signVersion?: 1 | 2;
  /**
   * 'ws' sends orders, changes and cancels over one WebSocket that signs once, without waiting for earlier answers. It
   * falls back to REST while it cannot connect. Reads use REST. An open session keeps the process alive until close().
   * Default 'rest'.
   */
  readonly transport?: 'rest' | 'ws';
  /**
   * With transport 'ws': the service cancels the orders of this client when its session ends, also after close(), and is
   * not resumed within 2 s. The client resumes a lost session at once. Without a session creates are rejected instead of
   * sent over REST. Default false.
   */
  readonly cancelOnDisconnect?: boolean;
  /** Real time, epoch milliseconds. */
  readonly nowMs?: () => number;
}

/**
 * Sends requests and returns the parsed answers. It retries a signed request without an answer, over a rate limit or at a
 * busy service. Each try has its own time stamp and signature, because both expire with the receive window. Every
 * method rejects with SluiceError.
 */
export class SignedRequests {
  readonly retry: RetryPolicy;
  readonly #transport: Transport;
  readonly #apiKey: string;
  readonly #sign: Signer;
  readonly #recvWindowMs: number;
  readonly #signVersion: 1 | 2;
  readonly #nowMs: () => number;
  readonly #ending = new AbortController();
  /** null: every request goes over REST. */
  readonly #session: OrderSession | null;
  readonly #cancelsOnDisconnect: boolean;

  constructor(options: SluiceClientOptions) {
    const { url, timeoutMs = 15_000, connections = 16 } = options;
    this.retry = options.retry ?? RETRY_DEFAULT;
    this.#transport = new Transport(url, { timeoutMs, connections });
    this.#apiKey = options.apiKey ?? '';
    this.#sign = signerOf(options.apiSecret ?? '');
    this.#recvWindowMs = options.recvWindowMs ?? 5000;
    this.#signVersion = options.signVersion ?? 2;
    this.#nowMs = options.nowMs ?? Date.now;
    const credentials = (): SessionCredentials => this.#credentials();
    this.#cancelsOnDisconnect = options.cancelOnDisconnect ?? false;
    if (this.#cancelsOnDisconnect && options.transport !== 'ws')
      throw new Error("cancelOnDisconnect needs transport 'ws'");
    const parts = { url, timeoutMs, credentials, cancelOnDisconnect: this.#cancelsOnDisconnect };
    this.#session = options.transport === 'ws' ? new OrderSession(parts) : null;
  }

  get<Answer>(path: string, query: Readonly<Record<string, QueryValue>> = {}): Promise<Answer> {
    const payload = queryString(query);
    const target = payload === '' ? path : `${path}?${payload}`;
    return this.#retried(async () => {
      const inSession = await this.#inSession(path, query);
      if (inSession !== null) return inSession;
      const headers = this.#signature({ method: 'GET', path, query: payload }, '');
      return this.#transport.ask({ method: 'GET', target, headers });
    });
  }

  post<Answer>(target: string, content: unknown): Promise<Answer> {
    const body = JSON.stringify(content);
    return this.#retried(async () => {
      const inSession = await this.#inSession(target, content);
      if (inSession !== null) return inSession;
      const signature = this.#signature({ method: 'POST', path: target, query: '' }, body);
      const headers = { ...signature, 'Content-Type': 'application/json' };
      return this.#transport.ask({ method: 'POST', target, headers, body });
    });
  }

  /** Sends an unsigned request once. A retry would hide the present state of the service. */
  probe(target: string): Promise<HttpAnswer> {
    return this.#transport.ask({ method: 'GET', target, headers: {} });
  }

  /** Closes all connections. Pending requests fail without a retry. */
  close(): void {
    this.#ending.abort();
    this.#session?.close();
    this.#transport.close();
  }

  /** null: the request goes over REST. */
  async #inSession(path: string, args: unknown): Promise<HttpAnswer | null> {
    const op = SESSION_OPS.get(path);
    if (this.#session === null || op === undefined) return null;
    const answer = await this.#session.ask(op, args);
    // Over REST the order would stay open when the client is gone.
    if (answer === null && this.#cancelsOnDisconnect && CREATE_OPS.has(op)) throw noSession();
    return answer;
  }

  /** The signature of a session, as members of its authentication. */
  #credentials(): SessionCredentials {
    const headers = this.#signature({ method: 'POST', path: SESSION_PATH, query: '' }, '');
    return Object.fromEntries(SESSION_FIELDS.map(([field, header]) => [field, headers[header]]));
  }

  #retried<Answer>(ask: () => Promise<HttpAnswer>): Promise<Answer> {
    return retried(async () => contentOf<Answer>(await ask()), this.retry, this.#ending.signal);
  }

  #signature(line: Pick<RequestParts, 'method' | 'path' | 'query'>, body: string): Record<string, string> {
    const timestampMs = this.#nowMs();
    const [apiKey, recvWindowMs] = [this.#apiKey, this.#recvWindowMs];
    const headers = {
      'X-API-KEY': apiKey,
      'X-TIMESTAMP': String(timestampMs),
      'X-RECV-WINDOW': String(recvWindowMs),
    };
    if (this.#signVersion === 1) {
      const payload = line.method === 'POST' ? body : line.query;
      return { ...headers, 'X-SIGN': this.#sign(signedMessage({ timestampMs, apiKey, recvWindowMs, payload })) };
    }
    const nonce = newNonce();
    const text = requestText({ ...line, timestampMs, apiKey, recvWindowMs, nonce, bodyDigest: digestOf(body) });
    return { ...headers, 'X-SIGN-VERSION': '2', 'X-NONCE': nonce, 'X-SIGN': this.#sign(text) };
  }
}

function noSession(): SluiceError {
  const message = 'there is no session with cancelOnDisconnect, or the order is too large for one; nothing was placed';
  return new SluiceError({ status: 0, code: 'NETWORK_ERROR', message, requestId: null });
}

const SESSION_FIELDS = [
  ['api_key', 'X-API-KEY'],
  ['timestamp', 'X-TIMESTAMP'],
  ['recv_window', 'X-RECV-WINDOW'],
  ['sign_version', 'X-SIGN-VERSION'],
  ['nonce', 'X-NONCE'],
  ['sign', 'X-SIGN'],
] as const;

/** Parses the content of a successful answer. Throws SluiceError for any other answer. */
export function contentOf<Answer>(answer: HttpAnswer): Answer {
  const { status, requestId, retryAfterMs } = answer;
  const content = parsed(answer.body);
  if (status >= 200 && status < 300 && content !== undefined) return content as Answer;
  const message = `the answer (HTTP ${status}) does not come from the service`;
  throw refusalIn(answer) ?? new SluiceError({ status, code: 'OTHER', message, requestId, retryAfterMs });
}
