import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { ApiKey } from './accounts.js';
import type { BinanceLoopback } from './binance/binance-loopback.js';

export type Parameters = Readonly<Record<string, string | number | boolean>>;

/** An answer with its JSON body; null when the body is no JSON. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
}

const WAIT_MS_MAX = 5_000;

/** Sends what a spec asks, also wrong requests. It signs when it has a key. */
export class TestClient {
  readonly #loopback: BinanceLoopback;
  readonly #key: ApiKey | null;

  constructor(loopback: BinanceLoopback, key: ApiKey | null = null) {
    this.#loopback = loopback;
    this.#key = key;
  }

  async send(method: string, path: string, parameters: Parameters = {}): Promise<TestAnswer> {
    const host = path.startsWith('/fapi/') ? 'fapi.binance.com' : 'api.binance.com';
    const headers: Record<string, string> = this.#key === null ? {} : { 'x-mbx-apikey': this.#key.key };
    const query = this.#key === null ? queryOf(parameters) : this.signed(parameters);
    const answer = await fetch(`${this.#loopback.address(host)}${path}?${query}`, { method, headers });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, text, body: parsed(text) };
  }

  /** The body of an answer with status 200. */
  async ok<Body = Record<string, unknown>>(method: string, path: string, parameters: Parameters = {}): Promise<Body> {
    const { status, body, text } = await this.send(method, path, parameters);
    if (status !== 200) throw new Error(`${method} ${path} answered ${status} ${text}`);
    return body as Body;
  }

  /** A query with time and signature. Parameters replace both when they are given. */
  signed(parameters: Parameters): string {
    const query = queryOf({ timestamp: Date.now(), ...parameters });
    const signature = createHmac('sha256', this.#key?.secret ?? '')
      .update(query)
      .digest('hex');
    return `${query}&signature=${signature}`;
  }

  /** Opens a socket; its frames are collected from the first one on. */
  async socket(host: string, path: string): Promise<TestSocket> {
    const socket = new WebSocket(`${this.#loopback.address(host, 'ws')}${path}`);
    const opened = new TestSocket(socket, this.#key);
    await once(socket, 'open');
    return opened;
  }
}

/** A socket whose frames a spec can wait for. */
export class TestSocket {
  readonly frames: Record<string, unknown>[] = [];
  isClosed = false;
  readonly #socket: WebSocket;
  readonly #key: ApiKey | null;
  #lastId = 0;

  constructor(socket: WebSocket, key: ApiKey | null) {
    this.#socket = socket;
    this.#key = key;
    socket.on('message', (data) => {
      this.frames.push(JSON.parse((data as Buffer).toString()) as Record<string, unknown>);
    });
    socket.on('close', () => {
      this.isClosed = true;
    });
  }

  write(frame: object): void {
    this.#socket.send(JSON.stringify(frame));
  }

  /** A signed request of the socket API and its answer. */
  async request(method: string, parameters: Parameters = {}): Promise<Record<string, unknown>> {
    this.#lastId += 1;
    const id = this.#lastId;
    const params: Parameters = { apiKey: this.#key?.key ?? '', timestamp: Date.now(), ...parameters };
    const payload = Object.keys(params)
      .toSorted()
      .map((name) => `${name}=${String(params[name])}`)
      .join('&');
    const signature = createHmac('sha256', this.#key?.secret ?? '')
      .update(payload)
      .digest('hex');
    this.write({ id, method, params: { ...params, signature } });
    return this.frame((frame) => frame['id'] === id);
  }

  /** The first frame that fits, now or later. */
  async frame(fits: (frame: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    for (let waitedMs = 0; waitedMs < WAIT_MS_MAX; waitedMs += 5) {
      const found = this.frames.find(fits);
      if (found !== undefined) return found;
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    }
    throw new Error(`no such frame within ${WAIT_MS_MAX} ms among ${JSON.stringify(this.frames).slice(0, 2_000)}`);
  }

  close(): void {
    this.#socket.terminate();
  }
}

function queryOf(parameters: Parameters): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
