import type { AccountId, ApiKeyId, SessionNumber } from './ids.js';
import type { OrRejection } from './rejection.js';

/** A session of order entry whose orders are cancelled when it ends, as it is stored. */
export interface SessionRecord {
  readonly account: AccountId;
  /** Only this key may resume the session. */
  readonly apiKey: ApiKeyId;
  /** Each of its orders has this number. */
  readonly number: SessionNumber;
  /** True: nothing can resume it. Its orders are being cancelled, also after a crash. */
  readonly isOver: boolean;
}

/** What a client asks for at the start of a session. */
export interface SessionStart {
  readonly account: AccountId;
  readonly apiKey: ApiKeyId;
  /** null: absent. A session that resumes another one then cancels its orders at its end. */
  readonly cancelOnDisconnect: boolean | null;
  /** Id of the session to resume; null: a new session. */
  readonly resume: string | null;
}

/** The creates of a session whose orders are cancelled at its end. */
export interface SessionCreates {
  readonly number: SessionNumber;
  /** Requests that may still place an order. */
  openCount: number;
}

/** A session that has started. */
export interface SessionGrant {
  /** Cannot be guessed. */
  readonly id: string;
  /** True: the orders of the session that the client named stay open. */
  readonly isResumed: boolean;
  /** null: its orders stay open when it ends. */
  readonly creates: SessionCreates | null;
  /** The connection has ended. A second call does nothing. */
  end(): void;
}

/** Starts sessions. */
export interface SessionStarter {
  /** Number of stored sessions: connected, waiting for a resume, or with cancels under way. */
  readonly recordCount: number;
  /** True when the start ends another connection of the session that it resumes. */
  takesOver(asked: SessionStart): boolean;
  /**
   * Answers once: when everything that the session promises is on disk, or with a rejection. `onTakenOver`: another
   * connection has resumed the session.
   */
  start(asked: SessionStart, onTakenOver: () => void, answer: (granted: OrRejection<SessionGrant>) => void): void;
}
