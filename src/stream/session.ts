import type { RequestName } from '../api/stream/session-request.js';
import { sessionAnswer } from '../api/stream/session-request.js';
import { SESSION_BACKLOG_BYTES_MAX, SESSION_REFUSALS_IN_A_ROW_MAX } from '../domain/limits/clients.js';
import { NumberMap } from '../domain/number-map.js';
import { POLICY_VIOLATION, type Socket } from './outbox.js';
import { Peer } from './peer.js';
import { SessionAdmission } from './session-admission.js';
import type { SessionCreates, SessionGrant } from '../domain/session.js';
import type { StreamHolder } from './port.js';
import { SessionFrames } from './session-frames.js';

interface SessionParts {
  readonly socket: Socket;
  /** The address as the socket reports it. */
  readonly address: ArrayBuffer;
  readonly nowMs: () => number;
  /** Runs once, after the sockets of this turn of the event loop. */
  readonly soon: (run: () => void) => void;
  /** True when the socket of a client without a proven key may remain for a close frame. */
  readonly mayLinger: () => boolean;
  /** Requests per second that all budgets of a key allow together; null: a budget is off. */
  readonly requestRate: number | null;
  /** The session is closed because its client has sent too much. */
  readonly onFlood: (session: Session) => void;
  /** The session ends and waits for no more answers. */
  readonly onEnding: (session: Session) => void;
}

/** The holder of an authenticated session. */
export interface SessionHolder extends StreamHolder {
  /** null: its orders stay open when it ends. */
  readonly creates: SessionCreates | null;
}

/** One request of a session that waits for its answer. */
export class SessionRequest {
  readonly #session: Session;
  readonly #name: RequestName;
  readonly #number: number;
  #onGone: (() => void) | null = null;

  /** `number`: no other request of the session has it. */
  constructor(session: Session, name: RequestName, number: number) {
    this.#session = session;
    this.#name = name;
    this.#number = number;
  }

  /** False after the answer, or when the session has ended. */
  get isOpen(): boolean {
    return this.#session.waiting.has(this.#number);
  }

  /** Sends the answer. A second one, or one for a session that has ended, does nothing. */
  answer(status: number, json: string): void {
    if (!this.#session.waiting.delete(this.#number)) return;
    this.#session.send(this.#name, status, json);
    this.#session.noteAnswer(status);
  }

  /** Calls `listener` when the session ends before the answer. */
  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  gone(): void {
    this.#onGone?.();
  }
}

/** One client of order entry. */
export class Session extends Peer {
  readonly address: ArrayBuffer;
  readonly openedAtMs: number;
  /** Set once its client has authenticated. */
  holder: SessionHolder | null = null;
  /** Set with the holder. */
  grant: SessionGrant | null = null;
  /** True while its authentication waits for its answer. */
  isProving = false;
  faultyCount = 0;
  frames: SessionFrames;
  /** Requests without an answer, by their numbers. */
  readonly waiting = new NumberMap<number, SessionRequest>();
  #lastNumber = 0;
  readonly admission: SessionAdmission;
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    const { socket, nowMs } = parts;
    const tooSlow = 'too slow: the answers are not read';
    super({ socket, nowMs, backlogBytesMax: SESSION_BACKLOG_BYTES_MAX, tooSlow });
    this.#parts = parts;
    this.address = parts.address;
    this.openedAtMs = this.heardAtMs;
    this.admission = new SessionAdmission(parts.soon);
    this.frames = new SessionFrames(parts.requestRate);
  }

  /** Begins a request. Its answer is sent when it is known, also before the answers of earlier requests. */
  begin(name: RequestName): SessionRequest {
    this.#lastNumber += 1;
    const request = new SessionRequest(this, name, this.#lastNumber);
    this.waiting.set(this.#lastNumber, request);
    return request;
  }

  send(name: RequestName, status: number, json: string): void {
    this.outbox.push(Buffer.from(sessionAnswer(name, status, json)));
  }

  /** Counts the answer of a request. Too many refusals in a row close the session. */
  noteAnswer(status: number): void {
    if (!this.frames.noteAnswer(status)) {
      this.finishFlood(`${SESSION_REFUSALS_IN_A_ROW_MAX} requests in a row were refused`);
    }
  }

  /** Closes the session of a client that has sent too much. */
  finishFlood(reason: string): void {
    if (this.isEnding) return;
    this.#parts.onFlood(this);
    this.finish(POLICY_VIOLATION, reason);
  }

  /** A client without a proven key ends at once: with a close frame, or without one while it does not read. */
  override finish(code: number, reason: string, waitMs?: number): void {
    if (this.holder !== null || this.isEnding) return super.finish(code, reason, waitMs);
    if (this.#parts.mayLinger()) super.finish(code, reason, 0);
    else this.cut(code);
  }

  protected onEnding(): void {
    const requests = this.waiting.values();
    this.waiting.clear();
    for (const request of requests) request.gone();
    this.#parts.onEnding(this);
  }
}
