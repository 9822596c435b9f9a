import { isUnavailability } from '../api/field/error-code.js';
import { CountByKey } from '../domain/count-by-key.js';
import type { AccountId, OrderId, SessionNumber } from '../domain/ids.js';
import {
  SESSION_CANCEL_RETRY_MS,
  SESSION_READY_CHECK_MS,
  SESSION_RECORDS_MAX,
  SESSION_RECORDS_PER_ACCOUNT_MAX,
  SESSION_RESUME_AFTER_START_MS,
  SESSION_RESUME_MS,
} from '../domain/limits/clients.js';
import type { ParentOrder } from '../domain/order.js';
import { type OrRejection, reject } from '../domain/rejection.js';
import type { SessionCreates, SessionGrant, SessionRecord, SessionStart, SessionStarter } from '../domain/session.js';
import type { OrderCancellation } from './order-cancellation.js';

/** Stores the records of sessions by session id. */
export interface SessionRecordStore {
  load(): Iterable<readonly [string, SessionRecord]>;
  /** null: removes the record. Calls back once it is on disk, in the order of the calls. */
  put(id: string, record: SessionRecord | null, onDisk: () => void): void;
}

interface CancelOnDisconnectParts {
  readonly store: SessionRecordStore;
  readonly cancellation: Pick<OrderCancellation, 'cancelSessions'>;
  /** Returns a new order id: larger than every id so far, smaller than every later one. No order gets it. */
  readonly takeOrderId: () => OrderId;
  /** Returns an id that cannot be guessed. */
  readonly newSessionId: () => string;
  /** Creates and amendments of the account whose outcome is not known yet. */
  readonly pendingOrders: (account: AccountId) => Iterable<{ readonly order: ParentOrder }>;
  /** True when every shard has recovered its orders. */
  readonly isReady: () => boolean;
  readonly log: { info(context: object, message: string): void };
}

/** A stored session. */
interface Kept {
  readonly id: string;
  record: SessionRecord;
  readonly creates: SessionCreates;
  /** The grant of its connection; null: it has none now. */
  grant: SessionGrant | null;
  onTakenOver: () => void;
  /** Runs while it may be resumed. */
  timer: NodeJS.Timeout | undefined;
}

/**
 * Cancels the open orders of a session when the session ends and is not resumed in time:
 *
 *     record on disk ─▶ connected ⇄ waits for a resume ─▶ "over" on disk ─▶ cancels of its orders ─▶ record removed
 *
 * Each order carries the number of its session, so a crash loses no order of a session and cancels no other order.
 * After a restart, a record that is not over waits for a resume; one that is over continues its cancels (adr/0057).
 */
export class CancelOnDisconnect implements SessionStarter {
  readonly #parts: CancelOnDisconnectParts;
  readonly #kept = new Map<string, Kept>();
  readonly #countByAccount = new CountByKey<AccountId>();
  /** Accounts whose cancels are under way. */
  readonly #cancelling = new Set<AccountId>();
  readonly #retries = new Map<AccountId, NodeJS.Timeout>();
  readonly #readyCheck: NodeJS.Timeout | undefined;
  #wasReady = false;
  #isClosed = false;

  /** Stored sessions may be resumed at once. Their time runs from readiness. */
  constructor(parts: CancelOnDisconnectParts) {
    this.#parts = parts;
    for (const [id, record] of parts.store.load()) this.#keep(id, record);
    if (this.#kept.size > 0) this.#readyCheck = setInterval(() => this.#whenReady(), SESSION_READY_CHECK_MS);
  }

  get recordCount(): number {
    return this.#kept.size;
  }

  takesOver(asked: SessionStart): boolean {
    const resumed = asked.resume === null ? null : this.#resumable(asked.resume, asked);
    return resumed !== null && resumed.grant !== null;
  }

  start(asked: SessionStart, onTakenOver: () => void, answer: (granted: OrRejection<SessionGrant>) => void): void {
    const { account, apiKey, cancelOnDisconnect, resume } = asked;
    const resumed = resume === null ? null : this.#resumable(resume, asked);
    if (resumed !== null) {
      this.#takeOver(resumed);
      if (cancelOnDisconnect === false) return this.#forget(resumed, () => answer(this.#unkept(true)));
      return answer(this.#connect(resumed, true, onTakenOver));
    }
    if (!(cancelOnDisconnect ?? resume !== null)) return answer(this.#unkept(false));
    if (this.#isFull(account)) return answer(reject('RATE_LIMIT_EXCEEDED', TOO_MANY));
    const number = this.#parts.takeOrderId() as number as SessionNumber;
    const record: SessionRecord = { account, apiKey, number, isOver: false };
    const kept = this.#keep(this.#parts.newSessionId(), record);
    const grant = this.#connect(kept, false, onTakenOver);
    this.#parts.store.put(kept.id, record, () => answer(grant));
  }

  /** No session is over from now on: the next start of the service gives each one its time. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#readyCheck);
    for (const { timer } of this.#kept.values()) clearTimeout(timer);
    for (const retry of this.#retries.values()) clearTimeout(retry);
  }

  #keep(id: string, record: SessionRecord): Kept {
    const creates = { number: record.number, openCount: 0 };
    const kept: Kept = { id, record, creates, grant: null, onTakenOver: () => undefined, timer: undefined };
    this.#kept.set(id, kept);
    this.#countByAccount.add(record.account);
    return kept;
  }

  #forget(kept: Kept, onDisk: () => void = () => undefined): void {
    this.#kept.delete(kept.id);
    this.#countByAccount.add(kept.record.account, -1);
    this.#parts.store.put(kept.id, null, onDisk);
  }

  #isFull(account: AccountId): boolean {
    const count = this.#countByAccount.of(account);
    return count >= SESSION_RECORDS_PER_ACCOUNT_MAX || this.#kept.size >= SESSION_RECORDS_MAX;
  }

  /** null: there is no such session, it is over, or it belongs to another key. */
  #resumable(id: string, { account, apiKey }: SessionStart): Kept | null {
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.record.isOver) return null;
    return kept.record.account === account && kept.record.apiKey === apiKey ? kept : null;
  }

  #takeOver(kept: Kept): void {
    clearTimeout(kept.timer);
    kept.grant = null;
    kept.onTakenOver();
    kept.onTakenOver = () => undefined;
  }

  #connect(kept: Kept, isResumed: boolean, onTakenOver: () => void): SessionGrant {
    const grant: SessionGrant = {
      id: kept.id,
      isResumed,
      creates: kept.creates,
      end: () => {
        // After a resume the end of the earlier connection has no effect.
        if (kept.grant === grant) this.#onEnded(kept);
      },
    };
    kept.grant = grant;
    kept.onTakenOver = onTakenOver;
    return grant;
  }

  #unkept(isResumed: boolean): SessionGrant {
    return { id: this.#parts.newSessionId(), isResumed, creates: null, end: () => undefined };
  }

  #onEnded(kept: Kept): void {
    kept.grant = null;
    kept.onTakenOver = () => undefined;
    this.#expireAfter(kept, SESSION_RESUME_MS);
  }

  #expireAfter(kept: Kept, waitMs: number): void {
    if (!this.#isClosed) kept.timer = setTimeout(() => this.#expire(kept), waitMs);
  }

  #expire(kept: Kept): void {
    const { account } = kept.record;
    const record = { ...kept.record, isOver: true };
    kept.record = record;
    this.#parts.store.put(kept.id, record, () => this.#cancel(account));
  }

  #whenReady(): void {
    if (!this.#isStarted()) return;
    clearInterval(this.#readyCheck);
    for (const kept of this.#kept.values()) {
      if (kept.record.isOver) this.#cancel(kept.record.account);
      else if (kept.grant === null && kept.timer === undefined) this.#expireAfter(kept, SESSION_RESUME_AFTER_START_MS);
    }
  }

  /** True from the first readiness on. Before that the store may lack orders of the journal's end. */
  #isStarted(): boolean {
    this.#wasReady ||= this.#parts.isReady();
    return this.#wasReady;
  }

  /** Cancels the orders of all sessions of the account that are over. */
  #cancel(account: AccountId): void {
    if (this.#isClosed || this.#cancelling.has(account)) return;
    if (!this.#isStarted()) return this.#retry(account);
    const over = [...this.#kept.values()].filter(({ record }) => record.account === account && record.isOver);
    if (over.length === 0) return;
    const pending = this.#pendingSessions(account);
    // Their last create is answered, so the store that the cancels read shows all their orders.
    const complete = over.filter(({ creates }) => creates.openCount === 0 && !pending.has(creates.number));
    this.#cancelling.add(account);
    const sessions = new Set(over.map(({ creates }) => creates.number));
    this.#parts.cancellation.cancelSessions(account, sessions, ({ orderIds, refusals }) => {
      this.#cancelling.delete(account);
      const isUndone = [...refusals.values()].some(({ code }) => isUnavailability(code));
      if (isUndone) return this.#retry(account);
      if (orderIds.length > 0) {
        this.#parts.log.info(
          { account, orders: orderIds.length, sessions: sessions.size },
          'sessions with cancel_on_disconnect ended; cancelled their open orders',
        );
      }
      for (const kept of complete) this.#forget(kept);
      this.#retry(account);
    });
  }

  #pendingSessions(account: AccountId): ReadonlySet<SessionNumber | null> {
    return new Set(Array.from(this.#parts.pendingOrders(account), ({ order }) => order.session));
  }

  /** Cancels again later. Does nothing then when no session of the account is over. */
  #retry(account: AccountId): void {
    if (this.#isClosed || this.#retries.has(account)) return;
    const timer = setTimeout(() => {
      this.#retries.delete(account);
      this.#cancel(account);
    }, SESSION_CANCEL_RETRY_MS);
    this.#retries.set(account, timer);
  }
}

const TOO_MANY =
  `the account has ${SESSION_RECORDS_PER_ACCOUNT_MAX} sessions with cancel_on_disconnect, or the service ` +
  `${SESSION_RECORDS_MAX}, the maximum; those that have ended count until their orders are cancelled`;
