import { connect } from 'node:net';
import { request } from 'node:http';
import { startHttpServer, type HttpServer, type HttpServerDeps } from '../../src/http/server.js';
import { Intake, type IntakeParts } from '../../src/intake/intake.js';
import { BODY_BYTES_MAX, CONNECTIONS_MAX, TIMESTAMP_AHEAD_MS_MAX } from '../../src/domain/limits/clients.js';
import { noRefusals } from '../../src/domain/rejection.js';
import type { TradingHalt } from '../../src/domain/command.js';
import type { Rejection } from '../../src/domain/rejection.js';
import { CONSOLE_FILES } from './console-page.js';
import { costsOf } from './costs.js';
import { TurnEnd } from '../../src/runtime/turn-end.js';
import { FakeSessionRecords, FakeTimerStore } from '../intake/fake-timer-store.js';
import { FakeSignatureStore } from './fake-signature-store.js';
import { FakeOrderBook } from '../intake/fake-order-book.js';
import { FIGURES } from './figures.js';
import { FUNDING } from './funding-rates.js';
import { KEYS, STANDARD_SECRET, URL_SAFE_SECRET, signHmac, signRsa } from './keys.js';
import { MARKET } from './sight.js';
import { CATALOGUE, NOW_MS } from './orders.js';
import { positionsAt } from './positions.js';
import { NO_KILL_SWITCHES, NO_LIMITS_SET } from '../intake/no-limits.js';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface Sending {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const SECRETS: Readonly<Record<string, string>> = {
  TRADER: STANDARD_SECRET,
  READER: URL_SAFE_SECRET,
  STRANGER: STANDARD_SECRET,
};

const NO_KILL_SWITCH_STORE: IntakeParts['killSwitchStore'] = { engage: (_scope, _engaged, onDisk) => onDisk() };
const NO_REVIEWS: IntakeParts['reviews'] = { review: (_draft, _by, answer) => answer([]) };
const LISTEN_KEYS: HttpServerDeps['listenKeys'] = { issue: (account) => `key of ${account}` };
export const ACCOUNTS: IntakeParts['accounts'] = {
  balances: (_account, _venue, answer) => answer([]),
  positions: (_account, venue, answer) => answer(positionsAt(venue)),
};

/** A server on a free port with fake dependencies, and a client that signs. The test moves the time. */
export class RunningServer {
  readonly book = new FakeOrderBook();
  readonly signatures = new FakeSignatureStore();
  readonly sessionRecords = new FakeSessionRecords();
  readonly errors: object[] = [];
  readonly refusals = noRefusals();
  realMs = 1_800_000_000_000;
  monotonicMs = 0;
  isReady = true;
  halts: readonly TradingHalt[] = [];
  halt: Rejection | null = null;
  /** Source address of the client, in 127.0.0.0/8. */
  clientAddress = '127.0.0.1';
  #server: HttpServer | null = null;
  #intake: Intake | null = null;
  #signedCount = 0;
  #sessionCount = 0;

  async start(overrides: Partial<Omit<HttpServerDeps, 'intake'> & IntakeParts> = {}): Promise<void> {
    const parts = {
      host: '127.0.0.1',
      port: 0,
      consoleFiles: CONSOLE_FILES,
      commands: this.book,
      cancelAllAfterStore: new FakeTimerStore(),
      sessionRecords: this.sessionRecords,
      newSessionId: () => `session-${(this.#sessionCount += 1)}`,
      pendingOrders: () => [],
      afterPending: () => false,
      takeOrderId: () => this.book.takeOrderId(),
      risk: NO_LIMITS_SET,
      killSwitches: NO_KILL_SWITCHES,
      killSwitchStore: NO_KILL_SWITCH_STORE,
      auditKillSwitch: () => undefined,
      reader: this.book,
      latestEventOf: () => this.book.durableSeq,
      accounts: ACCOUNTS,
      funding: FUNDING,
      costs: costsOf(this.book),
      market: MARKET,
      reviews: NO_REVIEWS,
      keys: KEYS,
      signatures: this.signatures,
      listenKeys: LISTEN_KEYS,
      catalogue: CATALOGUE,
      isVenueUp: () => true,
      liveModes: new Map(),
      clock: { nowMs: () => NOW_MS },
      realNowMs: () => this.realMs,
      steadyRealMs: () => this.realMs,
      monotonicMs: () => this.monotonicMs,
      atEndOfTurn: new TurnEnd().add,
      orderRate: 0,
      readRate: 0,
      addressLimit: null,
      bodyBytesMax: BODY_BYTES_MAX,
      connectionsMax: CONNECTIONS_MAX,
      subscriberOf: () => null,
      refusals: this.refusals,
      figures: FIGURES,
      metricsToken: null,
      tradingHalts: () => this.halts,
      haltOf: () => this.halt,
      readiness: () => ({ isReady: this.isReady, detail: 'fakes' }),
      log: { error: (context: object) => void this.errors.push(context), info: () => undefined },
      attach: () => undefined,
      ...overrides,
    };
    const intake = new Intake(parts);
    this.#intake = intake;
    this.#server = await startHttpServer({ ...parts, intake });
  }

  get intake(): Intake {
    if (this.#intake === null) throw new Error('not started');
    return this.#intake;
  }

  get server(): HttpServer {
    if (this.#server === null) throw new Error('not started');
    return this.#server;
  }

  /** Sends a signed GET; `query` is sent unchanged. */
  get(path: string, query = '', { key = 'TRADER', headers = {} }: Sending = {}): Promise<Answer> {
    const target = query === '' ? path : `${path}?${query}`;
    return this.send('GET', target, '', { ...this.signed(query, key), ...headers });
  }

  /** Sends a signed POST of a JSON value, or of a text unchanged. */
  post(path: string, body: unknown, { key = 'TRADER', headers = {} }: Sending = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.send('POST', path, text, { ...this.signed(text, key), ...headers });
  }

  /**
   * Returns a different time stamp for each call of one instant, within the allowed lead, so that signatures differ.
   */
  signed(payload: string | Buffer, key: string): Record<string, string> {
    const timestamp = String(this.realMs + (this.#signedCount % TIMESTAMP_AHEAD_MS_MAX));
    this.#signedCount += 1;
    const secret = SECRETS[key] ?? STANDARD_SECRET;
    return {
      'X-API-KEY': key,
      'X-TIMESTAMP': timestamp,
      'X-SIGN':
        key === 'RSA'
          ? signRsa(`${timestamp}${key}5000`, payload)
          : signHmac(secret, `${timestamp}${key}5000`, payload),
    };
  }

  send(method: string, path: string, body: string | Buffer, headers: Record<string, string>): Promise<Answer> {
    const { clientAddress: localAddress } = this;
    return new Promise((resolve, reject) => {
      const length = body.length === 0 ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
      const outgoing = request(
        {
          host: '127.0.0.1',
          port: this.server.port,
          localAddress,
          method,
          path,
          headers: { ...headers, ...length },
          agent: false,
        },
        (incoming) => {
          let text = '';
          incoming.setEncoding('utf8');
          incoming.on('data', (chunk: string) => (text += chunk));
          incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text }));
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  /** Writes bytes to a new socket. Resolves with the answer when it `isEnough`, or when the socket is closed. */
  raw(
    bytes: string | Buffer,
    isEnough: (received: string) => boolean,
  ): Promise<{ received: string; isClosed: boolean }> {
    return new Promise((resolve) => {
      const socket = connect(this.server.port, '127.0.0.1', () => socket.write(bytes));
      let received = '';
      const finish = (isClosed: boolean): void => {
        socket.destroy();
        resolve({ received, isClosed });
      };
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1');
        if (isEnough(received)) finish(false);
      });
      socket.on('error', () => undefined);
      socket.on('close', () => finish(true));
    });
  }
}
