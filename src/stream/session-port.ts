import type { SessionOp, SessionWishes } from '../api/stream/session-request.js';
import type { SessionStarter } from '../domain/session.js';
import type { Intervals } from './peer.js';
import type { StreamDeps, StreamHolder, SessionHolder } from './port.js';
import type { SessionFigures } from './session-figures.js';
import type { GrantAnswer } from './session-holders.js';
import type { SessionRequest } from './session.js';
import type { Subscriber } from './unproven-sessions.js';

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
   * Runs one operation for the holder of a key that is still valid. Calls `onAdmitted` when a later request can no
   * longer overtake it, at the latest with its answer.
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
  /** True when keys have budgets of requests. Without them large frames are free. */
  readonly hasBudgets: boolean;
}

/** The sessions of order entry for the main thread. */
export interface SessionServer {
  /** Refuses new sessions, notifies all clients and closes them with 1001. */
  drain(): void;
  readonly sessionCount: number;
  /** Read at each scrape of the metrics. */
  figures(): SessionFigures;
}
