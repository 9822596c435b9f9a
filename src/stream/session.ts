import type { RequestName } from '../api/stream/session-request.js';
import { sessionAnswer } from '../api/stream/session-request.js';
import {
  SESSION_BACKLOG_BYTES_MAX,
  SESSION_OTHER_FRAMES_BURST_SECONDS,
  SESSION_OTHER_FRAMES_PER_SECOND,
  WS_REVOKED_WAIT_MS_MAX,
} from '../domain/limits/clients.js';
import { NumberMap } from '../domain/number-map.js';
import { TokenBucket } from '../domain/token-bucket.js';
import type { Socket } from './outbox.js';
import { Peer } from './peer.js';
import { SessionAdmission } from './session-admission.js';
import type { SessionCreates, SessionGrant } from '../domain/session.js';
import type { StreamHolder } from './port.js';

interface SessionParts {
  readonly socket: Socket;
  /** The address as the socket reports it. */
  readonly address: ArrayBuffer;
  readonly nowMs: () => number;
  /** Runs once, after the sockets of this turn of the event loop. */
  readonly soon: (run: () => void) => void;
  /** True when the socket of a client without a proven key may remain for a close frame. */
  readonly mayLinger: () => boolean;
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
  /** Frames that no request budget counts. */
  readonly otherFrames = new TokenBucket(
    1000 / SESSION_OTHER_FRAMES_PER_SECOND,
    1000 * SESSION_OTHER_FRAMES_BURST_SECONDS,
  );
  /** Requests without an answer, by their numbers. */
  readonly waiting = new NumberMap<number, SessionRequest>();
  #lastNumber = 0;
  readonly admission: SessionAdmission;
  readonly #mayLinger: () => boolean;
  readonly #onEnding: (session: Session) => void;

  constructor({ socket, address, nowMs, soon, mayLinger, onEnding }: SessionParts) {
    const tooSlow = 'too slow: the answers are not read';
    super({ socket, nowMs, backlogBytesMax: SESSION_BACKLOG_BYTES_MAX, tooSlow });
    this.address = address;
    this.openedAtMs = this.heardAtMs;
    this.admission = new SessionAdmission(soon);
    this.#mayLinger = mayLinger;
    this.#onEnding = onEnding;
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

  /** The memory of a client without a proven key is released soon, also when it does not read or close. */
  override finish(code: number, reason: string, waitMs?: number): void {
    if (this.holder !== null || this.isEnding) return super.finish(code, reason, waitMs);
    if (this.#mayLinger()) super.finish(code, reason, WS_REVOKED_WAIT_MS_MAX);
    else this.cut(code);
  }

  protected onEnding(): void {
    const requests = this.waiting.values();
    this.waiting.clear();
    for (const request of requests) request.gone();
    this.#onEnding(this);
  }
}
