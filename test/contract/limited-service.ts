import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { readConfig } from '../../src/runtime/config.js';
import { STREAM_PATH } from '../../src/api/document/asyncapi.js';
import { AddressLimit } from '../../src/http/address-limit.js';
import { ListenKeyCheck } from '../../src/http/gate.js';
import { JwtListenKeys } from '../../src/keys/listen-key.js';
import type { EpochMs } from '../../src/domain/time.js';
import { type StreamDeps, SYSTEM_TIMERS } from '../../src/stream/port.js';
import { attachStream, type StreamServer } from '../../src/stream/server.js';
import { FIGURES } from '../http/figures.js';
import { KEYS } from '../http/keys.js';
import { RunningServer, type Answer } from '../http/running-server.js';
import { CATALOGUE } from '../stream/catalogue.js';
import { FeedSource } from '../stream/feed-source.js';
import { MemoryReader } from '../stream/memory-reader.js';
import { marketAt, StreamClient } from '../stream/stream-rig.js';

/** Requests from this address count as requests of another machine. */
export const ELSEWHERE = '127.0.0.9';
const LAST_BYTE_ELSEWHERE = 9;
const HOME = '127.0.0.1';

/**
 * REST and streams on one port, composed like the service, with limits from environment variables. Orders and markets
 * are fakes. The clocks of budgets and streams do not move.
 */
export class LimitedService {
  readonly rest = new RunningServer();
  #streams: StreamServer | null = null;

  static async start(env: Readonly<Record<string, string>>): Promise<LimitedService> {
    const service = new LimitedService();
    await service.#start(env);
    return service;
  }

  /** Requests a listen key over REST with `key`. */
  async listenKey(key = 'TRADER'): Promise<string> {
    return JSON.parse((await this.rest.get('/api/v2/trading/listenKey', '', { key })).text) as string;
  }

  /** An open stream. */
  async connect(listenKey: string): Promise<StreamClient> {
    const client = new StreamClient(this.#socket(listenKey));
    await client.opened;
    return client;
  }

  /** Sends a handshake that is refused, and returns the answer. */
  refused(listenKey: string): Promise<Answer> {
    const socket = this.#socket(listenKey);
    return new Promise((resolve, reject) => {
      socket.on('error', () => undefined);
      socket.on('open', () => reject(new Error('the handshake was not refused')));
      socket.on('unexpected-response', (_request, response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
    });
  }

  /** Refusals of each limit in the metrics, without limits that refused nothing. */
  async refusals(): Promise<Readonly<Record<string, number>>> {
    this.rest.clientAddress = HOME;
    const { text } = await this.rest.send('GET', '/metrics', '', {});
    const rows = [...text.matchAll(/^sluice_limit_refusals_total\{limit="(\w+)"\} (\d+)$/gm)];
    return Object.fromEntries(
      rows.flatMap(([, limit = '', count]) => (count === '0' ? [] : [[limit, Number(count)] as const])),
    );
  }

  async #start(env: Readonly<Record<string, string>>): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-limits-'));
    const config = readConfig({ SLUICE_DATA_DIR: folder, ...env });
    const { refusals } = this.rest;
    const addressLimit = config.addressRate === 0 ? null : new AddressLimit(config.addressRate, refusals, isFromHere);
    const realNowMs = (): number => this.rest.realMs;
    const listenKeys = new JwtListenKeys({ secret: Buffer.alloc(32), ttlS: config.listenKeyTtlS, realNowMs });
    const listenKeyCheck = new ListenKeyCheck({ verify: (token) => listenKeys.verify(token), keys: KEYS, realNowMs });
    await this.rest.start({
      orderRate: config.orderRate,
      readRate: config.readRate,
      bodyBytesMax: config.bodyBytesMax,
      addressLimit,
      listenKeys,
      figures: {
        ...FIGURES,
        openStreams: () => this.#streams?.connectionCount ?? 0,
        subscriptions: () => this.#streams?.subscriptionCounts() ?? {},
      },
      attach: (app, nextRequestId, onSocketClosed) => {
        this.#streams = attachStream(app, {
          ...STREAM_FAKES,
          settings: config,
          refusals,
          waitOf: (address) => addressLimit?.take(address, 0)?.retryAfterS ?? 0,
          verifyListenKey: (token, address) => listenKeyCheck.holderOf(token, address),
          onSocketClosed,
          keyFailure: (holder) => listenKeyCheck.failureOf(holder),
          nextRequestId,
        });
      },
    });
    onTestFinished(async () => {
      this.#streams?.drain();
      await this.rest.server.close();
      rmSync(folder, { recursive: true });
    });
  }

  #socket(listenKey: string): WebSocket {
    const url = `ws://127.0.0.1:${this.rest.server.port}${STREAM_PATH}?listenKey=${listenKey}`;
    return new WebSocket(url, { localAddress: this.rest.clientAddress });
  }
}

function isFromHere(address: Uint8Array): boolean {
  return address.at(-1) !== LAST_BYTE_ELSEWHERE;
}

type Fakes = Omit<
  StreamDeps,
  'settings' | 'refusals' | 'waitOf' | 'verifyListenKey' | 'keyFailure' | 'onSocketClosed' | 'nextRequestId'
>;

const EMPTY_READER = new MemoryReader();

/** Two instruments with constant prices and an account without events. */
const STREAM_FAKES: Fakes = {
  catalogue: CATALOGUE,
  reader: EMPTY_READER,
  latestEventOf: () => EMPTY_READER.durableSeq,
  followed: { add: () => undefined, remove: () => undefined },
  clock: { nowMs: () => 5_000 as EpochMs },
  timers: { ...SYSTEM_TIMERS, nowMs: () => 0 },
  balances: () => undefined,
  positions: () => undefined,
  market: () => marketAt(100),
  watchMarket: () => undefined,
  followFeed: new FeedSource().follow,
  onFault: (error) => {
    throw error;
  },
};
