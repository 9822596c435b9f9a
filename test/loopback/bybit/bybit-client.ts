import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { ApiKey } from '../accounts.js';
import { TestSocket } from '../test-client.js';
import type { BybitLoopback } from './bybit-loopback.js';

export type Parameters = Readonly<Record<string, string | number | boolean>>;

/** An answer with its parsed body. */
export interface BybitAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly retCode: number; readonly retMsg: string; readonly result: Record<string, unknown> };
}

/** What a spec may change in a signed request. */
export interface SignedWith {
  readonly timestamp?: number;
  readonly windowMs?: number;
  readonly secret?: string;
}

/** Sends what a spec asks, also wrong requests. It signs when it has a key. */
export class BybitClient {
  readonly #loopback: BybitLoopback;
  readonly #key: ApiKey | null;

  constructor(loopback: BybitLoopback, key: ApiKey | null = null) {
    this.#loopback = loopback;
    this.#key = key;
  }

  get(path: string, parameters: Parameters = {}, signed: SignedWith = {}): Promise<BybitAnswer> {
    return this.#send('GET', path, parameters, signed);
  }

  post(path: string, parameters: Parameters, signed: SignedWith = {}): Promise<BybitAnswer> {
    return this.#send('POST', path, parameters, signed);
  }

  /** The result of an answer without an error. */
  async result(answer: Promise<BybitAnswer>): Promise<Record<string, unknown>> {
    const { body } = await answer;
    if (body.retCode !== 0) throw new Error(`${body.retCode} ${body.retMsg}`);
    return body.result;
  }

  /** Opens a socket of the stream host; its frames are collected from the first one on. */
  async socket(path: string): Promise<TestSocket> {
    const socket = new WebSocket(`${this.#loopback.address('stream.bybit.com', 'ws')}${path}`);
    const opened = new TestSocket(socket, this.#key);
    await once(socket, 'open');
    return opened;
  }

  /** Opens a socket and logs in. */
  async login(path: string): Promise<TestSocket> {
    const socket = await this.socket(path);
    const expires = Date.now() + 10_000;
    socket.write({ op: 'auth', args: [this.#key?.key, expires, this.#sign(`GET/realtime${expires}`)] });
    await socket.frame(({ op }) => op === 'auth');
    return socket;
  }

  async #send(method: 'GET' | 'POST', path: string, parameters: Parameters, signed: SignedWith): Promise<BybitAnswer> {
    const query = method === 'GET' ? new URLSearchParams(parameters as Record<string, string>).toString() : '';
    const body = method === 'POST' ? JSON.stringify(parameters) : '';
    const answer = await fetch(`${this.#loopback.address('api.bybit.com')}${path}?${query}`, {
      method,
      headers: this.#key === null ? {} : this.#headers(this.#key, query + body, signed),
      ...(method === 'POST' && { body }),
    });
    const text = await answer.text();
    const isJson = text.startsWith('{');
    const parsed = isJson
      ? (JSON.parse(text) as BybitAnswer['body'])
      : { retCode: Number.NaN, retMsg: text, result: {} };
    return { status: answer.status, headers: answer.headers, body: parsed };
  }

  #headers({ key }: ApiKey, payload: string, { timestamp, windowMs, secret }: SignedWith): Record<string, string> {
    const [time, window] = [String(timestamp ?? Date.now()), String(windowMs ?? 5_000)];
    return {
      'x-bapi-api-key': key,
      'x-bapi-timestamp': time,
      'x-bapi-recv-window': window,
      'x-bapi-sign': this.#sign(`${time}${key}${window}${payload}`, secret),
    };
  }

  #sign(payload: string, secret = this.#key?.secret ?? ''): string {
    return createHmac('sha256', secret).update(payload).digest('hex');
  }
}
