import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AccountId, ApiKeyId, OrderId, SessionNumber } from '../../src/domain/ids.js';
import {
  SESSION_CANCEL_RETRY_MS,
  SESSION_READY_CHECK_MS,
  SESSION_RECORDS_MAX,
  SESSION_RECORDS_PER_ACCOUNT_MAX,
  SESSION_RESUME_AFTER_START_MS,
  SESSION_RESUME_MS,
} from '../../src/domain/limits/clients.js';
import type { ParentOrder } from '../../src/domain/order.js';
import { isRejected, type OrRejection } from '../../src/domain/rejection.js';
import type { SessionGrant, SessionStart } from '../../src/domain/session.js';
import type { CancelAllAnswer } from '../../src/intake/cancel-all.js';
import { CancelOnDisconnect } from '../../src/intake/cancel-on-disconnect.js';
import { DEMO, OTHER, parentOrder } from '../http/orders.js';
import { FakeSessionRecords } from './fake-timer-store.js';

const KEY = 'key' as ApiKeyId;
const ORDER_ID = 9 as OrderId;
const DONE: Parameters<CancelAllAnswer>[0] = { orderIds: [ORDER_ID], refusals: new Map() };
const BUSY: Parameters<CancelAllAnswer>[0] = {
  orderIds: [ORDER_ID],
  refusals: new Map([[ORDER_ID, { code: 'SYSTEM_BUSY', message: 'the mailbox is full' }]]),
};

/** A service that can be started again on the same disk. */
class Rig {
  readonly store = new FakeSessionRecords();
  /** Account and session numbers of each cancel. */
  readonly cancels: [AccountId, number[]][] = [];
  readonly takenOver: string[] = [];
  pending: ParentOrder[] = [];
  result = DONE;
  isReady = true;
  /** True: the process ends after the cancels. */
  isKilled = false;
  #lastId = 0;
  sessions = this.start();

  start(): CancelOnDisconnect {
    return new CancelOnDisconnect({
      store: this.store,
      cancellation: {
        cancelSessions: (account, sessions, answer) => {
          this.cancels.push([account, [...sessions]]);
          if (!this.isKilled) answer(this.result);
        },
      },
      takeOrderId: () => (this.#lastId += 1) as OrderId,
      newSessionId: () => `id-${(this.#lastId += 1)}`,
      pendingOrders: (account) => this.pending.filter((order) => order.account === account).map((order) => ({ order })),
      isReady: () => this.isReady,
      log: { info: () => undefined },
    });
  }

  restart(): void {
    this.sessions.close();
    this.sessions = this.start();
  }

  ask(asked: Partial<SessionStart> = {}): OrRejection<SessionGrant>[] {
    const answers: OrRejection<SessionGrant>[] = [];
    const whole = { account: DEMO, apiKey: KEY, cancelOnDisconnect: true, resume: null, ...asked };
    this.sessions.start(
      whole,
      () => this.takenOver.push(whole.resume ?? ''),
      (granted) => answers.push(granted),
    );
    return answers;
  }

  grant(asked: Partial<SessionStart> = {}): SessionGrant {
    const [granted] = this.ask(asked);
    if (granted === undefined || isRejected(granted)) throw new Error(JSON.stringify(granted));
    return granted;
  }

  get numbers(): number[] {
    return this.cancels.flatMap(([, numbers]) => numbers);
  }
}

function numberOf({ creates }: SessionGrant): number {
  return creates?.number ?? 0;
}

beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }));
afterEach(() => void vi.useRealTimers());

describe('a session with cancel_on_disconnect', () => {
  it('is granted when its record is on disk', () => {
    const rig = new Rig();
    rig.store.isSlow = true;
    const answers = rig.ask();
    expect(answers).toEqual([]);
    rig.store.sync();
    expect(answers).toHaveLength(1);
    expect([...rig.store.kept.values()]).toEqual([{ account: DEMO, apiKey: KEY, number: 1, isOver: false }]);
  });

  it('cancels its orders when it has ended and was not resumed in time; then its record is removed', () => {
    const rig = new Rig();
    const [session, other] = [rig.grant(), rig.grant()];
    session.end();
    vi.advanceTimersByTime(SESSION_RESUME_MS - 1);
    expect(rig.cancels).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(rig.cancels).toEqual([[DEMO, [numberOf(session)]]]);
    expect([...rig.store.kept.keys()]).toEqual([other.id]);
    vi.advanceTimersByTime(60_000);
    expect(rig.cancels).toHaveLength(1);
    expect(rig.sessions.recordCount).toBe(1);
  });

  it('stores that it is over before it cancels', () => {
    const rig = new Rig();
    const session = rig.grant();
    rig.store.isSlow = true;
    session.end();
    vi.advanceTimersByTime(SESSION_RESUME_MS);
    expect(rig.store.kept.get(session.id)?.isOver).toBe(true);
    expect(rig.cancels).toEqual([]);
    rig.store.sync();
    expect(rig.numbers).toEqual([numberOf(session)]);
  });

  it('cancels again until no shard is unavailable', () => {
    const rig = new Rig();
    rig.result = BUSY;
    rig.grant().end();
    vi.advanceTimersByTime(SESSION_RESUME_MS + 2 * SESSION_CANCEL_RETRY_MS);
    expect(rig.cancels).toHaveLength(3);
    expect(rig.store.kept.size).toBe(1);
    rig.result = DONE;
    vi.advanceTimersByTime(SESSION_CANCEL_RETRY_MS);
    expect(rig.store.kept.size).toBe(0);
  });

  it('cancels again while one of its creates has no answer or no known outcome', () => {
    const rig = new Rig();
    const session = rig.grant();
    const { creates } = session;
    if (creates === null) throw new Error('no creates');
    creates.openCount = 1;
    session.end();
    vi.advanceTimersByTime(SESSION_RESUME_MS);
    expect(rig.cancels).toHaveLength(1);
    expect(rig.store.kept.size).toBe(1);
    rig.pending = [parentOrder({ session: creates.number })];
    creates.openCount = 0;
    vi.advanceTimersByTime(SESSION_CANCEL_RETRY_MS);
    expect(rig.store.kept.size).toBe(1);
    rig.pending = [parentOrder({ session: (creates.number + 1) as SessionNumber })];
    vi.advanceTimersByTime(SESSION_CANCEL_RETRY_MS);
    expect(rig.cancels).toHaveLength(3);
    expect(rig.store.kept.size).toBe(0);
  });

  it('is refused beyond the records of its account and of the service, until cancels are done', () => {
    const rig = new Rig();
    const sessions = Array.from({ length: SESSION_RECORDS_PER_ACCOUNT_MAX }, () => rig.grant());
    expect(rig.ask()).toMatchObject([{ rejection: { code: 'RATE_LIMIT_EXCEEDED' } }]);
    expect(rig.grant({ cancelOnDisconnect: false }).creates).toBeNull();
    sessions[0]?.end();
    expect(rig.ask()).toMatchObject([{ rejection: { code: 'RATE_LIMIT_EXCEEDED' } }]);
    vi.advanceTimersByTime(SESSION_RESUME_MS);
    expect(rig.grant().creates).not.toBeNull();
    const others = SESSION_RECORDS_MAX - SESSION_RECORDS_PER_ACCOUNT_MAX;
    for (let count = 0; count < others; count += 1) {
      rig.grant({ account: `a-${count % 1_000}` as AccountId });
    }
    expect(rig.ask({ account: OTHER })).toMatchObject([{ rejection: { code: 'RATE_LIMIT_EXCEEDED' } }]);
  });
});

describe('a resumed session', () => {
  it('keeps its orders, its id and its number', () => {
    const rig = new Rig();
    const session = rig.grant();
    session.end();
    vi.advanceTimersByTime(SESSION_RESUME_MS - 1);
    const again = rig.grant({ resume: session.id, cancelOnDisconnect: null });
    expect(again).toMatchObject({ id: session.id, isResumed: true, creates: session.creates });
    vi.advanceTimersByTime(60_000);
    expect(rig.cancels).toEqual([]);
    again.end();
    vi.advanceTimersByTime(SESSION_RESUME_MS);
    expect(rig.numbers).toEqual([numberOf(session)]);
  });

  it('takes over from a connection that still seems open, whose end then has no effect', () => {
    const rig = new Rig();
    const session = rig.grant();
    rig.grant({ resume: session.id });
    expect(rig.takenOver).toEqual(['']);
    session.end();
    vi.advanceTimersByTime(60_000);
    expect(rig.cancels).toEqual([]);
  });

  it('keeps its orders for ever when cancel_on_disconnect is false', () => {
    const rig = new Rig();
    const session = rig.grant();
    rig.store.isSlow = true;
    const answers = rig.ask({ resume: session.id, cancelOnDisconnect: false });
    expect(answers).toEqual([]);
    rig.store.sync();
    expect(answers).toMatchObject([{ isResumed: true, creates: null }]);
    session.end();
    vi.advanceTimersByTime(60_000);
    expect(rig.cancels).toEqual([]);
    expect(rig.store.kept.size).toBe(0);
  });

  it.each<[string, Partial<SessionStart>, number]>([
    ['another key', { apiKey: 'other' as ApiKeyId }, 0],
    ['another account', { account: OTHER }, 0],
    ['a wrong id', { resume: 'id-99' }, 0],
    ['too late', {}, SESSION_RESUME_MS],
  ])('is a new one with %s, and the orders of the first are cancelled', (_name, change, waitMs) => {
    const rig = new Rig();
    rig.result = BUSY;
    const session = rig.grant();
    session.end();
    vi.advanceTimersByTime(waitMs);
    const next = rig.grant({ resume: session.id, cancelOnDisconnect: null, ...change });
    expect(next.isResumed).toBe(false);
    expect(next.id).not.toBe(session.id);
    expect(next.creates).not.toBeNull();
    vi.advanceTimersByTime(SESSION_RESUME_MS);
    expect(new Set(rig.numbers)).toEqual(new Set([numberOf(session)]));
  });
});

describe('after a restart', () => {
  it('the orders of a session are cancelled when it is not resumed in time from readiness', () => {
    const rig = new Rig();
    const session = rig.grant();
    rig.isReady = false;
    rig.restart();
    vi.advanceTimersByTime(600_000);
    rig.isReady = true;
    vi.advanceTimersByTime(SESSION_READY_CHECK_MS + SESSION_RESUME_AFTER_START_MS - 1);
    expect(rig.cancels).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(rig.numbers).toEqual([numberOf(session)]);
    expect(rig.store.kept.size).toBe(0);
  });

  it.each([false, true])('a session can be resumed; ready: %s', (isReady) => {
    const rig = new Rig();
    const session = rig.grant();
    rig.isReady = isReady;
    rig.restart();
    vi.advanceTimersByTime(SESSION_RESUME_AFTER_START_MS - 1);
    expect(rig.grant({ resume: session.id })).toMatchObject({ id: session.id, isResumed: true });
    rig.isReady = true;
    vi.advanceTimersByTime(60_000);
    expect(rig.cancels).toEqual([]);
  });

  it('a session that was over cannot be resumed and continues its cancels at readiness', () => {
    const rig = new Rig();
    const session = rig.grant();
    rig.isKilled = true;
    session.end();
    vi.advanceTimersByTime(SESSION_RESUME_MS);
    expect(rig.cancels).toHaveLength(1);
    rig.isKilled = rig.isReady = false;
    rig.restart();
    expect(rig.grant({ resume: session.id })).toMatchObject({ isResumed: false });
    vi.advanceTimersByTime(60_000);
    expect(rig.cancels).toHaveLength(1);
    rig.isReady = true;
    vi.advanceTimersByTime(SESSION_READY_CHECK_MS);
    expect(rig.numbers).toEqual([numberOf(session), numberOf(session)]);
  });

  it('a session that ended in the shutdown is not over', () => {
    const rig = new Rig();
    const [early, late] = [rig.grant(), rig.grant()];
    early.end();
    rig.sessions.close();
    late.end();
    vi.advanceTimersByTime(600_000);
    expect(rig.cancels).toEqual([]);
    expect([...rig.store.kept.values()].map(({ isOver }) => isOver)).toEqual([false, false]);
  });
});
