import { describe, expect, it } from 'vitest';
import { ANSWER_SILENCE_MS_MAX, THROTTLED_NOTICE_MS, RESTING_SILENCE_MS_MAX } from '../../src/domain/limits/trading.js';
import type { EpochMs } from '../../src/domain/time.js';
import { orderOf, START_MS } from './sample-orders.js';
import { ShardRig, venueIdOf } from './shard-rig.js';

/** Works an order of 1,000 lots. */
function working(change: Parameters<typeof orderOf>[1] = {}): ShardRig {
  const rig = new ShardRig();
  rig.work(orderOf(1, change));
  return rig;
}

function queries(rig: ShardRig): number {
  return rig.venue.requests.filter(({ kind }) => kind === 'QueryStatus').length;
}

/** Lets time pass with a fresh market, then runs the shard until it rests. */
function pass(rig: ShardRig, ms: number): void {
  rig.nowMs = (rig.nowMs + ms) as EpochMs;
  rig.quote({});
  rig.rest();
}

describe('A child without an acknowledgement', () => {
  it('becomes unknown after the timeout, and its status is requested', () => {
    const rig = working();
    expect(rig.shard.nextWakeMs()).toBe(START_MS + ANSWER_SILENCE_MS_MAX);
    pass(rig, ANSWER_SILENCE_MS_MAX - 1);
    expect([queries(rig), rig.state(1)?.legs[0].children[0]?.state]).toEqual([0, 'IN_FLIGHT']);
    pass(rig, 1);
    expect([queries(rig), rig.state(1)?.legs[0].children[0]?.state]).toEqual([1, 'UNKNOWN']);
  });

  it('repeats the status request until the venue answers', () => {
    const rig = working();
    for (let round = 1; round <= 4; round += 1) pass(rig, ANSWER_SILENCE_MS_MAX);
    expect(queries(rig)).toBe(4);
    rig.answer(1, 1, { state: 'OPEN', venueOrderId: venueIdOf(1) });
    rig.rest();
    expect(rig.state(1)?.legs[0].children).toMatchObject([{ state: 'OPEN' }]);
  });

  it('replaces a child that the venue never received, under a new child number', () => {
    const rig = working();
    pass(rig, ANSWER_SILENCE_MS_MAX);
    rig.answer(1, 1, { state: 'UNKNOWN', knownSinceMs: 0 as EpochMs });
    rig.rest();
    pass(rig, 1_000);
    expect(rig.state(1)).toMatchObject({ legs: [{ childCount: 2, children: [{ order: { child: 2 } }] }] });
  });
});

describe('A cancel without an answer', () => {
  it('repeats the cancel when the venue still has the child', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.rest();
    rig.cancel(1);
    rig.rest();
    // The first review finds a changed child. The next one finds it silent.
    pass(rig, ANSWER_SILENCE_MS_MAX);
    expect(queries(rig)).toBe(0);
    pass(rig, ANSWER_SILENCE_MS_MAX);
    rig.answer(1, 1, { state: 'OPEN', venueOrderId: venueIdOf(1) });
    rig.rest();
    expect(rig.venue.requests.slice(-3).map(({ kind }) => kind)).toEqual(['Cancel', 'QueryStatus', 'Cancel']);
    rig.end(1, 1);
    rig.rest();
    expect(rig.state(1)?.status).toBe('CANCELLED');
  });
});

describe('A cancel that the throttle delays', () => {
  it('sends no status request while throttle notices arrive, and sends one when they stop', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.rest();
    rig.cancel(1);
    rig.rest();
    for (let notice = 0; notice < 12; notice += 1) {
      pass(rig, THROTTLED_NOTICE_MS);
      rig.hold(1, 1);
      rig.rest();
    }
    expect([queries(rig), rig.state(1)?.legs[0].children[0]?.state]).toEqual([0, 'CANCEL_IN_FLIGHT']);
    pass(rig, 2 * ANSWER_SILENCE_MS_MAX);
    pass(rig, ANSWER_SILENCE_MS_MAX);
    expect([queries(rig), rig.state(1)?.legs[0].children[0]?.state]).toEqual([1, 'UNKNOWN']);
  });

  it('ignores a throttle notice for an order that has ended', () => {
    const rig = working();
    rig.hold(2, 1);
    rig.rest();
    expect(rig.state(1)?.legs[0].children).toMatchObject([{ state: 'IN_FLIGHT' }]);
  });
});

describe('A resting child', () => {
  it('requests the status of a resting child once a minute and journals no event', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.rest();
    const events = rig.journal.entries.length;
    for (let minute = 1; minute <= 3; minute += 1) {
      pass(rig, RESTING_SILENCE_MS_MAX);
      expect(queries(rig)).toBe(minute);
      rig.answer(1, 1, { state: 'OPEN', venueOrderId: venueIdOf(1) });
      rig.rest();
    }
    expect(rig.journal.entries).toHaveLength(events);
    expect(rig.state(1)?.legs[0].children).toMatchObject([{ state: 'OPEN' }]);
  });

  it('fills a child whose last fill was lost, from the status answer', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.rest();
    pass(rig, RESTING_SILENCE_MS_MAX);
    rig.fill(1, 1, 1_000, 1);
    rig.answer(1, 1, { state: 'FILLED', venueOrderId: venueIdOf(1) }, 1_000);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'FILLED', lateFills: 0 });
  });

  it('requests the status of a child also during partial fills', () => {
    const rig = working();
    rig.accept(1, 1);
    for (let second = 1; second <= 60; second += 1) {
      rig.fill(1, 1, 1, second);
      pass(rig, 1_000);
    }
    expect(queries(rig)).toBe(1);
  });
});

describe('A child that replaces another one', () => {
  it('skips the review that was scheduled for the replaced child', () => {
    const rig = working();
    pass(rig, 1_000);
    rig.report(1, 1, { kind: 'Rejected', rejection: { code: 'RATE_LIMIT_EXCEEDED', message: '' } });
    pass(rig, 100);
    pass(rig, 1_000);
    rig.accept(1, 2);
    pass(rig, ANSWER_SILENCE_MS_MAX - 1_000);
    expect([rig.state(1)?.legs[0].children.map(({ state }) => state), queries(rig)]).toEqual([['OPEN'], 0]);
    pass(rig, RESTING_SILENCE_MS_MAX);
    expect(queries(rig)).toBe(1);
  });
});

describe('A final report with more filled than the known fills', () => {
  it('waits for the missing fills before it ends the order', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.cancel(1);
    rig.rest();
    rig.end(1, 1, 400);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'PENDING_CANCEL', legs: [{ children: [{ state: 'UNKNOWN' }] }] });
    rig.fill(1, 1, 400, 1);
    rig.answer(1, 1, { state: 'CANCELLED', venueOrderId: venueIdOf(1), cause: null }, 400);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', legs: [{ progress: { filled: 400 } }], lateFills: 0 });
  });

  it('repeats the status request when the answer still lacks fills', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.cancel(1);
    rig.end(1, 1, 400);
    rig.rest();
    rig.answer(1, 1, { state: 'CANCELLED', venueOrderId: venueIdOf(1), cause: null }, 400);
    rig.rest();
    expect([queries(rig), rig.state(1)?.legs[0].children[0]?.state]).toEqual([1, 'UNKNOWN']);
    pass(rig, 1_000);
    expect(queries(rig)).toBe(2);
  });
});

describe('Orders without children', () => {
  it('have no review', () => {
    const rig = working({ startAtMs: (START_MS + 3_600_000) as EpochMs });
    expect(rig.shard.nextWakeMs()).toBe(START_MS + 3_600_000);
  });
});

describe('Balances that do not arrive', () => {
  it('are requested again until the order ends', () => {
    const rig = new ShardRig();
    rig.create(orderOf(1, { endAtMs: (START_MS + 12_000) as EpochMs }));
    rig.rest();
    for (let second = 1; second <= 12; second += 1) pass(rig, 1_000);
    expect(rig.venue.requests.map(({ kind }) => kind)).toEqual(['QueryFunds', 'QueryFunds', 'QueryFunds']);
    expect(rig.state(1)?.status).toBe('EXPIRED');
  });
});

describe('A venue with a retry time', () => {
  it("sends no child before the venue's retry time", () => {
    const rig = working();
    rig.report(1, 1, {
      kind: 'Rejected',
      rejection: { code: 'RATE_LIMIT_EXCEEDED', message: '', retryAfterMs: 30_000 as never },
    });
    rig.rest();
    pass(rig, 29_999);
    expect(rig.state(1)?.legs[0].childCount).toBe(1);
    pass(rig, 1);
    expect(rig.state(1)?.legs[0].childCount).toBe(2);
  });
});
