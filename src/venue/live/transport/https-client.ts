import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Agent, type Dispatcher, Pool, ProxyAgent } from 'undici';
import {
  EXCHANGE_ANSWER_BYTES_MAX,
  EXCHANGE_ANSWER_MS_MAX,
  EXCHANGE_BODY_MS_MAX,
  EXCHANGE_CONNECTIONS_MAX,
  SOCKET_OPEN_MS_MAX,
} from '../../../domain/limits/live.js';
import { proxyCredentials, proxyRefusal } from './proxy-credentials.js';
import type { HttpMethod } from './rest-form.js';

/** One request as its bytes leave. */
export interface HttpRequest {
  readonly method: HttpMethod;
  /** A scheme and a host. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** One whole answer of any status and content type. Names of headers are in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** No whole answer has come: the request may be carried out. `reason` has no part of the request. */
export interface NoAnswer {
  readonly reason: string;
}

/** Limits from the call to the beginning and to the end of the answer. */
const LIMITS = [
  ['begun', EXCHANGE_ANSWER_MS_MAX],
  ['ended', EXCHANGE_ANSWER_MS_MAX + EXCHANGE_BODY_MS_MAX],
] as const;
/** The limits of a call are set by the client itself. */
const UNLIMITED = { headersTimeout: 0, bodyTimeout: 0 } as const;
/** Gateways in front of exchanges refuse requests without a name. */
const USER_AGENT = 'sluice';
const unzipped = promisify(gunzip);

/** HTTP requests to the hosts of one exchange, on connections that all its accounts share. No request is sent twice. */
export class HttpsClient {
  readonly #dispatcher: Dispatcher;

  /** `proxy`: a CONNECT proxy as a URL; null: none. */
  constructor(proxy: string | null) {
    this.#dispatcher = proxy === null ? directAgent() : proxyAgent(proxy);
  }

  /**
   * Sends the request once. The time limits include a wait for a connection and its opening: EXCHANGE_ANSWER_MS_MAX
   * until the answer begins, and EXCHANGE_BODY_MS_MAX more until it ends.
   */
  async send(request: HttpRequest): Promise<HttpAnswer | NoAnswer> {
    const abort = new AbortController();
    const timers: NodeJS.Timeout[] = [];
    // A request that waits for a connection hears of the abort when it gets one. It is not sent then.
    const late = new Promise<NoAnswer>((resolve) => {
      for (const [what, ms] of LIMITS) {
        const reason = `the answer has not ${what} within ${ms} ms`;
        const end = (): void => {
          resolve({ reason });
          abort.abort(new Error(reason));
        };
        timers.push(setTimeout(end, ms));
      }
    });
    const answer = this.#answerTo(request, abort.signal, () => clearTimeout(timers[0]));
    const first = await Promise.race([answer, late]);
    for (const timer of timers) clearTimeout(timer);
    return first;
  }

  /** Ends all connections. Requests under way have no answer. */
  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  async #answerTo(
    { origin, path, method, headers, body }: HttpRequest,
    signal: AbortSignal,
    onBegun: () => void,
  ): Promise<HttpAnswer | NoAnswer> {
    // A market list has megabytes.
    const encoding = method === 'GET' ? { 'accept-encoding': 'gzip' } : {};
    const sent = { 'user-agent': USER_AGENT, ...encoding, ...headers };
    try {
      const answer = await this.#dispatcher.request({ origin, path, method, headers: sent, body, signal });
      onBegun();
      const answered = textsOf(answer.headers);
      const bytes = await decoded(await bytesOf(answer.body), answered['content-encoding']);
      return { status: answer.statusCode, headers: answered, text: bytes.toString() };
    } catch (error) {
      return { reason: reasonOf(error) };
    }
  }
}

function directAgent(): Dispatcher {
  return new Agent({
    ...UNLIMITED,
    connections: EXCHANGE_CONNECTIONS_MAX,
    connect: { timeout: EXCHANGE_ANSWER_MS_MAX },
  });
}

function proxyAgent(uri: string): Dispatcher {
  const token = proxyCredentials(new URL(uri));
  const ofProxy = { connections: EXCHANGE_CONNECTIONS_MAX, headersTimeout: SOCKET_OPEN_MS_MAX };
  return new ProxyAgent({
    ...UNLIMITED,
    uri,
    ...(token !== null && { token }),
    connections: EXCHANGE_CONNECTIONS_MAX,
    requestTls: { timeout: EXCHANGE_ANSWER_MS_MAX },
    proxyTls: { timeout: EXCHANGE_ANSWER_MS_MAX },
    // A proxy that takes a connection and does not answer would keep it for minutes.
    clientFactory: (origin, options) => new Pool(origin, { ...options, ...ofProxy }),
  });
}

function textsOf(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
  return Object.fromEntries(texts);
}

async function bytesOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > EXCHANGE_ANSWER_BYTES_MAX) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function decoded(bytes: Buffer, encoding = 'identity'): Promise<Buffer> {
  if (encoding === 'identity' || bytes.length === 0) return bytes;
  if (encoding !== 'gzip') throw new Error(`the answer has the encoding ${encoding}: only gzip is read`);
  try {
    return await unzipped(bytes, { maxOutputLength: EXCHANGE_ANSWER_BYTES_MAX });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : error;
  }
}

function tooLarge(): Error {
  return new Error(`the answer has more than ${EXCHANGE_ANSWER_BYTES_MAX} bytes`);
}

/** How undici says that a proxy has answered with another status than 200. */
const PROXY_REFUSED = /^Proxy response \((\d+)\)/;

/** Several addresses of a host fail with an error without a text. */
function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  const refused = PROXY_REFUSED.exec(message);
  if (refused !== null) return proxyRefusal(Number(refused[1]));
  return message === '' ? (code ?? 'the connection has failed') : message;
}
