import { describe, expect, it } from 'vitest';
import { RESTING_WAIT_MS_MAX } from '../../../src/domain/limits/trading.js';
import type { RequestClass } from '../../../src/domain/venue-message.js';
import { Random } from '../../../src/sim/prng.js';
import { RateWindows } from '../../../src/venue/throttle/rate-windows.js';
import type { ChildRequest } from '../../../src/venue/throttle/waiting-requests.js';
import { BTC, START_MS, submitOf } from '../gateway/scripted-gateway.js';
import { evenRates, ThrottleRig } from './throttle-rig.js';

/* The counts of an exchange slow the queue of an account. */

const TEN_SECONDS_MS = 10_000;
const OTHER = { ...BTC, index: (BTC.index + 1) as typeof BTC.index };
/** The rate of the throttle itself is never reached. */
const FAST = evenRates(20_000, 1_000);

/** An exchange that counts orders only, those of each instrument apart. */
class CountingExchange {
  readonly rig: ThrottleRig;
  readonly #windows = new Map<number, RateWindows>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
    this.rig = new ThrottleRig(FAST, {
      turnMs: (request, requestClass) => this.#turnMs(request, requestClass),
    });
    const { gateway } = this.rig;
    const handle = gateway.handle.bind(gateway);
    gateway.handle = (request, origin, nowMs) => {
      if (request.kind === 'Submit') this.windowsOf(request.instrument).spend(1, this.rig.nowMs);
      handle(request, origin, nowMs);
    };
  }

  windowsOf(instrument: number): RateWindows {
    const known = this.#windows.get(instrument);
    if (known !== undefined) return known;
    const windows = new RateWindows([{ name: 'ORDERS 10s', lengthMs: TEN_SECONDS_MS, max: this.#max }]);
    this.#windows.set(instrument, windows);
    return windows;
  }

  #turnMs({ kind, instrument }: ChildRequest, requestClass: RequestClass): number {
    return kind === 'Submit' ? this.windowsOf(instrument).turnMs(1, requestClass, this.rig.nowMs) : 0;
  }
}

function sentAt(seen: readonly string[]): readonly number[] {
  return seen.map((text) => Number(text.split('@')[1]));
}

describe('the count of orders of an exchange', () => {
  it('is used by a fifth of its part at once, and by the rest slowly', () => {
    const { rig } = new CountingExchange(20);
    for (let id = 1; id <= 30; id += 1) rig.submit(id);
    rig.runUntil(1_900);
    // 3 of 16 at once, the others over 10 s.
    expect(sentAt(rig.seen)).toEqual([0, 0, 0, 770, 1_539]);
    expect(rig.answers).toEqual([]);
  });

  it('holds up no cancel, and leaves its last part to hedges', () => {
    const exchange = new CountingExchange(20);
    const { rig } = exchange;
    exchange.windowsOf(BTC.index).spend(16, 0);
    rig.submit(1);
    rig.submit(2, 'DEADLINE');
    rig.cancel(9);
    rig.submit(3, 'DEADLINE');
    for (const id of [4, 5, 6]) rig.submit(id, 'HEDGE');
    expect(rig.seen).toEqual(['Submit 2@0', 'Cancel 9@0', 'Submit 4@0', 'Submit 5@0']);
    rig.runUntil(1_500);
    expect(rig.seen).toHaveLength(4);
  });

  it('holds up nothing that another count is about', () => {
    const exchange = new CountingExchange(20);
    const { rig } = exchange;
    exchange.windowsOf(BTC.index).spend(20, 0);
    rig.submit(1, 'HEDGE');
    rig.handle(submitOf(2, 'alice', OTHER));
    rig.ask(3);
    rig.advance(0);
    expect(rig.seen).toEqual(['Submit 2@0', 'QueryStatus 3@0']);
    exchange.windowsOf(OTHER.index).spend(20, 0);
    rig.handle(submitOf(4, 'alice', OTHER));
    rig.advance(10);
    expect(rig.seen).toHaveLength(2);
  });

  it('sends what waits, the most urgent first, when an interval begins', () => {
    const exchange = new CountingExchange(20);
    const { rig } = exchange;
    // By other programs of the account.
    exchange.windowsOf(BTC.index).stated('ORDERS 10s', 20, 0);
    rig.advance(9_000);
    rig.submit(1);
    rig.submit(2, 'TAKING');
    rig.submit(3, 'HEDGE');
    rig.runUntil(10_000);
    expect(rig.seen).toEqual(['Submit 3@10000', 'Submit 2@10000', 'Submit 1@10000']);
  });

  it('refuses a placement that has waited too long, with the time until there is room', () => {
    const exchange = new CountingExchange(20);
    const { rig } = exchange;
    exchange.windowsOf(BTC.index).spend(20, 0);
    rig.submit(1);
    rig.runUntil(3_000);
    expect(rig.answers).toEqual([`Rejected 1@${RESTING_WAIT_MS_MAX}`]);
    expect(rig.refusals).toMatchObject([{ code: 'SYSTEM_BUSY', retryAfterMs: TEN_SECONDS_MS - RESTING_WAIT_MS_MAX }]);
    expect(rig.refusals[0]?.message).toContain('by its own counts');
  });

  it('looks at the counts again within a second: the exchange may have raised its limits', () => {
    const exchange = new CountingExchange(20);
    const { rig } = exchange;
    const windows = exchange.windowsOf(BTC.index);
    windows.spend(20, 0);
    rig.submit(1);
    windows.setLimits([{ name: 'ORDERS 10s', lengthMs: TEN_SECONDS_MS, max: 100 }]);
    rig.runUntil(1_000);
    expect(rig.seen).toEqual(['Submit 1@1000']);
  });

  it('is not exceeded in any interval of the exchange, also when requests arrive late', () => {
    const max = 20;
    const random = new Random('late');
    const exchange = new CountingExchange(max);
    const { rig } = exchange;
    let id = 0;
    for (let ms = 0; ms < 120_000; ms += 100) {
      if (random.uniform() < 0.2) for (let more = 0; more < 10; more += 1) rig.submit((id += 1));
      rig.runUntil(ms);
    }
    const counts = new Map<number, number>();
    for (const ms of sentAt(rig.seen)) {
      const interval = Math.floor((START_MS + ms + random.uniform() * 400) / TEN_SECONDS_MS);
      counts.set(interval, (counts.get(interval) ?? 0) + 1);
    }
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(max);
    // The limit is used all the same.
    expect(rig.seen.length).toBeGreaterThan(12 * 10);
  });
});

describe('the count that several accounts share', () => {
  const ACCOUNTS = ['alice', 'bob', 'carol'];

  function sentBy(rig: ThrottleRig): readonly number[] {
    return ACCOUNTS.map((name) => rig.gateway.requests.filter(({ account }) => account === name).length);
  }

  it('is used in turn: an account that has queued requests first does not hold up the others', () => {
    const exchange = new CountingExchange(200);
    const { rig } = exchange;
    // A fifth of the part is used up: the rest comes evenly.
    exchange.windowsOf(BTC.index).spend(32, 0);
    let id = 0;
    for (const account of ACCOUNTS)
      for (let count = 0; count < 30; count += 1) rig.submit((id += 1), 'RESTING', account);
    rig.runUntil(RESTING_WAIT_MS_MAX - 1);
    expect(sentBy(rig)).toEqual([9, 8, 8]);
  });

  it('is used in turn when much room comes at once', () => {
    const exchange = new CountingExchange(20);
    const { rig } = exchange;
    exchange.windowsOf(BTC.index).spend(20, 0);
    rig.advance(9_000);
    let id = 0;
    for (const account of ACCOUNTS) for (let count = 0; count < 10; count += 1) rig.submit((id += 1), 'HEDGE', account);
    rig.runUntil(TEN_SECONDS_MS);
    expect(sentBy(rig)).toEqual([7, 6, 6]);
  });

  it('is used by urgency: what another account has queued before waits', () => {
    const exchange = new CountingExchange(20);
    const { rig } = exchange;
    // By other programs.
    exchange.windowsOf(BTC.index).stated('ORDERS 10s', 20, 0);
    rig.advance(9_000);
    for (const id of [1, 2]) rig.submit(id, 'RESTING', 'alice');
    rig.submit(3, 'TAKING', 'bob');
    rig.submit(4, 'DEADLINE', 'bob');
    rig.submit(5, 'HEDGE', 'carol');
    rig.runUntil(TEN_SECONDS_MS + 900);
    expect(rig.seen.map((text) => text.split('@')[0])).toEqual(['Submit 5', 'Submit 4', 'Submit 3', 'Submit 1']);
  });

  it('always has room for look-ups while another account floods it with makers', () => {
    const weights = new RateWindows([{ name: 'REQUEST_WEIGHT 1m', lengthMs: 60_000, max: 1_200 }]);
    const rig: ThrottleRig = new ThrottleRig(FAST, {
      turnMs: (_request, requestClass) => weights.turnMs(1, requestClass, rig.nowMs),
    });
    const handle = rig.gateway.handle.bind(rig.gateway);
    rig.gateway.handle = (request, origin, nowMs) => {
      weights.spend(1, rig.nowMs);
      handle(request, origin, nowMs);
    };
    let id = 0;
    const asked: string[] = [];
    for (let ms = 0; ms < 120_000; ms += 100) {
      rig.runUntil(ms);
      for (let count = 0; count < 5; count += 1) rig.submit((id += 1), 'RESTING', 'alice');
      if (ms % 1_000 !== 0) continue;
      rig.ask((id += 1));
      asked.push(`QueryStatus ${id}@${ms}`);
    }
    expect(rig.seen.filter((text) => text.startsWith('QueryStatus'))).toEqual(asked);
    expect(rig.refusals[0]).toMatchObject({ code: 'SYSTEM_BUSY' });
  });

  it('is left to a new account when others always have queued requests', () => {
    const exchange = new CountingExchange(200);
    const { rig } = exchange;
    let id = 0;
    const fill = (): void => {
      for (const account of ['alice', 'bob'])
        for (let count = 0; count < 3; count += 1) rig.submit((id += 1), 'RESTING', account);
    };
    for (let ms = 0; ms < 4_000; ms += 100) {
      fill();
      if (ms === 2_000) rig.submit((id += 1), 'RESTING', 'carol');
      rig.runUntil(ms);
    }
    expect(sentBy(rig)[2]).toBe(1);
  });
});

/**
 * One request at once, then one every 100 ms; the counts of the exchange leave room. Order 1 has used up the throttle.
 */
function exhaustedReal(): ThrottleRig {
  const rig = new ThrottleRig(evenRates(5, 400), { turnMs: () => 0 });
  rig.submit(1);
  return rig;
}

describe('a real exchange after a pause of the thread', () => {
  it('gets a waiting request with the time when it leaves, and the next one within the rate', () => {
    const rig = exhaustedReal();
    for (const orderId of [2, 3]) rig.submit(orderId);
    rig.advance(1_000);
    expect(rig.seen).toEqual(['Submit 1@0', 'Submit 2@1000']);
    rig.runUntil(2_000);
    expect(rig.seen.slice(2)).toEqual(['Submit 3@1100']);
  });

  it('gets no placement that has waited too long meanwhile', () => {
    const rig = exhaustedReal();
    rig.submit(2);
    rig.submit(3, 'TAKING');
    rig.advance(RESTING_WAIT_MS_MAX);
    expect(rig.seen).toEqual(['Submit 1@0', `Submit 3@${RESTING_WAIT_MS_MAX}`]);
    expect(rig.answers).toEqual([`Rejected 2@${RESTING_WAIT_MS_MAX}`]);
  });

  it('gets no such placement before a new request either', () => {
    const rig = exhaustedReal();
    rig.submit(2);
    rig.nowMs = RESTING_WAIT_MS_MAX;
    rig.cancel(9);
    rig.advance(RESTING_WAIT_MS_MAX);
    expect(rig.seen).toEqual(['Submit 1@0', `Cancel 9@${RESTING_WAIT_MS_MAX}`]);
    expect(rig.answers).toEqual([`Rejected 2@${RESTING_WAIT_MS_MAX}`]);
  });
});
