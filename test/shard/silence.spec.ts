import { describe, expect, it } from 'vitest';
import { ANSWER_SILENCE_MS_MAX, HELD_NOTICE_MS, RESTING_SILENCE_MS_MAX } from '../../src/model/limits.js';
import type { EpochMs } from '../../src/model/time.js';
import { orderOf, START_MS } from './sample-orders.js';
import { ShardRig, venueIdOf } from './shard-rig.js';

/** An order of 1,000 lots at work. */
function working(change: Parameters<typeof orderOf>[1] = {}): ShardRig {
  const rig = new ShardRig();
  rig.work(orderOf(1, change));
  return rig;
}

function queries(rig: ShardRig): number {
  return rig.venue.requests.filter(({ kind }) => kind === 'Query').length;
}

/** Lets time pass and the market speak. */
function pass(rig: ShardRig, ms: number): void {
  rig.nowMs = (rig.nowMs + ms) as EpochMs;
  rig.quote({});
  rig.rest();
}

describe('A child that is never acknowledged', () => {
  it('is unknown after a while, and the venue is asked', () => {
    const rig = working();
    expect(rig.shard.nextWakeMs()).toBe(START_MS + ANSWER_SILENCE_MS_MAX);
    pass(rig, ANSWER_SILENCE_MS_MAX - 1);
    expect([queries(rig), rig.state(1)?.children[0]?.state]).toEqual([0, 'IN_FLIGHT']);
    pass(rig, 1);
    expect([queries(rig), rig.state(1)?.children[0]?.state]).toEqual([1, 'UNKNOWN']);
  });

  it('is asked for again and again while nobody answers', () => {
    const rig = working();
    for (let round = 1; round <= 4; round += 1) pass(rig, ANSWER_SILENCE_MS_MAX);
    expect(queries(rig)).toBe(4);
    rig.answer(1, 1, { state: 'OPEN', venueOrderId: venueIdOf(1) });
    rig.rest();
    expect(rig.state(1)?.children).toMatchObject([{ state: 'OPEN' }]);
  });

  it('and that the venue never had is placed anew under another number', () => {
    const rig = working();
    pass(rig, ANSWER_SILENCE_MS_MAX);
    rig.answer(1, 1, { state: 'UNKNOWN' });
    rig.rest();
    pass(rig, 1_000);
    expect(rig.state(1)).toMatchObject({ childCount: 2, children: [{ order: { child: 2 } }] });
  });
});

describe('A cancel that is never answered', () => {
  it('is sent again when the venue still has the child', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.rest();
    rig.cancel(1);
    rig.rest();
    // The review that was due first finds a child that has changed since; the next one finds it silent.
    pass(rig, ANSWER_SILENCE_MS_MAX);
    expect(queries(rig)).toBe(0);
    pass(rig, ANSWER_SILENCE_MS_MAX);
    rig.answer(1, 1, { state: 'OPEN', venueOrderId: venueIdOf(1) });
    rig.rest();
    expect(rig.venue.requests.slice(-3).map(({ kind }) => kind)).toEqual(['Cancel', 'Query', 'Cancel']);
    rig.end(1, 1);
    rig.rest();
    expect(rig.state(1)?.status).toBe('CANCELLED');
  });
});

describe('A cancel that is held back on our side', () => {
  it('is not asked about while we hear so, and is as soon as we do not', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.rest();
    rig.cancel(1);
    rig.rest();
    for (let notice = 0; notice < 12; notice += 1) {
      pass(rig, HELD_NOTICE_MS);
      rig.hold(1, 1);
      rig.rest();
    }
    expect([queries(rig), rig.state(1)?.children[0]?.state]).toEqual([0, 'CANCEL_IN_FLIGHT']);
    pass(rig, 2 * ANSWER_SILENCE_MS_MAX);
    pass(rig, ANSWER_SILENCE_MS_MAX);
    expect([queries(rig), rig.state(1)?.children[0]?.state]).toEqual([1, 'UNKNOWN']);
  });

  it('of an order that has ended says nothing', () => {
    const rig = working();
    rig.hold(2, 1);
    rig.rest();
    expect(rig.state(1)?.children).toMatchObject([{ state: 'IN_FLIGHT' }]);
  });
});

describe('A child that rests', () => {
  it('is asked for once in a while, stays open, and makes no event of it', () => {
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
    expect(rig.state(1)?.children).toMatchObject([{ state: 'OPEN' }]);
  });

  it('whose last fill was lost is filled by the answer', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.rest();
    pass(rig, RESTING_SILENCE_MS_MAX);
    rig.fill(1, 1, 1_000, 1);
    rig.answer(1, 1, { state: 'FILLED', venueOrderId: venueIdOf(1) }, 1_000);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'FILLED', lateFills: 0 });
  });

  it('is asked for also while it is being filled bit by bit', () => {
    const rig = working();
    rig.accept(1, 1);
    for (let second = 1; second <= 60; second += 1) {
      rig.fill(1, 1, 1, second);
      pass(rig, 1_000);
    }
    expect(queries(rig)).toBe(1);
  });
});

describe('A child that follows another one', () => {
  it('is not asked for at the review that was meant for its predecessor', () => {
    const rig = working();
    pass(rig, 1_000);
    rig.report(1, 1, { kind: 'Rejected', rejection: { code: 'RATE_LIMIT_EXCEEDED', message: '' } });
    pass(rig, 100);
    pass(rig, 1_000);
    rig.accept(1, 2);
    pass(rig, ANSWER_SILENCE_MS_MAX - 1_000);
    expect([rig.state(1)?.children.map(({ state }) => state), queries(rig)]).toEqual([['OPEN'], 0]);
    pass(rig, RESTING_SILENCE_MS_MAX);
    expect(queries(rig)).toBe(1);
  });
});

describe('An end with more filled than was told', () => {
  it('is not believed before the fills have been told again', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.cancel(1);
    rig.rest();
    rig.end(1, 1, 400);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'PENDING_CANCEL', children: [{ state: 'UNKNOWN' }] });
    rig.fill(1, 1, 400, 1);
    rig.answer(1, 1, { state: 'CANCELLED', venueOrderId: venueIdOf(1), cause: null }, 400);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', progress: { filled: 400 }, lateFills: 0 });
  });

  it('is asked for again when the answer is short of fills too', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.cancel(1);
    rig.end(1, 1, 400);
    rig.rest();
    rig.answer(1, 1, { state: 'CANCELLED', venueOrderId: venueIdOf(1), cause: null }, 400);
    rig.rest();
    expect([queries(rig), rig.state(1)?.children[0]?.state]).toEqual([1, 'UNKNOWN']);
    pass(rig, 1_000);
    expect(queries(rig)).toBe(2);
  });
});

describe('Orders without children', () => {
  it('are watched by nobody', () => {
    const rig = working({ startAtMs: (START_MS + 3_600_000) as EpochMs });
    expect(rig.shard.nextWakeMs()).toBe(START_MS + 3_600_000);
  });
});

describe('Balances that nobody tells', () => {
  it('are asked for again, until the order ends', () => {
    const rig = new ShardRig();
    rig.create(orderOf(1, { endAtMs: (START_MS + 12_000) as EpochMs }));
    rig.rest();
    for (let second = 1; second <= 12; second += 1) pass(rig, 1_000);
    expect(rig.venue.requests.map(({ kind }) => kind)).toEqual(['QueryFunds', 'QueryFunds', 'QueryFunds']);
    expect(rig.state(1)?.status).toBe('EXPIRED');
  });
});

describe('A venue that says when to come again', () => {
  it('is not asked before: neither with a child nor about a cancel', () => {
    const rig = working();
    rig.report(1, 1, {
      kind: 'Rejected',
      rejection: { code: 'RATE_LIMIT_EXCEEDED', message: '', retryAfterMs: 30_000 as never },
    });
    rig.rest();
    pass(rig, 29_999);
    expect(rig.state(1)?.childCount).toBe(1);
    pass(rig, 1);
    expect(rig.state(1)?.childCount).toBe(2);
  });
});
