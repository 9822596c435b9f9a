import { NO_RETRY, SluiceClient, type RetryPolicy } from '../../src/client/index.js';
import { openIdentity } from '../../src/runtime/identity.js';
import { isRejected } from '../../src/domain/rejection.js';
import { onceStored } from '../system/eventually.js';
import { newLedger } from './ledger.js';

/** A starved machine may deliver a request many seconds late, which is not what the rounds are about. */
const RECV_WINDOW_MS = 60_000;

export interface KeyOf {
  readonly apiKey: string;
  readonly apiSecret: string;
}

/** An account with its key, the knowledge of its clients, and their connections to the present run of the service. */
export class AccountSession {
  readonly ledger = newLedger();
  readonly account: string;
  readonly key: KeyOf;
  #client: SluiceClient | null = null;
  #sessionClient: SluiceClient | null = null;

  private constructor(account: string, key: KeyOf) {
    this.account = account;
    this.key = key;
  }

  /** Creates the account's key while no service runs. */
  static async open(dataDir: string, account: string): Promise<AccountSession> {
    const identity = openIdentity(dataDir);
    const created = identity.keys.createKey({ account, permissions: ['trade'], kind: 'HMAC' }, Date.now());
    await identity.close();
    if (isRejected(created)) throw new Error(created.rejection.message);
    return new AccountSession(account, { apiKey: created.apiKey, apiSecret: created.apiSecret ?? '' });
  }

  get client(): SluiceClient {
    if (this.#client === null) throw new Error(`${this.account} is not connected`);
    return this.#client;
  }

  /** A client that sends orders and changes over a WebSocket session. */
  get sessionClient(): SluiceClient {
    if (this.#sessionClient === null) throw new Error(`${this.account} is not connected`);
    return this.#sessionClient;
  }

  /** `nowMs`: the wall clock that signs requests. By default the workload itself repeats requests. */
  connect(port: number, nowMs: () => number, retry: RetryPolicy = NO_RETRY): void {
    this.close();
    const url = `http://127.0.0.1:${port}`;
    const options = { url, ...this.key, connections: 16, retry, nowMs, recvWindowMs: RECV_WINDOW_MS };
    this.#client = onceStored(new SluiceClient(options));
    this.#sessionClient = onceStored(new SluiceClient({ ...options, transport: 'ws' }));
  }

  close(): void {
    this.#client?.close();
    this.#sessionClient?.close();
  }
}
