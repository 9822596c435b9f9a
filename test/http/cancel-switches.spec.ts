import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CancelSwitches } from '../../src/http/cancel-switches.js';
import type { CancelAllResult } from '../../src/http/cancel-all.js';
import type { AccountId, OrderId } from '../../src/model/ids.js';
import type { DurationMs } from '../../src/model/time.js';
import { FakeSwitchStore } from './fake-switch-store.js';
import { DEMO } from './orders.js';

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
  readonly store = new FakeSwitchStore();
  readonly cancelled: AccountId[] = [];
  result: CancelAllResult = DONE;
  wallAheadMs = 0;
  switches = this.start();

  start(): CancelSwitches {
    return new CancelSwitches({
      store: this.store,
      cancellation: {
        cancelAll: (account, answer) => {
          this.cancelled.push(account);
          answer(this.result);
        },
      },
      realNowMs: () => Date.now() + this.wallAheadMs,
      steadyRealMs: Date.now,
      log: { error: () => undefined, info: () => undefined },
    });
  }

  set(account: AccountId, timeoutMs: DurationMs): (number | null)[] {
    const answers: (number | null)[] = [];
    this.switches.set(account, timeoutMs, (triggerAtMs) => answers.push(triggerAtMs));
    return answers;
  }
}

beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }));
afterEach(() => void vi.useRealTimers());

describe("a dead man's switch", () => {
  it.each([3_600_000, -3_600_000])('takes effect in time after a step of the wall clock by %i ms', (stepMs) => {
    const rig = new Rig();
    rig.wallAheadMs = stepMs;
    expect(rig.set(DEMO, MINUTE)).toEqual([Date.now() + stepMs + MINUTE]);
    rig.wallAheadMs = 0;
    rig.switches.close();
    rig.switches = rig.start();
    vi.advanceTimersByTime(MINUTE - 1);
    expect(rig.cancelled).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(rig.cancelled).toEqual([DEMO]);
  });

  it('cancels the orders of its account alone, once, when its time has passed', () => {
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

  it('is put off by every renewal, and switched off', () => {
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

  it('is answered once it is on disk', () => {
    const rig = new Rig();
    rig.store.isSlow = true;
    const answers = rig.set(DEMO, MINUTE);
    expect(answers).toEqual([]);
    rig.store.sync();
    expect(answers).toHaveLength(1);
  });

  it('outlives the service, and takes effect at its start when its time has passed meanwhile', () => {
    const rig = new Rig();
    rig.set(DEMO, MINUTE);
    rig.set(OTHER, (5 * MINUTE) as DurationMs);
    rig.switches.close();
    vi.advanceTimersByTime(3 * MINUTE);
    expect(rig.cancelled).toEqual([]);
    rig.switches = rig.start();
    vi.advanceTimersByTime(1);
    expect(rig.cancelled).toEqual([DEMO]);
    vi.advanceTimersByTime(2 * MINUTE);
    expect(rig.cancelled).toEqual([DEMO, OTHER]);
  });

  it('tries again while a shard is down, and stays stored until every order has its cancel', () => {
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
});
