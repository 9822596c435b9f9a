import { GOING_AWAY, INTERNAL_ERROR, MESSAGE_TOO_BIG, POLICY_VIOLATION, TRY_AGAIN_LATER } from './outbox.js';

/** The figures of sessions for the metrics. */
export interface SessionFigures extends SessionCounts {
  readonly open: number;
  readonly authenticated: number;
  /** Requests without an answer. */
  readonly openRequests: number;
  /** Stored sessions with cancel_on_disconnect. */
  readonly records: number;
}

/** Counts since the start of the service. */
interface SessionCounts {
  readonly opened: number;
  readonly refused: number;
  readonly closed: Readonly<Record<string, number>>;
}

/** Reasons of closed connections, by the close code of the service; null: the client. */
const CLOSE_REASONS: ReadonlyMap<number | null, string> = new Map([
  [null, 'client'],
  [GOING_AWAY, 'going_away'],
  [POLICY_VIOLATION, 'policy_violation'],
  [MESSAGE_TOO_BIG, 'message_too_big'],
  [INTERNAL_ERROR, 'internal_error'],
  [TRY_AGAIN_LATER, 'try_again_later'],
]);

/** Counts connections, refused authentications and closes. */
export class SessionCounters implements SessionCounts {
  opened = 0;
  refused = 0;
  readonly closed: Record<string, number> = Object.fromEntries(
    Array.from(CLOSE_REASONS.values(), (reason) => [reason, 0]),
  );

  /** `code`: that of the service; null: the client closed or lost the connection. */
  onClosed(code: number | null): void {
    const reason = CLOSE_REASONS.get(code) ?? 'client';
    this.closed[reason] = (this.closed[reason] ?? 0) + 1;
  }
}

/** The figures before the sessions are attached. */
export const NO_SESSIONS: SessionFigures = {
  open: 0,
  authenticated: 0,
  openRequests: 0,
  records: 0,
  opened: 0,
  refused: 0,
  closed: new SessionCounters().closed,
};
