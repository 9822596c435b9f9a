import type { TemplatedApp, WebSocket } from 'uWebSockets.js';
import { errorText, PAYLOAD_TOO_LARGE, statusLineOf, UNAUTHORIZED } from '../api/field/error-code.js';
import {
  parseSessionFrame,
  SESSION_PATH,
  type RequestName,
  type SessionFrame,
  type SessionOp,
  type SessionWishes,
} from '../api/stream/session-request.js';
import { PONG_FRAME, SHUTDOWN_FRAME } from '../api/stream/stream-request.js';
import {
  KEY_CHECK_MS,
  SESSION_BATCH_FRAME_BYTES_MAX,
  SESSION_FAREWELLS_MAX,
  SESSION_FAULTY_FRAMES_MAX,
  SESSION_FRAME_BYTES_MAX,
  SESSION_INCOMPLETE_BYTES_MAX,
  SESSION_KEEP_ALIVE_BYTES_MAX,
  SESSION_REQUESTS_OPEN_MAX,
  SESSION_UNPROVEN_FRAMES_MAX,
  WS_END_MS,
  WS_MARKET_BACKLOG_BYTES_MAX,
} from '../domain/limits/clients.js';
import type { Rejection } from '../domain/rejection.js';
import type { SessionStarter } from '../domain/session.js';
import { TokenBucket } from '../domain/token-bucket.js';
import { type HandshakeRefusal, Handshakes, SHUTTING_DOWN, tooMany } from './handshake.js';
import { GOING_AWAY, INTERNAL_ERROR, MESSAGE_TOO_BIG, POLICY_VIOLATION } from './outbox.js';
import { type Intervals, KeepAlive, KeyWatch } from './peer.js';
import type { StreamDeps, StreamHolder } from './port.js';
import { IDLE_SECONDS } from './server.js';
import { SessionCounters, type SessionFigures } from './session-figures.js';
import { FrameDebts } from './session-frames.js';
import { type GrantAnswer, SessionHolders } from './session-holders.js';
import { Session, type SessionHolder, type SessionRequest } from './session.js';
import { FRAME_TOO_LARGE, isDescriptorKept } from './socket-end.js';
import { type Subscriber, UnprovenSessions } from './unproven-sessions.js';

/** Order entry, free of its transport: the endpoints of REST behind their gate. */
export interface OrderEntry {
  /**
   * Proves the sender of a session. `join` is called after the proof. It grants or refuses the session just before the
   * answer.
   */
  authenticate(
    asked: EntryRequest,
    join: (holder: StreamHolder, wishes: SessionWishes, answer: GrantAnswer) => void,
  ): void;
  /**
   * Runs one operation for the holder of a key that is still valid. Calls `onAdmitted` when a later request can no longer
   * overtake it, at the latest with its answer.
   */
  run(asked: EntryRequest, op: SessionOp, holder: SessionHolder, onAdmitted: () => void): void;
}

/** One request and its one answer. */
export interface EntryRequest {
  /** Parsed JSON of the client. */
  readonly args: unknown;
  /** The address of the client as its socket reports it. */
  readonly address: ArrayBuffer;
  /** `json`: the text of the data, or of the error from status 400 on. */
  readonly reply: Pick<SessionRequest, 'answer' | 'onGone' | 'isOpen'>;
}

export interface SessionDeps extends Pick<
  StreamDeps,
  'timers' | 'waitOf' | 'keyFailure' | 'refusals' | 'onSocketClosed' | 'nextRequestId' | 'onFault'
> {
  readonly settings: Intervals;
  readonly entry: OrderEntry;
  readonly starter: SessionStarter;
  /** Real time, epoch milliseconds. */
  readonly realNowMs: () => number;
  /** The network of an address as the socket reports it. */
  readonly subscriberOf: (address: ArrayBuffer) => Subscriber;
  /** Requests per second that all budgets of a key allow together; null: a budget is off. */
  readonly requestRate: number | null;
}

/** The sessions of order entry for the main thread. */
export interface SessionServer {
  /** Refuses new sessions, notifies all clients and closes them with 1001. */
  drain(): void;
  readonly sessionCount: number;
  /** Read at each scrape of the metrics. */
  figures(): SessionFigures;
}

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
const PONG = Buffer.from(PONG_FRAME);
const ERROR_STATUS_MIN = 400;
type KeepAliveFrame = Extract<SessionFrame, { kind: 'keep-alive' | 'ping' }>;
const NAMELESS: RequestName = { id: null, op: null };
const TOO_MANY_UNPROVEN = `more than ${SESSION_UNPROVEN_FRAMES_MAX} frames before the answer to auth`;

class Sessions implements SessionServer {
  readonly handshakes: Handshakes<OpenSocket>;
  readonly #deps: SessionDeps;
  readonly #keyWatch: KeyWatch;
  readonly #sessions = new Set<Session>();
  readonly #holders: SessionHolders;
  readonly #stopSweeps: () => void;
  readonly #unproven: UnprovenSessions;
  readonly #debts = new FrameDebts();
  readonly #farewells = new TokenBucket(WS_END_MS / SESSION_FAREWELLS_MAX, WS_END_MS);
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
    this.#holders = new SessionHolders({ ...deps, onJoined: (session) => this.#onJoined(session) });
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
    const session = new Session({
      socket: ws,
      address,
      nowMs: () => this.#deps.timers.nowMs(),
      soon: (run) => this.#deps.timers.soon(run),
      mayLinger: () => this.#farewells.take(1, this.#deps.timers.nowMs()),
      requestRate: this.#deps.requestRate,
      onFlood: (flooding) => this.#onFlood(flooding),
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
    try {
      if (!this.#isWithinFrames(session, message.byteLength)) return;
      // A client without a proven key may not make the service parse large texts.
      const bytesMax = session.holder === null ? SESSION_FRAME_BYTES_MAX : SESSION_BATCH_FRAME_BYTES_MAX;
      if (message.byteLength > bytesMax) return this.#onTooLarge(session, bytesMax);
      const frame = isBinary ? BINARY : parseSessionFrame(Buffer.from(message));
      // The gate takes an authentication from the budget of the address.
      if (session.holder === null && frame.kind !== 'auth' && !this.#paysAddress(session)) return;
      this.#onFrame(session, frame, message.byteLength);
    } catch (error) {
      this.#fail(session, error);
    }
  }

  /** A ping or pong of the WebSocket protocol. The library has answered the ping. */
  onControlFrame(ws: WebSocket<OpenSocket>): void {
    const { session } = ws.getUserData();
    if (session === undefined || session.isEnding) return;
    try {
      if (!this.#isWithinFrames(session, 0)) return;
      if (session.holder !== null) this.#isWithinBudget(session, 0);
      else this.#paysAddress(session);
    } catch (error) {
      this.#fail(session, error);
    }
  }

  #onJoined(session: Session): void {
    this.#unproven.delete(session);
    const { holder } = session;
    if (holder !== null) session.frames = this.#debts.take(holder.apiKey) ?? session.frames;
  }

  #onFlood({ holder, frames }: Session): void {
    this.#deps.refusals.stream_messages += 1;
    if (holder !== null) this.#debts.leave(holder.apiKey, frames);
  }

  #fail(session: Session, error: unknown): void {
    session.finish(INTERNAL_ERROR, 'internal error');
    this.#deps.onFault(error);
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

  #onFrame(session: Session, frame: SessionFrame, bytes: number): void {
    switch (frame.kind) {
      case 'keep-alive':
      case 'ping':
        return this.#onKeepAlive(session, frame, bytes);
      case 'faulty':
        return this.#onFaulty(session, frame.name, frame.rejection);
      case 'auth':
        return this.#authenticate(session, frame.name, frame.args);
      case 'request':
        return this.#onRequest(session, frame, bytes);
    }
  }

  #onKeepAlive(session: Session, frame: KeepAliveFrame, bytes: number): void {
    if (!this.#isWithinBudget(session, bytes)) return;
    const name = frame.kind === 'ping' ? frame.name : NAMELESS;
    if (bytes > SESSION_KEEP_ALIVE_BYTES_MAX) {
      const rejection = invalid(`a ping or pong is larger than ${SESSION_KEEP_ALIVE_BYTES_MAX} bytes`);
      return this.#onFaulty(session, name, rejection, PAYLOAD_TOO_LARGE);
    }
    if (frame.kind === 'ping') {
      return session.send({ id: name.id, op: 'pong' }, 200, `{"timestamp":${this.#deps.realNowMs()}}`);
    }
    if (frame.topic === 'ping') session.outbox.push(PONG);
  }

  /** Counts a frame. False: the client has sent too many, and the session is closed. */
  #isWithinFrames(session: Session, bytes: number): boolean {
    const isProven = session.holder !== null;
    if (session.frames.take(bytes, isProven, this.#deps.timers.nowMs())) return true;
    session.finishFlood(isProven ? 'too many messages' : TOO_MANY_UNPROVEN);
    return false;
  }

  /** Counts a frame that takes from no request budget. False: the session had too many of them and is closed. */
  #isWithinBudget(session: Session, bytes: number): boolean {
    if (session.frames.takeOther(bytes, this.#deps.timers.nowMs())) return true;
    session.finishFlood('too many messages');
    return false;
  }

  /** Takes a frame without a proven key from the budget of its address. False: it is used up; the session is closed. */
  #paysAddress(session: Session): boolean {
    if (this.#deps.waitOf(session.address) === 0) return true;
    session.finish(POLICY_VIOLATION, 'too many requests from this address');
    return false;
  }

  #onRequest(session: Session, frame: Extract<SessionFrame, { kind: 'request' }>, bytes: number): void {
    const { holder, address } = session;
    const { name, op, args } = frame;
    if (holder === null) return this.#onFaulty(session, name, NOT_PROVEN, UNAUTHORIZED);
    if (bytes > SESSION_FRAME_BYTES_MAX && !frame.isBatch) {
      this.#deps.refusals.stream_frame_bytes += 1;
      const rejection = invalid(`a frame of ${op} is larger than ${SESSION_FRAME_BYTES_MAX} bytes`);
      return this.#onFaulty(session, name, rejection, PAYLOAD_TOO_LARGE);
    }
    if (session.waiting.size >= SESSION_REQUESTS_OPEN_MAX) {
      if (this.#isWithinBudget(session, bytes)) this.#refuse(session, name, TOO_MANY_OPEN);
      return;
    }
    const asked = { args, address, reply: session.begin(name) };
    const { creates } = holder;
    // A waiting request may place an order, also after the end of the session.
    if (creates !== null) creates.openCount += 1;
    session.admission.add((onAdmitted) => {
      this.#deps.entry.run(asked, op, holder, onAdmitted);
      if (creates !== null) creates.openCount -= 1;
    });
  }

  #authenticate(session: Session, name: RequestName, args: unknown): void {
    if (session.holder !== null || session.isProving) {
      return this.#onFaulty(session, name, invalid('the session has authenticated already'));
    }
    session.isProving = true;
    const request = session.begin(name);
    const { address } = session;
    const reply = {
      get isOpen() {
        return request.isOpen;
      },
      onGone: (listener: () => void) => request.onGone(listener),
      answer: (status: number, json: string) => {
        session.isProving = false;
        if (status >= ERROR_STATUS_MIN) this.#counters.refused += 1;
        request.answer(status, json);
        if (status === 401 || status === 403) session.finish(POLICY_VIOLATION, 'not authenticated');
      },
    };
    this.#deps.entry.authenticate({ args, address, reply }, (holder, wishes, answer) =>
      this.#holders.join(session, { ...holder, ...wishes }, answer),
    );
  }

  /** Answers a frame that is no request. Too many of them close the session. */
  #onFaulty(session: Session, name: RequestName, rejection: Rejection, statusLine?: string): void {
    session.faultyCount += 1;
    this.#refuse(session, name, rejection, statusLine);
    if (session.faultyCount >= SESSION_FAULTY_FRAMES_MAX) {
      session.finish(POLICY_VIOLATION, `${SESSION_FAULTY_FRAMES_MAX} frames were no valid requests`);
    }
  }

  #onTooLarge(session: Session, bytesMax: number): void {
    this.#deps.refusals.stream_frame_bytes += 1;
    session.finish(MESSAGE_TOO_BIG, `a frame is larger than ${bytesMax} bytes`);
  }

  #refuse(
    session: Session,
    name: RequestName,
    rejection: Rejection,
    statusLine: string = statusLineOf(rejection.code),
  ): void {
    session.send(name, Number.parseInt(statusLine, 10), errorText(rejection, this.#deps.nextRequestId()));
  }

  #handshakeRefusal(subscriber: Subscriber): HandshakeRefusal | null {
    if (this.#isDraining) return SHUTTING_DOWN;
    if (this.#unproven.hasRoom(subscriber)) return null;
    this.#deps.refusals.stream_connections += 1;
    return tooMany('the address has closed too many sessions that had not authenticated', Math.ceil(WS_END_MS / 1000));
  }
}

const NOT_PROVEN: Rejection = {
  code: 'AUTHENTICATION_ERROR',
  message: 'the session has not authenticated: send auth and wait for its answer',
};
const TOO_MANY_OPEN: Rejection = {
  code: 'SYSTEM_BUSY',
  message: `${SESSION_REQUESTS_OPEN_MAX} requests of the session have no answer yet; nothing was placed, try again`,
};

function invalid(message: string): Rejection {
  return { code: 'INVALID_REQUEST', message };
}

const BINARY: SessionFrame = {
  kind: 'faulty',
  name: NAMELESS,
  rejection: invalid('the frame is binary: send JSON as text'),
};
