import type { TemplatedApp, WebSocket } from 'uWebSockets.js';
import { SESSION_PATH } from '../api/stream/session-request.js';
import { SHUTDOWN_FRAME } from '../api/stream/stream-request.js';
import {
  KEY_CHECK_MS,
  SESSION_FAREWELLS_MAX,
  SESSION_INCOMPLETE_BYTES_MAX,
  WS_END_MS,
  WS_MARKET_BACKLOG_BYTES_MAX,
} from '../domain/limits/clients.js';
import { TokenBucket } from '../domain/token-bucket.js';
import { type HandshakeRefusal, Handshakes, SHUTTING_DOWN, tooMany } from './handshake.js';
import { GOING_AWAY, INTERNAL_ERROR } from './outbox.js';
import { KeepAlive, KeyWatch } from './peer.js';
import { IDLE_SECONDS } from './server.js';
import { SessionConduct } from './session-conduct.js';
import { SessionCounters, type SessionFigures } from './session-figures.js';
import { SessionHolders } from './session-holders.js';
import type { SessionDeps, SessionServer } from './session-port.js';
import { Session } from './session.js';
import { FRAME_TOO_LARGE, isDescriptorKept } from './socket-end.js';
import { UnpaidFrames } from './unpaid-frames.js';
import { type Subscriber, UnprovenSessions } from './unproven-sessions.js';

/** Adds the WebSocket route of order entry to the application of the HTTP server. */
export function attachSessions(app: TemplatedApp, deps: SessionDeps): SessionServer {
  const sessions = new Sessions(deps);
  app.ws<OpenSocket>(SESSION_PATH, {
    // The library ends a connection without a close frame. The service closes with 1009 first, up to this size.
    maxPayloadLength: SESSION_INCOMPLETE_BYTES_MAX,
    maxBackpressure: WS_MARKET_BACKLOG_BYTES_MAX,
    idleTimeout: deps.settings.pingMs < IDLE_SECONDS * 1000 ? IDLE_SECONDS : 0,
    sendPingsAutomatically: false,
    upgrade: (res, req, context) => sessions.handshakes.onUpgrade(res, req, context),
    open: (ws) => sessions.onOpen(ws),
    message: (ws, message, isBinary) => sessions.onMessage(ws, message, isBinary),
    ping: (ws) => sessions.onControlFrame(ws),
    pong: (ws) => sessions.onControlFrame(ws),
    drain: (ws) => ws.getUserData().session?.onDrain(),
    close: (ws, code, reason) => sessions.onClose(ws, code, Buffer.from(reason).toString()),
  });
  app.any(SESSION_PATH, (res) => sessions.handshakes.onPlain(res));
  return sessions;
}

/** Between the handshake and `open` a socket has no session yet. */
interface OpenSocket {
  readonly address: ArrayBuffer;
  readonly subscriber: Subscriber;
  session?: Session;
}

const SHUTDOWN = Buffer.from(SHUTDOWN_FRAME);

/** The sockets of all sessions, from the handshake to the close. */
class Sessions implements SessionServer {
  readonly handshakes: Handshakes<OpenSocket>;
  readonly #deps: SessionDeps;
  readonly #keyWatch: KeyWatch;
  readonly #sessions = new Set<Session>();
  readonly #holders: SessionHolders;
  readonly #conduct: SessionConduct;
  readonly #stopSweeps: () => void;
  readonly #unproven: UnprovenSessions;
  readonly #unpaid = new UnpaidFrames();
  readonly #farewells = new TokenBucket(WS_END_MS / SESSION_FAREWELLS_MAX, WS_END_MS);
  readonly #floodFarewells = new TokenBucket(WS_END_MS / SESSION_FAREWELLS_MAX, WS_END_MS);
  #isDraining = false;
  readonly #counters = new SessionCounters();

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    const admit = (address: ArrayBuffer): OpenSocket | HandshakeRefusal => {
      const subscriber = deps.subscriberOf(address);
      // The socket's own bytes are valid only during the handshake.
      return this.#handshakeRefusal(subscriber) ?? { address: address.slice(0), subscriber };
    };
    this.handshakes = new Handshakes({ ...deps, admit: (_req, address) => admit(address) });
    this.#unproven = new UnprovenSessions(deps.timers, () => (deps.refusals.stream_connections += 1));
    this.#holders = new SessionHolders({ ...deps, onJoined: (session) => this.#unproven.delete(session) });
    this.#conduct = new SessionConduct({ ...deps, holders: this.#holders, counters: this.#counters });
    this.#keyWatch = new KeyWatch(deps, this.#sessions);
    const keepAlive = new KeepAlive(deps.settings, this.#sessions, deps.timers);
    const stops = [
      keepAlive.start(),
      this.#keyWatch.start(),
      deps.timers.every(KEY_CHECK_MS, () => this.#unproven.closeOverdue(deps.timers.nowMs())),
    ];
    this.#stopSweeps = () => stops.forEach((stop) => stop());
  }

  get sessionCount(): number {
    return this.#sessions.size;
  }

  figures(): SessionFigures {
    const { opened, refused, closed } = this.#counters;
    let openRequests = 0;
    let authenticated = 0;
    for (const { waiting, holder } of this.#sessions) {
      openRequests += waiting.size;
      if (holder !== null) authenticated += 1;
    }
    return {
      open: this.#sessions.size,
      authenticated,
      openRequests,
      records: this.#deps.starter.recordCount,
      opened,
      refused,
      closed,
    };
  }

  drain(): void {
    this.#isDraining = true;
    this.#stopSweeps();
    for (const session of this.#sessions) {
      session.outbox.push(SHUTDOWN);
      session.finish(GOING_AWAY, 'shutting down');
    }
  }

  onOpen(ws: WebSocket<OpenSocket>): void {
    const { address, subscriber } = ws.getUserData();
    const { timers, refusals } = this.#deps;
    const session = new Session({
      socket: ws,
      address,
      nowMs: () => timers.nowMs(),
      soon: (run) => timers.soon(run),
      mayLinger: (isProven) => (isProven ? this.#floodFarewells : this.#farewells).take(1, timers.nowMs()),
      unpaid: this.#unpaid,
      onFlood: () => (refusals.stream_messages += 1),
      onEnding: (ending) => {
        this.#unproven.delete(ending);
        this.#holders.leave(ending);
      },
    });
    ws.getUserData().session = session;
    this.#counters.opened += 1;
    this.#sessions.add(session);
    this.#unproven.add(session, subscriber);
  }

  onMessage(ws: WebSocket<OpenSocket>, message: ArrayBuffer, isBinary: boolean): void {
    const { session } = ws.getUserData();
    if (session === undefined || session.isEnding || this.#keyWatch.hasEnded(session)) return;
    session.heardAtMs = this.#deps.timers.nowMs();
    this.#guarded(session, () => this.#conduct.onMessage(session, message, isBinary));
  }

  onControlFrame(ws: WebSocket<OpenSocket>): void {
    const { session } = ws.getUserData();
    if (session === undefined || session.isEnding) return;
    this.#guarded(session, () => this.#conduct.onControlFrame(session));
  }

  #guarded(session: Session, run: () => void): void {
    try {
      run();
    } catch (error) {
      session.finish(INTERNAL_ERROR, 'internal error');
      this.#deps.onFault(error);
    }
  }

  onClose(ws: WebSocket<OpenSocket>, code: number, reason: string): void {
    const { session, subscriber } = ws.getUserData();
    const isKept = isDescriptorKept(code, reason);
    this.#deps.onSocketClosed(isKept);
    if (reason === FRAME_TOO_LARGE) this.#deps.refusals.stream_frame_bytes += 1;
    if (session === undefined) return;
    const hasLeft = isKept && session.holder === null && session.endCode === null;
    if (hasLeft) this.#unproven.onLeft(subscriber);
    this.#counters.onClosed(session.endCode);
    session.onClosed();
    this.#sessions.delete(session);
  }

  #handshakeRefusal(subscriber: Subscriber): HandshakeRefusal | null {
    if (this.#isDraining) return SHUTTING_DOWN;
    if (this.#unproven.hasRoom(subscriber)) return null;
    this.#deps.refusals.stream_connections += 1;
    return tooMany('the address has closed too many sessions that had not authenticated', Math.ceil(WS_END_MS / 1000));
  }
}
