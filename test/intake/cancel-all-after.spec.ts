import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CancelAllAfter } from '../../src/intake/cancel-all-after.js';
import type { CancelAllResult } from '../../src/intake/cancel-all.js';
import type { AccountId, OrderId } from '../../src/domain/ids.js';
import type { DurationMs } from '../../src/domain/time.js';
import { FakeTimerStore } from './fake-timer-store.js';
import { DEMO } from '../http/orders.js';

const OTHER = 'other' as AccountId;
const MINUTE = 60_000 as DurationMs;
const OFF = 0 as DurationMs;
const ORDER_ID = 7 as OrderId;
const DONE: CancelAllResult = { orderIds: [ORDER_ID], refusals: new Map() };
const DOWN: CancelAllResult = {
  orderIds: [ORDER_ID],
  refusals: new Map([[ORDER_ID, { code: 'EMS_INSTANCES_DOWN', message: 'shard 0 is down' }]]),
};

/** A service that can be started again on the same disk. */
class Rig {
  readonly store = new FakeTimerStore();
  readonly cancelled: AccountId[] = [];
  result: CancelAllResult = DONE;
  wallAheadMs = 0;
  /** Bound of order ids of each cancelAll. */
  readonly bounds: (number | undefined)[] = [];
  /** True: the process ends after the cancels, before the removal of the timer. */
  isKilled = false;
  #lastOrderId = 0;
  timers = this.start();

  start(): CancelAllAfter {
    return new CancelAllAfter({
      store: this.store,
      cancellation: {
        cancelAll: (account, cancelCause, answer, throughOrderId) => {
          expect(cancelCause).toEqual({ by: 'CANCEL_ALL_AFTER', apiKey: null, code: null });
          this.cancelled.push(account);
          this.bounds.push(throughOrderId);
          if (!this.isKilled) answer(this.result);
        },
      },
      takeOrderId: () => this.create(),
      realNowMs: () => Date.now() + this.wallAheadMs,
      steadyRealMs: Date.now,
      log: { info: () => undefined },
    });
  }

  create(): OrderId {
    this.#lastOrderId += 1;
    return this.#lastOrderId as OrderId;
  }

  set(account: AccountId, timeoutMs: DurationMs): (number | null)[] {
    const answers: (number | null)[] = [];
    this.timers.set(account, timeoutMs, (triggerAtMs) => answers.push(triggerAtMs));
    return answers;
  }
}

beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }));
afterEach(() => void vi.useRealTimers());

describe('cancel-all-after', () => {
  it.each([3_600_000, -3_600_000])('fires on time after a step of the wall clock by %i ms', (stepMs) => {
    const rig = new Rig();
    rig.wallAheadMs = stepMs;
    expect(rig.set(DEMO, MINUTE)).toEqual([Date.now() + stepMs + MINUTE]);
    rig.wallAheadMs = 0;
    rig.timers.close();
    rig.timers = rig.start();
    vi.advanceTimersByTime(MINUTE - 1);
    expect(rig.cancelled).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(rig.cancelled).toEqual([DEMO]);
  });

  it('cancels the orders of its account once when its time has passed', () => {
    const rig = new Rig();
    expect(rig.set(DEMO, MINUTE)).toEqual([Date.now() + MINUTE]);
    rig.set(OTHER, (2 * MINUTE) as DurationMs);
    vi.advanceTimersByTime(MINUTE - 1);
    expect(rig.cancelled).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(rig.cancelled).toEqual([DEMO]);
    expect([...rig.store.kept.keys()]).toEqual([OTHER]);
    vi.advanceTimersByTime(10 * MINUTE);
    expect(rig.cancelled).toEqual([DEMO, OTHER]);
  });

  it('is postponed by each renewal and can be switched off', () => {
    const rig = new Rig();
    for (let renewals = 0; renewals < 5; renewals += 1) {
      rig.set(DEMO, MINUTE);
      vi.advanceTimersByTime(MINUTE - 1);
    }
    expect(rig.set(DEMO, OFF)).toEqual([null]);
    vi.advanceTimersByTime(10 * MINUTE);
    expect(rig.cancelled).toEqual([]);
    expect(rig.store.kept.size).toBe(0);
  });

  it('answers when the timer is on disk', () => {
    const rig = new Rig();
    rig.store.isSlow = true;
    const answers = rig.set(DEMO, MINUTE);
    expect(answers).toEqual([]);
    rig.store.sync();
    expect(answers).toHaveLength(1);
  });

  it('survives a restart, and fires at the start when its time has passed', () => {
    const rig = new Rig();
    rig.set(DEMO, MINUTE);
    rig.set(OTHER, (5 * MINUTE) as DurationMs);
    rig.timers.close();
    vi.advanceTimersByTime(3 * MINUTE);
    expect(rig.cancelled).toEqual([]);
    rig.timers = rig.start();
    vi.advanceTimersByTime(1);
    expect(rig.cancelled).toEqual([DEMO]);
    vi.advanceTimersByTime(2 * MINUTE);
    expect(rig.cancelled).toEqual([DEMO, OTHER]);
  });

  it('retries while a shard is down, and stays stored until every order has its cancel', () => {
    const rig = new Rig();
    rig.result = DOWN;
    rig.set(DEMO, MINUTE);
    vi.advanceTimersByTime(MINUTE + 2_500);
    expect(rig.cancelled).toHaveLength(3);
    expect(rig.store.kept.has(DEMO)).toBe(true);
    rig.result = DONE;
    vi.advanceTimersByTime(10_000);
    expect(rig.cancelled).toHaveLength(4);
    expect(rig.store.kept.has(DEMO)).toBe(false);
  });

  it('cancels after a kill only orders that were created before the first firing', () => {
    const rig = new Rig();
    const before = rig.create();
    rig.set(DEMO, MINUTE);
    rig.isKilled = true;
    vi.advanceTimersByTime(MINUTE);
    expect(rig.cancelled).toEqual([DEMO]);
    rig.timers.close();
    rig.isKilled = false;
    const after = rig.create();
    rig.timers = rig.start();
    vi.advanceTimersByTime(MINUTE);
    expect(rig.cancelled).toEqual([DEMO, DEMO]);
    const [first, second] = rig.bounds as [number, number];
    expect(second).toBe(first);
    expect([before <= second, after <= second]).toEqual([true, false]);
    expect(rig.store.kept.size).toBe(0);
  });

  it('sends no cancel before its bound is on disk, and none after a renewal', () => {
    const rig = new Rig();
    rig.set(DEMO, MINUTE);
    rig.store.isSlow = true;
    vi.advanceTimersByTime(MINUTE);
    expect(rig.cancelled).toEqual([]);
    rig.set(DEMO, MINUTE);
    rig.store.sync();
    expect(rig.cancelled).toEqual([]);
    vi.advanceTimersByTime(MINUTE);
    rig.store.sync();
    expect(rig.cancelled).toEqual([DEMO]);
  });
});
