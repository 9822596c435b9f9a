import { queryString, type QueryValue } from './wire.js';
import { retried, type RetryPolicy } from './retry.js';
import { contentOf, type HttpAnswer, type Transport } from './transport.js';
import type { UnsignedRequest } from './web-signature.js';

/** A request before it is signed. */
export type PlainRequest = Pick<UnsignedRequest, 'method' | 'target' | 'body'>;

export interface SignedRequestsParts {
  readonly transport: Transport;
  /** The headers that sign a request now. */
  readonly sign: (request: PlainRequest) => Promise<Record<string, string>>;
  readonly retry: RetryPolicy;
}

/** The content of an answer with its text, in which decimals have all their digits. */
export interface WithText<Content> {
  readonly content: Content;
  readonly text: string;
}

/**
 * Sends requests and returns the parsed answers. It retries a signed request without an answer, over a rate limit or at
 * a busy service. Each try has its own time stamp and signature, because both expire with the receive window. Every
 * method rejects with SluiceError. The code runs in Node and in browsers.
 */
export class SignedRequests {
  readonly retry: RetryPolicy;
  readonly #parts: SignedRequestsParts;
  readonly #ending = new AbortController();

  constructor(parts: SignedRequestsParts) {
    this.retry = parts.retry;
    this.#parts = parts;
  }

  async get<Answer>(path: string, query: Readonly<Record<string, QueryValue>> = {}): Promise<Answer> {
    return (await this.getWithText<Answer>(path, query)).content;
  }

  getWithText<Answer>(path: string, query: Readonly<Record<string, QueryValue>>): Promise<WithText<Answer>> {
    const text = queryString(query);
    const target = text === '' ? path : `${path}?${text}`;
    return this.#retried<Answer>(() => this.send({ method: 'GET', target, body: '' }, query));
  }

  async post<Answer>(target: string, content: unknown): Promise<Answer> {
    const body = JSON.stringify(content);
    return (await this.#retried<Answer>(() => this.send({ method: 'POST', target, body }, content))).content;
  }

  /** Sends an unsigned request once. A retry would hide the present state of the service. */
  probe(target: string): Promise<HttpAnswer> {
    return this.#parts.transport.ask({ method: 'GET', target, headers: {} });
  }

  /** Closes all connections. Pending requests fail without a retry. */
  close(): void {
    this.#ending.abort();
    this.#parts.transport.close();
  }

  /** Sends a request over REST. `content` is its query or the content of its body. */
  protected async send(request: PlainRequest, _content: unknown): Promise<HttpAnswer> {
    const { method, target, body } = request;
    const headers = await this.#parts.sign(request);
    if (method === 'GET') return this.#parts.transport.ask({ method, target, headers });
    return this.#parts.transport.ask({
      method,
      target,
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
    });
  }

  #retried<Answer>(ask: () => Promise<HttpAnswer>): Promise<WithText<Answer>> {
    const attempt = async (): Promise<WithText<Answer>> => {
      const answer = await ask();
      return { content: contentOf<Answer>(answer), text: answer.body };
    };
    return retried(attempt, this.retry, this.#ending.signal);
  }
}
