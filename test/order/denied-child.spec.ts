import { describe, expect, test } from 'vitest';
import type { VenueOrderId } from '../../src/domain/ids.js';
import type { ParentState } from '../../src/domain/order-state.js';
import type { EpochMs } from '../../src/domain/time.js';
import { unplacedOf } from '../../src/order/children.js';
import type { OrderInput } from '../../src/order/decide.js';
import { evolve } from '../../src/order/evolve.js';
import { answeredWith, CONTEXT, facts, NOTHING, sent, when } from './deciding.js';
import {
  acknowledged,
  CANCEL,
  cancelWanted,
  given,
  reportOf,
  START_MS,
  submitted,
  unknown,
  venueId,
  WORKABLE,
} from './orders.js';

/** The state after an input. */
function after(state: ParentState, input: OrderInput): ParentState {
  return when(state, input).events.reduce((folded, event) => evolve(folded, event, CONTEXT.nowMs), state);
}

function denied(child: number, venueOrderId: VenueOrderId = venueId(child)): OrderInput {
  const answer = answeredWith({ state: 'DENIED', venueOrderId, deniedSinceMs: START_MS });
  return { kind: 'Report', report: reportOf(child, answer, CONTEXT.nowMs) };
}

const absent = (child: number): OrderInput => {
  const answer = answeredWith({ state: 'UNKNOWN', knownSinceMs: 0 as EpochMs });
  return { kind: 'Report', report: reportOf(child, answer, CONTEXT.nowMs) };
};

describe('A child that its exchange has acknowledged and denies', () => {
  const lost = given([...WORKABLE, submitted(1), submitted(2), acknowledged(1), unknown(1), unknown(2)]);

  test('is not ended, keeps its quantity, and its order is quarantined', () => {
    expect([facts(when(lost, denied(1))), sent(when(lost, denied(1)))]).toEqual([['ParentQuarantined'], []]);
    const state = after(lost, denied(1));
    const detail = 'the exchange has acknowledged child 1 as order v1 and denies it since 2023-11-14T22:13:20.000Z';
    expect(state).toMatchObject({
      quarantine: { reason: 'DENIED_CHILD', detail: expect.stringContaining(detail) },
      legs: [{ children: [{ state: 'UNKNOWN' }, { state: 'UNKNOWN' }] }],
    });
    expect(unplacedOf(state)).toBe(unplacedOf(lost));
  });

  test('becomes unknown when it was open', () => {
    const open = given([...WORKABLE, submitted(1), acknowledged(1)]);
    expect(facts(when(open, denied(1)))).toEqual(['ParentQuarantined', 'ChildUnknown 1']);
  });

  test('is recorded as acknowledged when the journal does not know that yet', () => {
    expect(facts(when(lost, denied(2)))).toEqual(['ParentQuarantined', 'ChildAccepted 2', 'ChildUnknown 2']);
    expect(after(lost, denied(2)).legs[0].children[1]).toMatchObject({ state: 'UNKNOWN', venueOrderId: 'v2' });
  });

  test('keeps the wish for its cancel', () => {
    const cancelling = given([...WORKABLE, submitted(1), unknown(1), cancelWanted(1)]);
    const events = ['ParentQuarantined', 'ChildAccepted 1', 'ChildUnknown 1', 'ChildCancelRequested 1'];
    expect(facts(when(cancelling, denied(1)))).toEqual(events);
    expect(after(cancelling, denied(1)).legs[0].children[0]).toMatchObject({ state: 'UNKNOWN', cancelWanted: true });
  });

  test('changes nothing when the answer repeats', () => {
    expect(when(after(lost, denied(1)), denied(1))).toEqual(NOTHING);
  });

  test.each<[string, OrderInput]>([
    ['a release', { kind: 'Release' }],
    ['a cancel', CANCEL],
  ])('stays after %s of its order, which waits for it', (_what, input) => {
    const ending = after(after(lost, denied(1)), input);
    const alone = after(ending, absent(2));
    expect(when(alone, denied(1))).toEqual(NOTHING);
    expect(alone).toMatchObject({ status: 'PENDING_CANCEL', legs: [{ children: [{ order: { child: 1 } }] }] });
  });

  test('goes on when the exchange shows it again', () => {
    const state = after(lost, denied(1));
    const open = answeredWith({ state: 'OPEN', venueOrderId: venueId(1) });
    expect(facts(when(state, { kind: 'Report', report: reportOf(1, open) }))).toEqual(['ChildAccepted 1']);
  });
});

describe('An acknowledgement of an unknown child', () => {
  test('is recorded, and the child stays unknown', () => {
    const lost = given([...WORKABLE, submitted(1), unknown(1)]);
    const report = reportOf(1, { kind: 'Accepted', venueOrderId: venueId(1) });
    expect(facts(when(lost, { kind: 'Report', report }))).toEqual(['ChildAccepted 1', 'ChildUnknown 1']);
    expect(when(after(lost, { kind: 'Report', report }), { kind: 'Report', report })).toEqual(NOTHING);
  });
});
