import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { SluiceError } from './sluice-error.js';

export interface HttpQuestion {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly requestId: string | null;
  /** How long the sender of the answer asks to wait; null when it does not say. */
  readonly retryAfterMs: number | null;
  readonly body: string;
}

/** An idle connection is given up before the server does it, so that no request meets a closing socket. */
const IDLE_MS = 5_000;

/** HTTP over kept-alive connections. */
export class Transport {
  readonly #base: URL;
  readonly #timeoutMs: number;
  readonly #agent: HttpAgent;

  constructor(url: string, options: { timeoutMs: number; connections: number }) {
    this.#base = new URL(url);
    this.#timeoutMs = options.timeoutMs;
    const Agent = this.#base.protocol === 'https:' ? HttpsAgent : HttpAgent;
    this.#agent = new Agent({ keepAlive: true, timeout: IDLE_MS, maxSockets: options.connections });
  }

  /** Resolves with any answer, whatever its status; rejects with SluiceError (status 0) when none comes in time. */
  ask(question: HttpQuestion): Promise<HttpAnswer> {
    return new Promise((resolve, fail) => {
      const send = this.#base.protocol === 'https:' ? httpsRequest : httpRequest;
      const request = send(this.#options(question), (response) => {
        collect(response).then(resolve, (cause: unknown) => fail(unanswered(question, cause)));
      });
      request.setTimeout(this.#timeoutMs, () => request.destroy(new Error(`no answer within ${this.#timeoutMs} ms`)));
      request.on('error', (cause) => fail(unanswered(question, cause)));
      request.end(question.body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #options(question: HttpQuestion): RequestOptions {
    const { hostname, port } = this.#base;
    const body = question.body;
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    return {
      agent: this.#agent,
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      method: question.method,
      path: this.#base.pathname.replace(/\/$/, '') + question.target,
      headers: { ...question.headers, ...length },
    };
  }
}

async function collect(response: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const requestId = response.headers['x-request-id'];
  return {
    status: response.statusCode ?? 0,
    requestId: typeof requestId === 'string' ? requestId : null,
    retryAfterMs: retryAfterMs(response.headers['retry-after']),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

/** Seconds are read; a date, the header's other form, is none that the service sends. */
function retryAfterMs(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) * 1000 : null;
}

function unanswered(question: HttpQuestion, cause: unknown): SluiceError {
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
  const path = question.target.replace(/\?.*/, '');
  const message = `${question.method} ${path} was not answered: ${reason}`;
  return new SluiceError({ status: 0, code: 'NETWORK_ERROR', message, requestId: null, cause });
}
