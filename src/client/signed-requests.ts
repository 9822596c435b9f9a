import { queryString } from './query.js';
import type { QueryValue } from './query.js';
import { RETRY_DEFAULT, retried } from './retry.js';
import type { RetryPolicy } from './retry.js';
import { digestOf, newNonce, requestText, signedMessage, signerOf } from './signature.js';
import type { RequestParts, Signer } from './signature.js';
import { SluiceError } from './sluice-error.js';
import { Transport } from './transport.js';
import type { HttpAnswer } from './transport.js';

export interface SluiceClientOptions {
  /** Base address, for example http://127.0.0.1:8080. */
  readonly url: string;
  /** Without a key only ping, health and isReady answer. */
  readonly apiKey?: string;
  /** The key's Base64 secret, or the PEM private key of an RSA key. */
  readonly apiSecret?: string;
  /** 1 to 60000; default 5000. */
  readonly recvWindowMs?: number;
  /** How long to wait for an answer; default 15000, more than the service itself takes to give up. */
  readonly timeoutMs?: number;
  /** Connections kept open at once; default 16. */
  readonly connections?: number;
  /** When signed requests are tried again; default 8 tries within 30 s. */
  readonly retry?: RetryPolicy;
  /** 2, the default, covers method, path and a nonce besides the payload; 1 is the first way to sign. */
  readonly signVersion?: 1 | 2;
  /** Real time, epoch milliseconds. */
  readonly nowMs?: () => number;
}

/**
 * Requests and the content of their answers. A signed request is tried again when no answer came, at a rate limit and
 * while the service is busy; each try has a time stamp and signature of its own, because they hold for the receive
 * window only. All rejects with SluiceError.
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

  constructor(options: SluiceClientOptions) {
    const { url, timeoutMs = 15_000, connections = 16 } = options;
    this.retry = options.retry ?? RETRY_DEFAULT;
    this.#transport = new Transport(url, { timeoutMs, connections });
    this.#apiKey = options.apiKey ?? '';
    this.#sign = signerOf(options.apiSecret ?? '');
    this.#recvWindowMs = options.recvWindowMs ?? 5000;
    this.#signVersion = options.signVersion ?? 2;
    this.#nowMs = options.nowMs ?? Date.now;
  }

  get<Answer>(path: string, query: Readonly<Record<string, QueryValue>> = {}): Promise<Answer> {
    const payload = queryString(query);
    const target = payload === '' ? path : `${path}?${payload}`;
    return this.#retried(() => {
      const headers = this.#signature({ method: 'GET', path, query: payload }, '');
      return this.#transport.ask({ method: 'GET', target, headers });
    });
  }

  post<Answer>(target: string, content: unknown): Promise<Answer> {
    const body = JSON.stringify(content);
    return this.#retried(() => {
      const signature = this.#signature({ method: 'POST', path: target, query: '' }, body);
      const headers = { ...signature, 'Content-Type': 'application/json' };
      return this.#transport.ask({ method: 'POST', target, headers, body });
    });
  }

  /** Needs no key, and is asked once: whoever asks how the service is wants to know it of this moment. */
  probe(target: string): Promise<HttpAnswer> {
    return this.#transport.ask({ method: 'GET', target, headers: {} });
  }

  /** Closes the kept connections; requests under way fail and are not tried again. */
  close(): void {
    this.#ending.abort();
    this.#transport.close();
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

/** The answer's content; throws SluiceError unless it is a success. */
export function contentOf<Answer>(answer: HttpAnswer): Answer {
  const content = parsed(answer.body);
  if (answer.status >= 200 && answer.status < 300 && content !== undefined) return content as Answer;
  const refusal = (content ?? {}) as { error_code?: string; message?: string };
  throw new SluiceError({
    status: answer.status,
    code: refusal.error_code ?? 'OTHER',
    message: refusal.message ?? `the answer (HTTP ${answer.status}) is not the service's`,
    requestId: answer.requestId,
    retryAfterMs: answer.retryAfterMs,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
