import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type HttpAnswer, type HttpCall, retryDelayMs, type Transport, unanswered } from './transport.js';

/** Shorter than the idle timeout of the service, so that no request uses a socket that the service is closing. */
const IDLE_MS = 5_000;

/** HTTP requests of Node over keep-alive connections. */
export class NodeTransport implements Transport {
  readonly #base: URL;
  readonly #timeoutMs: number;
  readonly #agent: HttpAgent;

  constructor(url: string, options: { timeoutMs: number; connections: number }) {
    this.#base = new URL(url);
    this.#timeoutMs = options.timeoutMs;
    const Agent = this.#base.protocol === 'https:' ? HttpsAgent : HttpAgent;
    this.#agent = new Agent({ keepAlive: true, timeout: IDLE_MS, maxSockets: options.connections });
  }

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
    retryAfterMs: retryDelayMs(response.headers['retry-after']),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}
