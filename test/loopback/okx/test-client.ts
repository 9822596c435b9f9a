import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { ApiKey } from '../accounts.js';
import { type TestAnswer, TestSocket } from '../test-client.js';
import type { OkxLoopback } from './okx-loopback.js';

type Members = Readonly<Record<string, unknown>>;

/** An answer of the V5 interface. */
export interface OkxAnswer {
  readonly code: string;
  readonly msg: string;
  readonly data: readonly Record<string, unknown>[];
}

/** Sends what a spec asks to an OKX on loopback, also wrong requests. It signs when it has a key. */
export class OkxTestClient {
  readonly #loopback: OkxLoopback;
  readonly #key: ApiKey | null;

  constructor(loopback: OkxLoopback, key: ApiKey | null = null) {
    this.#loopback = loopback;
    this.#key = key;
  }

  /** `members` are the query of a GET and the JSON body of a POST. `headers` replace those of the signature. */
  async send(
    method: 'GET' | 'POST',
    path: string,
    { members = {}, headers = {} }: { members?: Members | readonly Members[]; headers?: Record<string, string> } = {},
  ): Promise<TestAnswer> {
    const isGet = method === 'GET';
    const text = isGet ? new URLSearchParams(members as Record<string, string>).toString() : '';
    const target = `/api/v5/${path}${text === '' ? '' : `?${text}`}`;
    const body = isGet ? '' : JSON.stringify(members);
    const timestamp = headers['ok-access-timestamp'] ?? new Date(this.#loopback.clock.nowMs()).toISOString();
    const signed = this.#key === null ? {} : this.#signature(`${timestamp}${method}${target}${body}`, timestamp);
    const answer = await fetch(`${this.#loopback.address('www.okx.com')}${target}`, {
      method,
      headers: { 'content-type': 'application/json', ...signed, ...headers },
      ...(!isGet && { body }),
    });
    const found = await answer.text();
    let parsed: unknown = null;
    try {
      parsed = JSON.parse(found);
    } catch {
      // A page of a load balancer.
    }
    return { status: answer.status, headers: answer.headers, text: found, body: parsed };
  }

  async get(path: string, members: Members = {}): Promise<OkxAnswer> {
    return (await this.send('GET', path, { members })).body as OkxAnswer;
  }

  async post(path: string, members: Members | readonly Members[]): Promise<OkxAnswer> {
    return (await this.send('POST', path, { members })).body as OkxAnswer;
  }

  /** `sCode` of a request about one order; the code of the answer when it has none. */
  async codeOf(path: string, members: Members): Promise<string> {
    const { code, data } = await this.post(path, members);
    const own = data[0]?.['sCode'];
    return typeof own === 'string' ? own : code;
  }

  async socket(kind: 'public' | 'private' | 'business'): Promise<TestSocket> {
    const socket = new WebSocket(`${this.#loopback.address('ws.okx.com', 'ws')}/ws/v5/${kind}`);
    const opened = new TestSocket(socket, this.#key);
    await once(socket, 'open');
    return opened;
  }

  /** The arguments of a login, with the given members instead of the right ones. */
  login(change: Members = {}): object {
    const timestamp = String(Math.floor(this.#loopback.clock.nowMs() / 1000));
    const { key: apiKey, passphrase, secret } = this.#key!;
    const sign = createHmac('sha256', secret ?? '')
      .update(`${timestamp}GET/users/self/verify`)
      .digest('base64');
    return { op: 'login', args: [{ apiKey, passphrase, timestamp, sign, ...change }] };
  }

  #signature(payload: string, timestamp: string): Record<string, string> {
    const { key, secret, passphrase } = this.#key!;
    return {
      'ok-access-key': key,
      'ok-access-passphrase': passphrase ?? '',
      'ok-access-timestamp': timestamp,
      'ok-access-sign': createHmac('sha256', secret ?? '')
        .update(payload)
        .digest('base64'),
    };
  }
}
