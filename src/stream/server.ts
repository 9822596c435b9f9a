import type { TemplatedApp, WebSocket } from 'uWebSockets.js';
import { SHUTDOWN_FRAME } from '../api/stream/stream-request.js';
import type { EventEnvelope, FeedMark } from '../domain/event.js';
import { CountByKey } from '../domain/count-by-key.js';
import type { AccountId } from '../domain/ids.js';
import type { InstrumentIndex } from '../domain/instrument.js';
import { WS_MARKET_BACKLOG_BYTES_MAX } from '../domain/limits/clients.js';
import { CompleteReads } from '../journal/complete-reads.js';
import { RiskWatch, Snapshots } from './account-snapshots.js';
import { Connection } from './connection.js';
import { Feeds } from './feeds.js';
import { FlushTurns } from './flush-turns.js';
import {
  busy,
  type HandshakeRefusal,
  Handshakes,
  listenKeyAdmission,
  SHUTTING_DOWN,
  type SocketData,
  tooMany,
} from './handshake.js';
import { MarketFeedBoard } from './market-feeds.js';
import { GOING_AWAY, INTERNAL_ERROR } from './outbox.js';
import { KeepAlive, KeyWatch } from './peer.js';
import type { StreamDeps } from './port.js';
import { MarketProtocol } from './market-protocol.js';
import { Protocol } from './protocol.js';
import { Pump } from './pump.js';
import { FRAME_TOO_LARGE, isDescriptorKept } from './socket-end.js';
import { MarketBoard } from './tickers.js';

const STREAM_PATH = '/api/v2/ws';

/** The interface of the streams for the main thread. */
export interface StreamServer {
  /** Takes a durable event and its frame numbers, from any shard, in any order. */
  onPublished(envelope: EventEnvelope, marks: readonly FeedMark[]): void;
  /** Events may have been dropped: an event ring overflowed or a shard was restarted. */
  onMissed(): void;
  /** An instrument's row of the last-value cache has changed. */
  onMarket(instrument: InstrumentIndex): void;
  /** Refuses new connections, notifies all clients and closes them with 1001. */
  drain(): void;
  readonly connectionCount: number;
  /** Subscriptions of all connections, by topic. Visits every connection. */
  subscriptionCounts(): Readonly<Record<string, number>>;
}

/** Adds the WebSocket route to the application of the HTTP server. */
export function attachStream(app: TemplatedApp, deps: StreamDeps): StreamServer {
  const streams = new Streams(app, deps);
  app.ws<OpenSocket>(STREAM_PATH, {
    maxPayloadLength: deps.settings.frameBytesMax,
    maxBackpressure: WS_MARKET_BACKLOG_BYTES_MAX,
    // The service has its own keep-alive: the library's would close with 1006. It only ends closed sockets that remain.
    idleTimeout: deps.settings.pingMs < IDLE_SECONDS * 1000 ? IDLE_SECONDS : 0,
    sendPingsAutomatically: false,
    upgrade: (res, req, context) => streams.handshakes.onUpgrade(res, req, context),
    open: (ws) => streams.onOpen(ws),
    message: (ws, message, isBinary) => streams.onMessage(ws, message, isBinary),
    ping: (ws) => streams.onControlFrame(ws),
    pong: (ws) => streams.onControlFrame(ws),
    drain: (ws) => streams.onDrain(ws),
    dropped: (ws) => streams.onDropped(ws),
    close: (ws, code, reason) => streams.onClose(ws, code, Buffer.from(reason).toString()),
  });
  app.any(STREAM_PATH, (res) => streams.handshakes.onPlain(res));
  return streams;
}

/** Between the handshake and `open` a socket has no connection yet. */
type OpenSocket = SocketData & { connection?: Connection };

/** The longest timeout of the library; every ping restarts it. */
export const IDLE_SECONDS = 960;
const NOT_TEXT = '';
const SHUTDOWN = Buffer.from(SHUTDOWN_FRAME);

class Streams implements StreamServer {
  readonly handshakes: Handshakes<SocketData>;
  readonly #deps: StreamDeps;
  readonly #feeds: Feeds;
  readonly #board: MarketBoard;
  readonly #completeReads: CompleteReads;
  readonly #protocol: Protocol;
  readonly #keyWatch: KeyWatch;
  readonly #flushTurns: FlushTurns;
  readonly #connections = new Set<Connection>();
  readonly #countByAccount = new CountByKey<AccountId>();
  readonly #stopSweeps: () => void;
  #isDraining = false;

  constructor(app: TemplatedApp, deps: StreamDeps) {
    const { reader, latestEventOf, timers, onFault } = deps;
    const pump = new Pump(timers, onFault);
    this.#deps = deps;
    this.#flushTurns = new FlushTurns(timers, onFault);
    this.#completeReads = new CompleteReads({ reader, latestEventOf, monotonicMs: () => timers.nowMs(), onFault });
    const { when: whenComplete } = this.#completeReads;
    this.#feeds = new Feeds({ ...deps, pump, whenComplete });
    this.#board = new MarketBoard({ ...deps, publish: (topic, frame) => void app.publish(topic, frame) });
    const marketProtocol = new MarketProtocol({ ...deps, board: this.#board, feedBoard: new MarketFeedBoard(deps) });
    const riskWatch = new RiskWatch(deps);
    const snapshots = new Snapshots(deps);
    const onFailure = (connection: Connection, error: unknown): void => this.#fail(connection, error);
    const accountParts = { feeds: this.#feeds, pump, snapshots, riskWatch, whenComplete };
    this.#protocol = new Protocol({ ...deps, ...accountParts, marketProtocol, onFailure });
    const refusalOf = (account: AccountId): HandshakeRefusal | null => this.#refusalOf(account);
    this.handshakes = new Handshakes({ ...deps, admit: listenKeyAdmission({ ...deps, refusalOf }) });
    this.#keyWatch = new KeyWatch(deps, this.#connections);
    const keepAlive = new KeepAlive(deps.settings, this.#connections, deps.timers);
    const stops = [keepAlive.start(), riskWatch.start(), this.#keyWatch.start()];
    this.#stopSweeps = () => stops.forEach((stop) => stop());
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  subscriptionCounts(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const connection of this.#connections) {
      for (const topic of connection.topics()) counts[topic] = (counts[topic] ?? 0) + 1;
    }
    return counts;
  }

  onPublished(envelope: EventEnvelope, marks: readonly FeedMark[]): void {
    this.#feeds.publish(envelope, marks);
  }

  onMissed(): void {
    this.#feeds.recheck();
  }

  onMarket(instrument: InstrumentIndex): void {
    this.#board.onMarket(instrument);
  }

  drain(): void {
    this.#isDraining = true;
    this.#stopSweeps();
    for (const connection of this.#connections) {
      connection.outbox.push(SHUTDOWN);
      connection.finish(GOING_AWAY, 'shutting down');
    }
    this.#completeReads.close();
  }

  onOpen(ws: WebSocket<OpenSocket>): void {
    const { holder } = ws.getUserData();
    const { account } = holder;
    const connection = new Connection({
      socket: ws,
      holder,
      messageRate: this.#deps.settings.messageRate,
      nowMs: () => this.#deps.timers.nowMs(),
      flushSoon: (flush) => this.#flushTurns.add(account, flush),
      onEnding: (ending) => this.#protocol.releaseAll(ending),
    });
    ws.getUserData().connection = connection;
    this.#connections.add(connection);
    this.#countByAccount.add(account);
  }

  onMessage(ws: WebSocket<OpenSocket>, message: ArrayBuffer, isBinary: boolean): void {
    const { connection } = ws.getUserData();
    if (connection === undefined || this.#keyWatch.hasEnded(connection)) return;
    try {
      this.#protocol.onMessage(connection, isBinary ? NOT_TEXT : Buffer.from(message).toString('utf8'));
    } catch (error) {
      this.#fail(connection, error);
    }
  }

  #fail(connection: Connection, error: unknown): void {
    connection.finish(INTERNAL_ERROR, 'internal error');
    this.#deps.onFault(error);
  }

  /** A ping or pong of the WebSocket protocol. The library has answered the ping. */
  onControlFrame(ws: WebSocket<OpenSocket>): void {
    const { connection } = ws.getUserData();
    if (connection !== undefined) this.#protocol.onControlFrame(connection);
  }

  onDrain(ws: WebSocket<OpenSocket>): void {
    const { connection } = ws.getUserData();
    connection?.onDrain();
    if (connection === undefined || connection.isEnding || ws.getBufferedAmount() > 0) return;
    this.#board.onDrained(connection.market);
  }

  onDropped(ws: WebSocket<OpenSocket>): void {
    const { connection } = ws.getUserData();
    if (connection !== undefined) this.#board.onDropped(connection.market);
  }

  onClose(ws: WebSocket<OpenSocket>, code: number, reason: string): void {
    const { connection } = ws.getUserData();
    this.#deps.onSocketClosed(isDescriptorKept(code, reason));
    if (reason === FRAME_TOO_LARGE) this.#deps.refusals.stream_frame_bytes += 1;
    if (connection === undefined) return;
    connection.onClosed();
    this.#connections.delete(connection);
    this.#countByAccount.add(connection.account, -1);
  }

  #refusalOf(account: AccountId): HandshakeRefusal | null {
    if (this.#isDraining) return SHUTTING_DOWN;
    const { settings, refusals } = this.#deps;
    if (this.#connections.size >= settings.connectionsMax) {
      refusals.stream_connections += 1;
      return busy(`${settings.connectionsMax} connections are open, the maximum`);
    }
    if (this.#countByAccount.of(account) < settings.accountConnectionsMax) return null;
    refusals.stream_account_connections += 1;
    return tooMany(`the account has ${settings.accountConnectionsMax} connections, the maximum`);
  }
}
