import { setTimeout as sleep } from 'node:timers/promises';
import { bytesOf, type Key, plainHeaders, signatureHeaders } from './request-head.js';
import { type Address, WireConnection } from './wire-connection.js';

const ANSWER_WAIT_MS = 120_000;
const AGAIN_MS = 250;
const REFUSALS_MAX = 240;
const REFUSED: ReadonlySet<number> = new Set([429, 503]);

/** A running service and a key, for valid requests. Sessions may have other keys of the same account. */
export class Target {
  readonly address: Address;
  readonly key: Key;
  readonly #sessionKeys: readonly Key[];

  constructor(address: Address, key: Key, sessionKeys: readonly Key[] = [key]) {
    this.address = address;
    this.key = key;
    this.#sessionKeys = sessionKeys;
  }

  /** The key of the sessions of one client. The frames of each key have a bound. */
  sessionKeyOf(client: number): Key {
    return this.#sessionKeys[client % this.#sessionKeys.length] ?? this.key;
  }

  streamUrl(listenKey: string): string {
    return `ws://${this.address.host}:${this.address.port}/api/v2/ws?listenKey=${listenKey}`;
  }

  /** Returns the JSON of a GET, repeated while the service rejects it temporarily. Throws for any other answer. */
  async get(path: string, query = ''): Promise<unknown> {
    for (let refusals = 0; refusals < REFUSALS_MAX; refusals += 1) {
      const { status, text } = await this.#ask(path, query);
      if (status === 200) return JSON.parse(text);
      if (!REFUSED.has(status)) throw new Error(`${path} answered ${status}: ${text}`);
      await sleep(AGAIN_MS);
    }
    throw new Error(`${path} was refused for too long`);
  }

  async #ask(path: string, query: string): Promise<{ status: number; text: string }> {
    const connection = await WireConnection.open(this.address);
    const target = query === '' ? path : `${path}?${query}`;
    const headers = [...plainHeaders(NO_BODY, false), ...signatureHeaders(this.key, query, Date.now())];
    const bytes = bytesOf({ method: 'GET', target, headers, body: NO_BODY });
    const outcome = await connection.exchange(bytes, false, ANSWER_WAIT_MS);
    connection.close();
    if (outcome.kind !== 'answer') throw new Error(`${path}: ${outcome.kind}`);
    return { status: outcome.answer.status, text: outcome.answer.body.toString() };
  }
}

const NO_BODY = Buffer.alloc(0);
