import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CancelAllAnswer } from '../../src/intake/cancel-all.js';
import { type KillSwitchCaller, type KillSwitchDirectory, KillSwitchEnforcer } from '../../src/risk/kill-switch.js';
import type { EngagedKillSwitch } from '../../src/domain/risk-limit.js';
import type { AccountId, ApiKeyId, OrderId } from '../../src/domain/ids.js';
import { RISK_LIMIT_READ_MS, KILL_SWEEP_MS_MAX, KILL_SWEEP_MS_MIN } from '../../src/domain/limits/trading.js';
import type { SettledStatus } from '../../src/domain/order.js';
import { FakeOrderBook } from '../intake/fake-order-book.js';
import { DEMO, OTHER, parentState } from '../http/orders.js';

const HALT: EngagedKillSwitch = { scope: 'account', engagedAtMs: 1_800_000_000_000, by: 'API_KEY' };

/** A service whose kill switches another process may engage. A change shows at the next check. */
class Rig implements KillSwitchDirectory {
  readonly book = new FakeOrderBook();
  readonly cancelled: AccountId[] = [];
  readonly audited: KillSwitchCaller[] = [];
  readonly written = new Set<AccountId>();
  isServiceWritten = false;
  stoppedAccounts: readonly AccountId[] = [];
  serviceSwitch: EngagedKillSwitch | null = null;
  isDiskSlow = false;
  /** The status of an order after a cancel; null: its shard is down. */
  outcome: SettledStatus | null = 'PENDING_CANCEL';
  #onDisk: () => void = () => undefined;
  readonly #listeners: (() => void)[] = [];
  switches: KillSwitchEnforcer | null = null;

  start(): void {
    this.refresh();
    this.switches = new KillSwitchEnforcer({
      store: {
        engage: ({ kind, ...scope }, _engaged, onDisk) => {
          this.written.add((scope as { account: AccountId }).account);
          this.#onDisk = onDisk;
          expect(kind).toBe('account');
          if (!this.isDiskSlow) onDisk();
        },
      },
      directory: this,
      cancelAll: (account, answer) => this.#cancelAll(account, answer),
      reader: this.book,
      whenComplete: this.book.whenComplete,
      realNowMs: Date.now,
      audit: (caller) => void this.audited.push(caller),
      log: { info: () => undefined },
    });
  }

  sync(): void {
    this.#onDisk();
  }

  put(orderId: number, account: AccountId, status: SettledStatus = 'ACCEPTED'): void {
    this.book.put(parentState({ orderId: orderId as OrderId, account }, { status }));
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  refresh(): void {
    const [stopped, serviceSwitch] = [[...this.written], this.isServiceWritten ? HALT : null];
    if (stopped.join() === this.stoppedAccounts.join() && serviceSwitch === this.serviceSwitch) return;
    [this.stoppedAccounts, this.serviceSwitch] = [stopped, serviceSwitch];
    for (const listener of this.#listeners) listener();
  }

  killSwitchOf(account: AccountId): EngagedKillSwitch | null {
    return this.stoppedAccounts.includes(account) ? HALT : null;
  }

  #cancelAll(account: AccountId, answer: CancelAllAnswer): void {
    this.cancelled.push(account);
    for (const { order } of this.book.openOrders(account)) {
      if (this.outcome !== null) this.put(order.orderId, account, this.outcome);
    }
    answer({ orderIds: [], refusals: new Map() });
  }
}

function caller(account: AccountId): KillSwitchCaller {
  return { account, apiKey: 'TRADER' as ApiKeyId, address: '127.0.0.1' };
}

let rig: Rig;
beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  rig = new Rig();
  rig.put(1, DEMO);
  rig.put(2, OTHER);
});
afterEach(() => {
  rig.switches?.close();
  vi.useRealTimers();
});

describe('a kill switch', () => {
  it('is answered when it is on disk, and cancels the open orders of its account', () => {
    rig.isDiskSlow = true;
    rig.start();
    const answers: (EngagedKillSwitch | null)[] = [];
    rig.switches?.engage(caller(DEMO), (engaged) => answers.push(engaged));
    expect(answers).toEqual([]);
    rig.sync();
    expect(answers).toEqual([HALT]);
    vi.advanceTimersByTime(0);
    expect(rig.cancelled).toEqual([DEMO]);
    vi.advanceTimersByTime(60_000);
    expect(rig.cancelled, 'the cancels wait for their exchange').toEqual([DEMO]);
  });

  it('is in the audit log before it is on disk, and once: a repetition changes nothing', () => {
    rig.isDiskSlow = true;
    rig.start();
    const engage = (): void => rig.switches?.engage(caller(DEMO), () => undefined);
    engage();
    expect(rig.audited).toEqual([caller(DEMO)]);
    rig.sync();
    engage();
    expect(rig.audited).toHaveLength(1);
    // Another process releases it, and this one has not read the change yet.
    rig.written.delete(DEMO);
    engage();
    expect(rig.audited).toEqual([caller(DEMO), caller(DEMO)]);
  });

  it('takes effect soon when another process engages it, for one account or for all', () => {
    rig.start();
    rig.written.add(OTHER);
    vi.advanceTimersByTime(RISK_LIMIT_READ_MS + 1);
    expect(rig.cancelled).toEqual([OTHER]);
    rig.isServiceWritten = true;
    vi.advanceTimersByTime(RISK_LIMIT_READ_MS + 1);
    expect(rig.cancelled).toEqual([OTHER, DEMO]);
  });

  it('takes effect after a start when it was engaged before', () => {
    rig.written.add(DEMO);
    rig.start();
    vi.advanceTimersByTime(0);
    expect(rig.cancelled).toEqual([DEMO]);
  });

  it('repeats a cancel that a shard did not accept', () => {
    rig.written.add(DEMO);
    rig.outcome = null;
    rig.start();
    vi.advanceTimersByTime(2 * KILL_SWEEP_MS_MIN);
    expect(rig.cancelled.length).toBeGreaterThan(1);
    rig.outcome = 'PENDING_CANCEL';
    vi.advanceTimersByTime(KILL_SWEEP_MS_MIN);
    const count = rig.cancelled.length;
    vi.advanceTimersByTime(60_000);
    expect(rig.cancelled).toHaveLength(count);
  });

  it('cancels an order whose create was in flight, also when it appears late', () => {
    rig.written.add(DEMO);
    rig.start();
    vi.advanceTimersByTime(60_000);
    rig.put(3, DEMO, 'PENDING_NEW');
    vi.advanceTimersByTime(KILL_SWEEP_MS_MAX);
    expect(rig.cancelled).toEqual([DEMO, DEMO]);
  });

  it('cancels nothing after its release', () => {
    rig.written.add(DEMO);
    rig.start();
    vi.advanceTimersByTime(1_000);
    rig.written.delete(DEMO);
    vi.advanceTimersByTime(RISK_LIMIT_READ_MS);
    rig.put(3, DEMO);
    vi.advanceTimersByTime(60_000);
    expect(rig.cancelled).toEqual([DEMO]);
  });
});
