import { NO_RETRY, SluiceClient, type RetryPolicy } from '../../src/client/index.js';
import { openIdentity } from '../../src/journal/identity/index.js';
import { isRejected } from '../../src/model/rejection.js';
import { newLedger } from './ledger.js';

export interface KeyOf {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** An account with its key, what its clients know, and their connections to the present life of the service. */
export class Desk {
  readonly ledger = newLedger();
  readonly account: string;
  readonly key: KeyOf;
  #client: SluiceClient | null = null;

  private constructor(account: string, key: KeyOf) {
    this.account = account;
    this.key = key;
  }

  /** Makes the account's key, without the service. */
  static async open(dataDir: string, account: string): Promise<Desk> {
    const identity = openIdentity(dataDir);
    const created = identity.keys.createKey({ account, permissions: ['trade'], kind: 'HMAC' }, Date.now());
    await identity.close();
    if (isRejected(created)) throw new Error(created.rejection.message);
    return new Desk(account, { apiKey: created.apiKey, apiSecret: created.apiSecret ?? '' });
  }

  get client(): SluiceClient {
    if (this.#client === null) throw new Error(`${this.account} is not connected`);
    return this.#client;
  }

  /** `nowMs`: the wall clock, by which requests are signed. The workload itself decides what is sent again. */
  connect(port: number, nowMs: () => number, retry: RetryPolicy = NO_RETRY): void {
    this.#client?.close();
    this.#client = new SluiceClient({
      url: `http://127.0.0.1:${port}`,
      ...this.key,
      connections: 16,
      retry,
      nowMs,
    });
  }

  close(): void {
    this.#client?.close();
  }
}
