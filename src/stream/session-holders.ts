import { CountByKey } from '../domain/count-by-key.js';
import type { AccountId } from '../domain/ids.js';
import { SESSIONS_PER_ACCOUNT_MAX } from '../domain/limits/clients.js';
import { isRejected, type OrRejection, type RefusalCounts, type Rejection, Rejected } from '../domain/rejection.js';
import type { SessionGrant, SessionStart, SessionStarter } from '../domain/session.js';
import { POLICY_VIOLATION } from './outbox.js';
import type { StreamHolder } from './port.js';
import type { Session } from './session.js';

export type GrantAnswer = (granted: OrRejection<SessionGrant>) => void;

interface SessionHoldersParts {
  readonly starter: SessionStarter;
  readonly refusals: RefusalCounts;
  /** The session has its holder. */
  readonly onJoined: (session: Session) => void;
}

/** Gives sessions their authenticated holders, a bounded number for each account, and ends their grants. */
export class SessionHolders {
  readonly #parts: SessionHoldersParts;
  readonly #countByAccount = new CountByKey<AccountId>();

  constructor(parts: SessionHoldersParts) {
    this.#parts = parts;
  }

  /** Answers once, at once or after the disk. */
  join(session: Session, asked: StreamHolder & SessionStart, answer: GrantAnswer): void {
    const { starter, refusals, onJoined } = this.#parts;
    const { account, apiKey, address } = asked;
    // A take-over replaces a connection, so it needs no room.
    if (this.#countByAccount.of(account) >= SESSIONS_PER_ACCOUNT_MAX && !starter.takesOver(asked)) {
      refusals.stream_account_connections += 1;
      return answer(new Rejected(TOO_MANY_SESSIONS));
    }
    // It counts from here on, because its start may wait for the disk.
    this.#countByAccount.add(account);
    const onTakenOver = (): void => session.finish(POLICY_VIOLATION, 'another connection has resumed the session');
    starter.start(asked, onTakenOver, (granted) => {
      if (isRejected(granted)) {
        refusals.stream_account_connections += 1;
        this.#countByAccount.add(account, -1);
        return answer(granted);
      }
      // A session that ended during its authentication has left already.
      if (session.isEnding) {
        this.#countByAccount.add(account, -1);
        granted.end();
        return answer(new Rejected(HAS_ENDED));
      }
      session.holder = { account, apiKey, address, creates: granted.creates };
      session.grant = granted;
      onJoined(session);
      answer(granted);
    });
  }

  leave({ holder, grant }: Session): void {
    if (holder !== null) this.#countByAccount.add(holder.account, -1);
    grant?.end();
  }
}

const HAS_ENDED: Rejection = { code: 'SYSTEM_BUSY', message: 'the session has ended' };
const TOO_MANY_SESSIONS: Rejection = {
  code: 'RATE_LIMIT_EXCEEDED',
  message: `the account has ${SESSIONS_PER_ACCOUNT_MAX} sessions, the maximum`,
};
