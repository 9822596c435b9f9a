import { randomBytes } from 'node:crypto';
import { BAD_LISTEN_KEY, REJECTED_KEY } from './api-error.js';
import type { Endpoint, RequestContext } from './endpoint.js';
import type { LoopbackAccount } from '../accounts.js';

const VALID_MS = 60 * 60_000;
const KEY_BYTES = 32;

interface ListenKey {
  readonly key: string;
  readonly account: number;
  expiresAtMs: number;
}

/** Listen keys of the futures user streams: one of each account, valid for 60 minutes after the last request for it. */
export class ListenKeys {
  readonly #keys = new Map<string, ListenKey>();
  readonly #onExpired: (key: ListenKey) => void;

  constructor(onExpired: (key: ListenKey) => void) {
    this.#onExpired = onExpired;
  }

  get endpoints(): readonly Endpoint[] {
    return [
      endpoint('POST /fapi/v1/listenKey', 'userDataStream.start', (context) => {
        const found = this.keyOf(ownerOf(context).id) ?? this.#create(ownerOf(context).id);
        found.expiresAtMs = context.nowMs + VALID_MS;
        return { listenKey: found.key };
      }),
      endpoint('PUT /fapi/v1/listenKey', 'userDataStream.ping', (context) => {
        const found = this.keyOf(ownerOf(context).id);
        if (found === null) throw BAD_LISTEN_KEY();
        found.expiresAtMs = context.nowMs + VALID_MS;
        return { listenKey: found.key };
      }),
      endpoint('DELETE /fapi/v1/listenKey', 'userDataStream.stop', (context) => {
        const found = this.keyOf(ownerOf(context).id);
        if (found !== null) this.#keys.delete(found.key);
        return {};
      }),
    ];
  }

  keyOf(account: number): ListenKey | null {
    return [...this.#keys.values()].find((key) => key.account === account) ?? null;
  }

  /** Ends the keys that are too old. */
  expire(nowMs: number): void {
    for (const key of this.#keys.values()) {
      if (key.expiresAtMs > nowMs) continue;
      this.#keys.delete(key.key);
      this.#onExpired(key);
    }
  }

  /** Ends the key of an account now, as after 60 minutes without a request. */
  expireNow(account: number): void {
    const found = this.keyOf(account);
    if (found !== null) found.expiresAtMs = 0;
    this.expire(1);
  }

  #create(account: number): ListenKey {
    const created = { key: randomBytes(KEY_BYTES).toString('hex'), account, expiresAtMs: 0 };
    this.#keys.set(created.key, created);
    return created;
  }
}

function endpoint(rest: string, socket: string, run: Endpoint['run']): Endpoint {
  return { rest, socket, security: 'KEY', weight: 1, run };
}

function ownerOf({ identity }: RequestContext): LoopbackAccount {
  if (identity === null) throw REJECTED_KEY();
  return identity.account;
}
