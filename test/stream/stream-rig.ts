import { once } from 'node:events';
import { App, type TemplatedApp, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js';
import type { us_listen_socket } from 'uWebSockets.js';
import { WebSocket } from 'ws';
import type { AccountTopic, EventEnvelope } from '../../src/domain/event.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { Market } from '../../src/domain/market.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { noRefusals, type OrRejection } from '../../src/domain/rejection.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { AssetBalance, PositionsReport } from '../../src/domain/venue-report.js';
import { type StreamDeps, type StreamHolder, SYSTEM_TIMERS } from '../../src/stream/port.js';
import { attachStream, type StreamServer } from '../../src/stream/server.js';
import { CATALOGUE } from './catalogue.js';
import { FeedSource } from './feed-source.js';
import { MemoryReader } from './memory-reader.js';
import { ACCOUNT, OTHER_ACCOUNT } from './sample-events.js';
import { holderAt } from './sample-holder.js';
import { STREAM_SETTINGS } from './stream-settings.js';

type BalancesAnswer = (result: OrRejection<readonly AssetBalance[]>) => void;
type PositionsAnswer = (result: OrRejection<PositionsReport>) => void;

/** The streams on a real socket, with fakes for the rest of the service. */
export class StreamRig {
  readonly reader = new MemoryReader();
  readonly markets = new Map<InstrumentIndex, Market>();
  readonly watched: [InstrumentIndex, boolean][] = [];
  readonly feeds = new FeedSource();
  readonly balanceQueries: BalancesAnswer[] = [];
  readonly positionQueries: PositionsAnswer[] = [];
  readonly faults: unknown[] = [];
  readonly refusals = noRefusals();
  readonly #clients: StreamClient[] = [];
  readonly #app: TemplatedApp = App();
  readonly streams: StreamServer;
  #listenSocket: us_listen_socket | null = null;
  port = 0;

  constructor(settings: Partial<StreamDeps['settings']> = {}, changes: Partial<StreamDeps> = {}) {
    this.streams = attachStream(this.#app, {
      settings: { ...STREAM_SETTINGS, ...settings },
      catalogue: CATALOGUE,
      reader: this.reader,
      latestEventOf: () => this.reader.durableSeq,
      followed: { add: () => undefined, remove: () => undefined },
      clock: { nowMs: () => 5_000 as EpochMs },
      timers: SYSTEM_TIMERS,
      refusals: this.refusals,
      waitOf: () => 0,
      verifyListenKey: (token) => holderOf(token),
      keyFailure: () => null,
      onSocketClosed: () => undefined,
      balances: (_account, _venue, answer) => this.balanceQueries.push(answer),
      positions: (_account, _venue, answer) => this.positionQueries.push(answer),
      market: (index) => this.markets.get(index) ?? marketAt(100),
      watchMarket: (index, isWatched) => this.watched.push([index, isWatched]),
      followFeed: (feed, follower) => this.feeds.follow(feed, follower),
      nextRequestId: () => 'request-1',
      onFault: (error) => this.faults.push(error),
      ...changes,
    });
  }

  async listen(): Promise<this> {
    this.#listenSocket = await new Promise((resolve) => {
      this.#app.listen('127.0.0.1', 0, (socket) => resolve(socket === false ? null : socket));
    });
    if (this.#listenSocket === null) throw new Error('no port to listen on');
    this.port = us_socket_local_port(this.#listenSocket);
    return this;
  }

  async connect(token = 'demo'): Promise<StreamClient> {
    const client = new StreamClient(new WebSocket(`ws://127.0.0.1:${this.port}/api/v2/ws?listenKey=${token}`));
    this.#clients.push(client);
    await client.opened;
    return client;
  }

  /** Makes an event durable and publishes it to the streams, unless the test drops it. */
  publish(topic: AccountTopic, envelope: EventEnvelope, isDropped = false): number {
    const n = this.reader.append(envelope.account, topic, envelope.venue, envelope);
    if (!isDropped) this.streams.onPublished(envelope, [{ topic, n }]);
    return n;
  }

  change(index: InstrumentIndex, market: Market): void {
    this.markets.set(index, market);
    this.streams.onMarket(index);
  }

  close(): void {
    for (const client of this.#clients) client.socket.terminate();
    this.streams.drain();
    if (this.#listenSocket !== null) us_listen_socket_close(this.#listenSocket);
    this.#app.close();
  }
}

function holderOf(token: string): StreamHolder | null {
  if (token === 'demo') return holderAt(ACCOUNT);
  if (token === 'other') return holderAt(OTHER_ACCOUNT);
  if (token === 'broken') throw new Error('no secret');
  return null;
}

export function marketAt(bid: number): Market {
  return {
    bid: bid as Ticks,
    ask: (bid + 1) as Ticks,
    bidQuantity: 100_000 as Lots,
    askQuantity: 100_000 as Lots,
    last: bid as Ticks,
    volume: 0 as Lots,
    volatility: 0,
    atMs: 1_000 as EpochMs,
  };
}

export type Frame = Readonly<Record<string, unknown>>;

/** A client that keeps received frames until the test reads them. */
export class StreamClient {
  readonly socket: WebSocket;
  readonly opened: Promise<unknown>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
  readonly frames: Frame[] = [];
  #wake: () => void = () => {};

  constructor(socket: WebSocket) {
    this.socket = socket;
    this.opened = once(socket, 'open');
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    });
    socket.on('error', () => {});
    socket.on('message', (data: Buffer) => {
      this.frames.push(JSON.parse(data.toString()) as Frame);
      this.#wake();
    });
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  subscribe(topic: string, fields: Frame = {}): void {
    this.send({ topic, exchange: 'BINANCE', method: 'subscribe', ...fields });
  }

  /** The next frame, in order. */
  async next(): Promise<Frame> {
    const [frame] = await this.take(1);
    return frame ?? {};
  }

  /** The next `count` frames, in order. */
  async take(count: number): Promise<Frame[]> {
    while (this.frames.length < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.frames.splice(0, count);
  }

  /** Sends a ping and returns all frames before its answer. */
  async settle(): Promise<Frame[]> {
    this.send({ topic: 'ping' });
    const taken: Frame[] = [];
    for (;;) {
      const frame = await this.next();
      if (frame['topic'] === 'pong') return taken;
      taken.push(frame);
    }
  }

  /** Stops reading from the network, like a client that is too slow. */
  stall(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }
}
