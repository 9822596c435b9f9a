import { describe, expect, test } from 'vitest';
import { EXCHANGE_CLOCK_GAP_MS_MAX } from '../../src/domain/limits/trading.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { EpochMs } from '../../src/domain/time.js';
import { unplacedOf } from '../../src/order/children.js';
import type { OrderInput } from '../../src/order/decide.js';
import { evolve } from '../../src/order/evolve.js';
import { answeredWith, CONTEXT, facts, NOTHING, sent, when } from './deciding.js';
import { acknowledged, cancelWanted, given, reportOf, submitted, unknown, WORKABLE } from './orders.js';

/** The state after an input. */
function after(state: ParentState, input: OrderInput): ParentState {
  return when(state, input).events.reduce((folded, event) => evolve(folded, event, CONTEXT.nowMs), state);
}

describe('A child that is older than the order history of its exchange', () => {
  const lost = given([...WORKABLE, submitted(1), submitted(2), acknowledged(1), unknown(1), unknown(2)]);
  const submittedAtMs = lost.legs[0].children[0]!.order.submittedAtMs;
  /** The exchange does not know the child. `ageMs`: time from its submission to the begin of the history. */
  function absent(child: number, ageMs: number): OrderInput {
    const answer = answeredWith({ state: 'UNKNOWN', knownSinceMs: (submittedAtMs + ageMs) as EpochMs });
    return { kind: 'Report', report: reportOf(child, answer, CONTEXT.nowMs) };
  }

  test.each([1, 2])('is not ended by an unknown answer, and its order is quarantined: child %s', (child) => {
    const decision = when(lost, absent(child, 1));
    expect([facts(decision), sent(decision)]).toEqual([['ParentQuarantined'], []]);
    const state = after(lost, absent(child, 1));
    expect(state).toMatchObject({
      quarantine: { reason: 'FORGOTTEN_CHILD', detail: expect.stringContaining(`does not know child ${child}`) },
      legs: [{ children: [{ state: 'UNKNOWN' }, { state: 'UNKNOWN' }] }],
    });
    expect(unplacedOf(state)).toBe(unplacedOf(lost));
  });

  test('is a child that was submitted less than the largest clock difference after the begin of the history', () => {
    expect(facts(when(lost, absent(2, -EXCHANGE_CLOCK_GAP_MS_MAX)))).toEqual(['ChildNeverPlaced 2']);
    expect(facts(when(lost, absent(2, 1 - EXCHANGE_CLOCK_GAP_MS_MAX)))).toEqual(['ParentQuarantined']);
  });

  test('becomes unknown when it was open', () => {
    const open = given([...WORKABLE, submitted(1), acknowledged(1)]);
    expect(facts(when(open, absent(1, 1)))).toEqual(['ParentQuarantined', 'ChildUnknown 1']);
  });

  test('keeps its order quarantined when the answer repeats', () => {
    const quarantined = after(lost, absent(1, 1));
    expect(when(quarantined, absent(1, 2))).toEqual(NOTHING);
  });

  test('ends with its known fills after the release of its order', () => {
    const quarantined = after(lost, absent(1, 1));
    expect(sent(when(quarantined, { kind: 'Release' }))).toEqual(['QueryStatus 1', 'QueryStatus 2']);
    const released = after(quarantined, { kind: 'Release' });
    expect(facts(when(released, absent(1, 1)))).toEqual(['ChildCancelled 1']);
    const half = after(released, absent(1, 1));
    expect(facts(when(half, absent(2, 1)))).toEqual(['ChildCancelled 2', 'ParentCancelled']);
    expect(after(half, absent(2, 1)).outcome?.message).toContain('FORGOTTEN_CHILD');
  });

  test('ends with its order when the client has cancelled the order', () => {
    const cancelled = given([
      ...WORKABLE,
      submitted(1),
      acknowledged(1),
      { kind: 'ParentCancelRequested', cancelCause: null },
      cancelWanted(1),
      unknown(1),
    ]);
    const decision = when(cancelled, absent(1, 1));
    expect(facts(decision)).toEqual(['ParentQuarantined', 'ChildCancelled 1', 'ParentCancelled']);
  });
});
