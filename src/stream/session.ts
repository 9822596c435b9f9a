import type { SessionHolder } from './port.js';
import type { RequestName } from '../api/stream/session-request.js';
import { sessionAnswer } from '../api/stream/session-request.js';
import { SESSION_BACKLOG_BYTES_MAX, SESSION_FLOOD_WAIT_MS_MAX } from '../domain/limits/clients.js';
import { NumberMap } from '../domain/number-map.js';
import { POLICY_VIOLATION, type Socket } from './outbox.js';
import { Peer } from './peer.js';
import { SessionAdmission } from './session-admission.js';
import type { SessionGrant } from '../domain/session.js';
import { SessionFrames } from './session-frames.js';
import type { UnpaidFrames } from './unpaid-frames.js';

interface SessionParts {
  readonly socket: Socket;
  /** The address as the socket reports it. */
  readonly address: ArrayBuffer;
  readonly nowMs: () => number;
  /** Runs once, after the sockets of this turn of the event loop. */
  readonly soon: (run: () => void) => void;
  /** True when the socket of a client that floods or has no proven key may remain for a close frame. */
  readonly mayLinger: (isProven: boolean) => boolean;
  readonly unpaid: UnpaidFrames;
  /** The session is closed because its client has sent too much. */
  readonly onFlood: () => void;
  /** The session ends and waits for no more answers. */
  readonly onEnding: (session: Session) => void;
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
  readonly frames: SessionFrames;
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
    this.frames = new SessionFrames(parts.unpaid, this.openedAtMs);
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

  /** Counts the answer of a request. Too many refusals close the session. */
  noteAnswer(status: number): void {
    if (this.holder !== null) this.endFlood(this.frames.noteAnswer(status, this.holder, this.#parts.nowMs()));
  }

  /** Counts `count` frames of a proven client that no budget counts. False: too many, and the session is closed. */
  payUnpaid(holder: SessionHolder, count: number): boolean {
    return !this.endFlood(this.frames.takeUnpaid(holder, count, this.#parts.nowMs()));
  }

  /** Closes the session of a client that has sent too much, for this reason. null: it has not; false. */
  endFlood(reason: string | null): boolean {
    if (reason === null) return false;
    if (this.isEnding) return true;
    this.#parts.onFlood();
    this.#end(POLICY_VIOLATION, reason, this.holder === null ? 0 : SESSION_FLOOD_WAIT_MS_MAX);
    return true;
  }

  override finish(code: number, reason: string, waitMs?: number): void {
    if (this.holder !== null || this.isEnding) super.finish(code, reason, waitMs);
    else this.#end(code, reason, 0);
  }

  /** Ends soon: with a close frame, which waits at most `waitMs`, or at once while many others end. */
  #end(code: number, reason: string, waitMs: number): void {
    if (this.#parts.mayLinger(this.holder !== null)) super.finish(code, reason, waitMs);
    else this.cut(code);
  }

  protected onEnding(): void {
    const requests = this.waiting.values();
    this.waiting.clear();
    for (const request of requests) request.gone();
    this.#parts.onEnding(this);
  }
}
