import { errorText, PAYLOAD_TOO_LARGE, statusLineOf, UNAUTHORIZED } from '../api/field/error-code.js';
import { parseSessionFrame, type RequestName, type SessionFrame } from '../api/stream/session-request.js';
import { PONG_FRAME } from '../api/stream/stream-request.js';
import {
  SESSION_BATCH_FRAME_BYTES_MAX,
  SESSION_FAULTY_FRAMES_MAX,
  SESSION_FRAME_BYTES_MAX,
  SESSION_KEEP_ALIVE_BYTES_MAX,
  SESSION_REQUESTS_OPEN_MAX,
} from '../domain/limits/clients.js';
import type { Rejection } from '../domain/rejection.js';
import { MESSAGE_TOO_BIG, POLICY_VIOLATION } from './outbox.js';
import type { SessionCounters } from './session-figures.js';
import { furtherUnits } from './session-frames.js';
import type { SessionHolders } from './session-holders.js';
import type { SessionDeps } from './session-port.js';
import type { Session } from './session.js';
import type { SessionHolder } from './port.js';

interface ConductParts extends Pick<
  SessionDeps,
  'entry' | 'refusals' | 'waitOf' | 'realNowMs' | 'nextRequestId' | 'hasBudgets'
> {
  readonly holders: SessionHolders;
  readonly counters: SessionCounters;
}

type KeepAliveFrame = Extract<SessionFrame, { kind: 'keep-alive' | 'ping' }>;
type RequestFrame = Extract<SessionFrame, { kind: 'request' }>;

const PONG = Buffer.from(PONG_FRAME);
const ERROR_STATUS_MIN = 400;
const NAMELESS: RequestName = { id: null, op: null };

/** What the service does with each frame of a session: it counts the frame, answers it, or closes the session. */
export class SessionConduct {
  readonly #parts: ConductParts;

  constructor(parts: ConductParts) {
    this.#parts = parts;
  }

  onMessage(session: Session, message: ArrayBuffer, isBinary: boolean): void {
    const bytes = message.byteLength;
    if (!this.#isWithinFrames(session, bytes)) return;
    // A client without a proven key may not make the service parse large texts.
    const bytesMax = session.holder === null ? SESSION_FRAME_BYTES_MAX : SESSION_BATCH_FRAME_BYTES_MAX;
    if (bytes > bytesMax) return this.#onTooLarge(session, bytesMax);
    const frame = isBinary ? BINARY : parseSessionFrame(Buffer.from(message));
    // The gate takes an authentication from the budget of the address.
    if (session.holder === null && frame.kind !== 'auth' && !this.#paysAddress(session)) return;
    this.#onFrame(session, frame, bytes);
  }

  /** A ping or pong of the WebSocket protocol. The library has answered the ping. */
  onControlFrame(session: Session): void {
    if (!this.#isWithinFrames(session, 0)) return;
    if (session.holder !== null) session.payUnpaid(session.holder, 1);
    else this.#paysAddress(session);
  }

  /** Counts a frame by its sender and size. False: the client has sent too much, and the session is closed. */
  #isWithinFrames(session: Session, bytes: number): boolean {
    if (session.holder === null) return !session.endFlood(session.frames.takeUnproven());
    const units = this.#parts.hasBudgets ? furtherUnits(bytes) : 0;
    return units === 0 || session.payUnpaid(session.holder, units);
  }

  /** Takes a frame without a proven key from the budget of its address. False: it is used up; the session is closed. */
  #paysAddress(session: Session): boolean {
    if (this.#parts.waitOf(session.address) === 0) return true;
    session.finish(POLICY_VIOLATION, 'too many requests from this address');
    return false;
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
    const name = frame.kind === 'ping' ? frame.name : NAMELESS;
    if (bytes > SESSION_KEEP_ALIVE_BYTES_MAX) {
      const rejection = invalid(`a ping or pong is larger than ${SESSION_KEEP_ALIVE_BYTES_MAX} bytes`);
      return this.#onFaulty(session, name, rejection, PAYLOAD_TOO_LARGE);
    }
    if (session.holder !== null && !session.payUnpaid(session.holder, 1)) return;
    if (frame.kind === 'ping') {
      return session.send({ id: name.id, op: 'pong' }, 200, `{"timestamp":${this.#parts.realNowMs()}}`);
    }
    if (frame.topic === 'ping') session.outbox.push(PONG);
  }

  #onRequest(session: Session, frame: RequestFrame, bytes: number): void {
    const { holder } = session;
    const { name, op } = frame;
    if (holder === null) return this.#onFaulty(session, name, NOT_PROVEN, UNAUTHORIZED);
    if (bytes > SESSION_FRAME_BYTES_MAX && !frame.isBatch) {
      this.#parts.refusals.stream_frame_bytes += 1;
      const rejection = invalid(`a frame of ${op} is larger than ${SESSION_FRAME_BYTES_MAX} bytes`);
      return this.#onFaulty(session, name, rejection, PAYLOAD_TOO_LARGE);
    }
    if (session.waiting.size < SESSION_REQUESTS_OPEN_MAX) return this.#start(session, frame, holder);
    if (session.payUnpaid(holder, 1)) this.#refuse(session, name, TOO_MANY_OPEN);
  }

  #start(session: Session, { name, op, args }: RequestFrame, holder: SessionHolder): void {
    const asked = { args, address: session.address, reply: session.begin(name) };
    const { creates } = holder;
    // A waiting request may place an order, also after the end of the session.
    if (creates !== null) creates.openCount += 1;
    session.admission.add((onAdmitted) => {
      this.#parts.entry.run(asked, op, holder, onAdmitted);
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
        if (status >= ERROR_STATUS_MIN) this.#parts.counters.refused += 1;
        request.answer(status, json);
        if (status === 401 || status === 403) session.finish(POLICY_VIOLATION, 'not authenticated');
      },
    };
    this.#parts.entry.authenticate({ args, address, reply }, (holder, wishes, answer) =>
      this.#parts.holders.join(session, { ...holder, ...wishes }, answer),
    );
  }

  /** Answers a frame that is no request. Too many of them close the session. */
  #onFaulty(session: Session, name: RequestName, rejection: Rejection, statusLine?: string): void {
    if (session.holder !== null && !session.payUnpaid(session.holder, 1)) return;
    session.faultyCount += 1;
    this.#refuse(session, name, rejection, statusLine);
    if (session.faultyCount >= SESSION_FAULTY_FRAMES_MAX) {
      session.finish(POLICY_VIOLATION, `${SESSION_FAULTY_FRAMES_MAX} frames were no valid requests`);
    }
  }

  #onTooLarge(session: Session, bytesMax: number): void {
    this.#parts.refusals.stream_frame_bytes += 1;
    session.finish(MESSAGE_TOO_BIG, `a frame is larger than ${bytesMax} bytes`);
  }

  #refuse(
    session: Session,
    name: RequestName,
    rejection: Rejection,
    statusLine: string = statusLineOf(rejection.code),
  ): void {
    session.send(name, Number.parseInt(statusLine, 10), errorText(rejection, this.#parts.nextRequestId()));
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
