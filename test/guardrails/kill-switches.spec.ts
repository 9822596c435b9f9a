import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CancelAllAnswer } from '../../src/http/cancel-all.js';
import { KillSwitches } from '../../src/http/kill-switches.js';
import type { HaltDirectory } from '../../src/http/port.js';
import type { Halt } from '../../src/model/guardrail.js';
import type { AccountId, OrderId } from '../../src/model/ids.js';
import { GUARDRAIL_LOOK_MS, KILL_SWEEP_MS_MAX, KILL_SWEEP_MS_MIN } from '../../src/model/limits.js';
import type { RestingStatus } from '../../src/model/order.js';
import { FakeOrderBook } from '../http/fake-order-book.js';
import { DEMO, OTHER, parentState } from '../http/orders.js';

const HALT: Halt = { scope: 'account', engagedAtMs: 1_800_000_000_000, by: 'API_KEY' };

/** A service whose switches another process may engage: what is written shows at the next look. */
class Rig implements HaltDirectory {
  readonly book = new FakeOrderBook();
  readonly cancelled: AccountId[] = [];
  readonly written = new Set<AccountId>();
  isServiceWritten = false;
  haltedAccounts: readonly AccountId[] = [];
  isServiceHalted = false;
  isDiskSlow = false;
  /** What a cancel makes of an order; null: its shard is down. */
  outcome: RestingStatus | null = 'PENDING_CANCEL';
  #onDisk: () => void = () => undefined;
  readonly #listeners: (() => void)[] = [];
  switches: KillSwitches | null = null;

  start(): void {
    this.look();
    this.switches = new KillSwitches({
      store: {
        engage: ({ kind, ...scope }, _halt, onDisk) => {
          this.written.add((scope as { account: AccountId }).account);
          this.#onDisk = onDisk;
          expect(kind).toBe('account');
          if (!this.isDiskSlow) onDisk();
        },
      },
      halts: this,
      cancellation: { cancelAll: (account, answer) => this.#cancelAll(account, answer) },
      reader: this.book,
      realNowMs: Date.now,
      log: { error: () => undefined, info: () => undefined },
    });
  }

  sync(): void {
    this.#onDisk();
  }

  put(orderId: number, account: AccountId, status: RestingStatus = 'ACCEPTED'): void {
    this.book.put(parentState({ orderId: orderId as OrderId, account }, { status }));
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  look(): void {
    const [halted, isServiceHalted] = [[...this.written], this.isServiceWritten];
    if (halted.join() === this.haltedAccounts.join() && isServiceHalted === this.isServiceHalted) return;
    [this.haltedAccounts, this.isServiceHalted] = [halted, isServiceHalted];
    for (const listener of this.#listeners) listener();
  }

  haltOf(account: AccountId): Halt | null {
    return this.haltedAccounts.includes(account) ? HALT : null;
  }

  #cancelAll(account: AccountId, answer: CancelAllAnswer): void {
    this.cancelled.push(account);
    for (const { order } of this.book.openOrders(account)) {
      if (this.outcome !== null) this.put(order.orderId, account, this.outcome);
    }
    answer({ orderIds: [], refusals: new Map() });
  }
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
  it('is answered once it is on disk, and cancels what its account has open', () => {
    rig.isDiskSlow = true;
    rig.start();
    const answers: (Halt | null)[] = [];
    rig.switches?.engage(DEMO, (halt) => answers.push(halt));
    expect(answers).toEqual([]);
    rig.sync();
    expect(answers).toEqual([HALT]);
    vi.advanceTimersByTime(0);
    expect(rig.cancelled).toEqual([DEMO]);
    vi.advanceTimersByTime(60_000);
    expect(rig.cancelled, 'they wait for their venue').toEqual([DEMO]);
  });

  it('that another process engages is taken up soon, for one account or for all', () => {
    rig.start();
    rig.written.add(OTHER);
    vi.advanceTimersByTime(GUARDRAIL_LOOK_MS + 1);
    expect(rig.cancelled).toEqual([OTHER]);
    rig.isServiceWritten = true;
    vi.advanceTimersByTime(GUARDRAIL_LOOK_MS + 1);
    expect(rig.cancelled).toEqual([OTHER, DEMO]);
  });

  it('that was engaged before the start is carried out after it', () => {
    rig.written.add(DEMO);
    rig.start();
    vi.advanceTimersByTime(0);
    expect(rig.cancelled).toEqual([DEMO]);
  });

  it('tries again what a shard did not take', () => {
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

  it('cancels a create that was on its way, however late it shows', () => {
    rig.written.add(DEMO);
    rig.start();
    vi.advanceTimersByTime(60_000);
    rig.put(3, DEMO, 'PENDING_NEW');
    vi.advanceTimersByTime(KILL_SWEEP_MS_MAX);
    expect(rig.cancelled).toEqual([DEMO, DEMO]);
  });

  it('cancels nothing once it is released', () => {
    rig.written.add(DEMO);
    rig.start();
    vi.advanceTimersByTime(1_000);
    rig.written.delete(DEMO);
    vi.advanceTimersByTime(GUARDRAIL_LOOK_MS);
    rig.put(3, DEMO);
    vi.advanceTimersByTime(60_000);
    expect(rig.cancelled).toEqual([DEMO]);
  });
});
