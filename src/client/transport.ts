import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { SluiceError } from './sluice-error.js';

export interface HttpCall {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly requestId: string | null;
  /** Delay that Retry-After requests, in milliseconds; null without that header. */
  readonly retryAfterMs: number | null;
  readonly body: string;
}

/** Shorter than the idle timeout of the service, so that no request uses a socket that the service is closing. */
const IDLE_MS = 5_000;

/** HTTP requests over keep-alive connections. */
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

  /** Resolves with the answer for any HTTP status. Rejects with SluiceError (status 0) on a timeout or a lost connection. */
  ask(call: HttpCall): Promise<HttpAnswer> {
    return new Promise((resolve, fail) => {
      const send = this.#base.protocol === 'https:' ? httpsRequest : httpRequest;
      const request = send(this.#options(call), (response) => {
        collect(response).then(resolve, (cause: unknown) => fail(unanswered(call, cause)));
      });
      request.setTimeout(this.#timeoutMs, () => request.destroy(new Error(`no answer within ${this.#timeoutMs} ms`)));
      request.on('error', (cause) => fail(unanswered(call, cause)));
      request.end(call.body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }

  #options(call: HttpCall): RequestOptions {
    const { hostname, port } = this.#base;
    const body = call.body;
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    return {
      agent: this.#agent,
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      method: call.method,
      path: this.#base.pathname.replace(/\/$/, '') + call.target,
      headers: { ...call.headers, ...length },
    };
  }
}

/** Reads an answer to its end. Rejects when the connection is lost before. */
export async function collect(response: IncomingMessage): Promise<HttpAnswer> {
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

/** The error that the service describes in its answer; null: the answer does not come from the service. */
export function refusalIn({ status, body, requestId, retryAfterMs }: HttpAnswer): SluiceError | null {
  const refusal = (parsed(body) ?? {}) as { error_code?: string; message?: string; reason?: string };
  const { error_code: code, message = '', reason } = refusal;
  return code === undefined ? null : new SluiceError({ status, code, message, reason, requestId, retryAfterMs });
}

/** The value of a JSON text; undefined: it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Reads a number of seconds. The service does not send the date form of the header. */
function retryAfterMs(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,9}$/.test(header) ? Number(header) * 1000 : null;
}

function unanswered(call: HttpCall, cause: unknown): SluiceError {
  const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
  const path = call.target.replace(/\?.*/, '');
  const message = `${call.method} ${path} was not answered: ${reason}`;
  return new SluiceError({ status: 0, code: 'NETWORK_ERROR', message, requestId: null, cause });
}
