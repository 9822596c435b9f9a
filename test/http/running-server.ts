import { connect } from 'node:net';
import { request } from 'node:http';
import { startHttpServer, type HttpServer, type HttpServerDeps } from '../../src/http/server.js';
import { BODY_BYTES_MAX, CONNECTIONS_MAX, TIMESTAMP_AHEAD_MS_MAX } from '../../src/model/limits.js';
import type { Rejection } from '../../src/model/rejection.js';
import { noRefusals } from '../../src/model/refusal-counts.js';
import type { TradingHalt } from '../../src/model/trading-halt.js';
import { CONSOLE_FILES } from './console-page.js';
import { costsOf } from './costs.js';
import { FakeSwitchStore } from './fake-switch-store.js';
import { FakeSignatureStore } from './fake-signature-store.js';
import { FakeOrderBook } from './fake-order-book.js';
import { FIGURES } from './figures.js';
import { FUNDING } from './funding-rates.js';
import { PRICES } from './prices.js';
import { KEYS, STANDARD_SECRET, URL_SAFE_SECRET, signHmac, signRsa } from './keys.js';
import { SIGHT } from './sight.js';
import { CATALOGUE, NOW_MS } from './orders.js';
import { positionsAt } from './positions.js';
import { NO_HALTS, UNGUARDED } from './unguarded.js';

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

/** A server on a free port with fakes behind its ports, and a client that signs. Time stands still unless moved. */
export class RunningServer {
  readonly book = new FakeOrderBook();
  readonly signatures = new FakeSignatureStore();
  readonly errors: object[] = [];
  readonly refusals = noRefusals();
  realMs = 1_800_000_000_000;
  monotonicMs = 0;
  isReady = true;
  halts: readonly TradingHalt[] = [];
  halt: Rejection | null = null;
  /** Where the client sends from: any of 127.0.0.0/8. */
  clientAddress = '127.0.0.1';
  #server: HttpServer | null = null;
  #signedCount = 0;

  async start(overrides: Partial<HttpServerDeps> = {}): Promise<void> {
    this.#server = await startHttpServer({
      host: '127.0.0.1',
      port: 0,
      desk: this.book,
      consoleFiles: CONSOLE_FILES,
      cancelSwitches: new FakeSwitchStore(),
      guardrails: UNGUARDED,
      halts: NO_HALTS,
      killSwitchStore: { engage: (_scope, _halt, onDisk) => onDisk() },
      reader: this.book,
      balances: { balances: (_account, _venue, answer) => answer([]) },
      positions: { positions: (_account, venue, answer) => answer(positionsAt(venue)) },
      funding: FUNDING,
      prices: PRICES,
      costs: costsOf(this.book),
      sight: SIGHT,
      reviews: { review: (_draft, _by, answer) => answer([]) },
      keys: KEYS,
      signatures: this.signatures,
      listenKeys: { issue: (account) => `key of ${account}` },
      catalogue: CATALOGUE,
      isVenueUp: () => true,
      clock: { nowMs: () => NOW_MS },
      realNowMs: () => this.realMs,
      steadyRealMs: () => this.realMs,
      monotonicMs: () => this.monotonicMs,
      orderRate: 0,
      readRate: 0,
      addressLimit: null,
      bodyBytesMax: BODY_BYTES_MAX,
      connectionsMax: CONNECTIONS_MAX,
      refusals: this.refusals,
      figures: FIGURES,
      metricsToken: null,
      tradingHalts: () => this.halts,
      haltOf: () => this.halt,
      readiness: () => ({ isReady: this.isReady, detail: 'fakes' }),
      log: { error: (context) => this.errors.push(context), info: () => undefined },
      attach: () => undefined,
      ...overrides,
    });
  }

  get server(): HttpServer {
    if (this.#server === null) throw new Error('not started');
    return this.#server;
  }

  /** Signed GET; `query` is sent as it is. */
  get(path: string, query = '', { key = 'TRADER', headers = {} }: Sending = {}): Promise<Answer> {
    const target = query === '' ? path : `${path}?${query}`;
    return this.send('GET', target, '', { ...this.signed(query, key), ...headers });
  }

  /** Signed POST of a JSON value or of a text as it is. */
  post(path: string, body: unknown, { key = 'TRADER', headers = {} }: Sending = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.send('POST', path, text, { ...this.signed(text, key), ...headers });
  }

  /** Of the same instant no two signatures are equal: their time stamps lie within what is allowed ahead. */
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

  /** Writes bytes to a fresh socket and resolves with all that came back once `isEnough`, or when it is closed. */
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
