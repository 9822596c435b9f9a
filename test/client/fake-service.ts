import { createHash, createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import type { Frame, OrderRequest } from '../../src/client/index.js';

export const API_KEY = 'a'.repeat(32);
export const API_SECRET = Buffer.from('a secret of the fake service').toString('base64');

interface Asked {
  /** X-TIMESTAMP; '' for an unsigned request. */
  readonly timestamp: string;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

interface Answer {
  /** DROPPED: the connection is cut instead of an answer. */
  readonly status?: number | 'DROPPED';
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: unknown;
}

interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
}

type Handler = (asked: Asked) => Answer;

interface FeedMessage {
  readonly topic: string;
  readonly exchange: string;
  readonly symbol?: string;
  readonly method: string;
  readonly resume_from?: number;
  readonly snapshot?: boolean;
}

/** The public API for a client: it verifies signatures, sends the answers of the test, and keeps feeds for resuming. */
export class FakeService {
  readonly asked: Asked[] = [];
  readonly created: OrderRequest[] = [];
  readonly feedMessages: FeedMessage[] = [];
  /** Feeds that answer 7001 to resume_from. */
  readonly forgotten = new Set<string>();
  /** Feeds whose next subscription ends right after its acknowledgement. */
  readonly ending = new Set<string>();
  readonly #handlers = new Map<string, Handler>();
  readonly #server: Server;
  readonly #streams = new WebSocketServer({ noServer: true });
  readonly #subscribers = new Map<WebSocket, Set<string>>();
  readonly #frames = new Map<string, Frame[]>();
  listenKeys = 0;
  /** Body of a refused handshake; null: it has none. */
  handshakeRefusal: object | null = null;

  private constructor() {
    this.#server = createServer((request, response) => void this.#onRequest(request, response));
    this.#server.on('upgrade', (request, socket, head) => {
      const { searchParams } = new URL(request.url ?? '', this.url);
      const listenKey = searchParams.get('listenKey') ?? request.headers.authorization?.slice('Bearer '.length);
      if (listenKey !== `listen-${this.listenKeys}`) {
        const body = this.handshakeRefusal === null ? '' : JSON.stringify(this.handshakeRefusal);
        socket.end(`HTTP/1.1 401 Unauthorized\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
        return;
      }
      this.#streams.handleUpgrade(request, socket, head, (stream) => this.#onStream(stream));
    });
    this.on('GET /status/ping', () => ({ content: { status: 'ok', timestamp: Date.now() } }));
    this.on('GET /status/ready', () => ({ content: { status: 'ready' } }));
    this.on('GET /api/v2/trading/listenKey', () => ({ content: `listen-${(this.listenKeys += 1)}` }));
  }

  static start(): Promise<FakeService> {
    const service = new FakeService();
    return new Promise((resolve) => service.#server.listen(0, '127.0.0.1', () => resolve(service)));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sets the answer to `METHOD /path`. */
  on(route: string, handler: Handler): void {
    this.#handlers.set(route, handler);
  }

  /** Appends a frame to its feed, and sends it to the subscribers. */
  push(feed: string, frame: object): void {
    const frames = this.#frames.get(feed) ?? [];
    this.#frames.set(feed, frames);
    frames.push(frame as Frame);
    for (const [stream, feeds] of this.#subscribers) if (feeds.has(feed)) stream.send(JSON.stringify(frame));
  }

  /** Sends a frame to every connection, without regard to subscriptions. */
  broadcast(message: object): void {
    for (const stream of this.#subscribers.keys()) stream.send(JSON.stringify(message));
  }

  dropStreams(): void {
    for (const stream of this.#subscribers.keys()) stream.terminate();
  }

  received(): Promise<string> {
    const [stream] = this.#subscribers.keys();
    return new Promise((resolve) => stream?.once('message', (data) => resolve((data as Buffer).toString())));
  }

  async stop(): Promise<void> {
    this.dropStreams();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const method = request.method ?? '';
    const { status = 200, headers, content } = this.#answer(request, { method, path, query, body });
    if (status === 'DROPPED') return void request.socket.destroy();
    response.writeHead(status, { 'X-Request-Id': 'r-1', 'Content-Type': 'application/json', ...headers });
    response.end(typeof content === 'string' && status === 299 ? content : JSON.stringify(content));
  }

  #answer(request: IncomingMessage, raw: RawRequest): Answer {
    const { method, path, query, body } = raw;
    if (!path.startsWith('/status/') && !isSigned(request, raw)) {
      return { status: 401, content: { error_code: 'INVALID_SIGNATURE', message: 'bad', request_id: 'r-1' } };
    }
    const handler = this.#handlers.get(`${method} ${path}`);
    if (handler === undefined) return { status: 404, content: { error_code: 'INVALID_REQUEST', message: 'no route' } };
    const content: unknown = body === '' ? null : JSON.parse(body);
    const timestamp = String(request.headers['x-timestamp'] ?? '');
    const asked = { timestamp, method, path, query: new URLSearchParams(query), body: content };
    this.asked.push(asked);
    return handler(asked);
  }

  #onStream(stream: WebSocket): void {
    const feeds = new Set<string>();
    this.#subscribers.set(stream, feeds);
    stream.on('close', () => this.#subscribers.delete(stream));
    stream.on('message', (data) => {
      const message = JSON.parse((data as Buffer).toString()) as FeedMessage;
      if (message.method === undefined) return;
      this.feedMessages.push(message);
      this.#onFeedMessage(stream, feeds, message);
    });
  }

  #onFeedMessage(stream: WebSocket, feeds: Set<string>, message: FeedMessage): void {
    const feed = [message.topic, message.exchange.toUpperCase(), message.symbol].filter(Boolean).join(' ');
    if (message.exchange === 'NOWHERE') return stream.send('{"code":8054,"message":"exchange NOWHERE is unknown"}');
    if (message.resume_from !== undefined && this.forgotten.has(feed)) {
      return stream.send('{"code":7001,"message":"not kept"}');
    }
    stream.send(JSON.stringify({ code: 0, message: JSON.stringify(message) }));
    if (message.method === 'unsubscribe') return void feeds.delete(feed);
    if (this.ending.delete(feed)) {
      const ended = { topic: message.topic, exchange: message.exchange.toUpperCase() };
      return stream.send(JSON.stringify({ code: 7001, message: `stream ${feed} has ended`, ended }));
    }
    feeds.add(feed);
    const after = message.resume_from;
    if (after === undefined) return;
    for (const frame of this.#frames.get(feed) ?? []) {
      if ('seq' in frame && frame.seq > after) stream.send(JSON.stringify(frame));
    }
  }
}

/** Both versions of the signature, written from the contract. */
function isSigned(request: IncomingMessage, { method, path, query, body }: RawRequest): boolean {
  const header = (name: string): string => String(request.headers[name]);
  const [timestamp, key, window] = [header('x-timestamp'), header('x-api-key'), header('x-recv-window')];
  const digest = createHash('sha256').update(body).digest('hex');
  const message =
    header('x-sign-version') === '2'
      ? `2\n${method}\n${path}\n${query}\n${timestamp}\n${key}\n${window}\n${header('x-nonce')}\n${digest}`
      : timestamp + key + window + (method === 'POST' ? body : query);
  const expected = createHmac('sha256', Buffer.from(API_SECRET, 'base64')).update(message).digest('base64');
  return key === API_KEY && header('x-sign') === expected;
}
