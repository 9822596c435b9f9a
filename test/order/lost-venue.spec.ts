import { describe, expect, test } from 'vitest';
import type { OrderStatusAnswer } from '../../src/domain/venue-report.js';
import type { OrderInput } from '../../src/order/decide.js';
import { answer, answeredWith, CONTEXT, endOf, facts, NOTHING, sent, when } from './deciding.js';
import {
  acknowledged,
  cancelWanted,
  filled,
  given,
  refused,
  rejectionOf,
  submitted,
  unknown,
  venueId,
  WORKABLE,
} from './orders.js';
import type { EpochMs } from '../../src/domain/time.js';

const asFilled = (lots: number): OrderInput =>
  answer(2, answeredWith({ state: 'FILLED', venueOrderId: venueId(2) }, lots));

describe('a venue that is lost and comes back', () => {
  const story = [...WORKABLE, submitted(1), acknowledged(1), submitted(2)];
  const lost = given([...story, unknown(1), unknown(2)]);

  test('makes every child unknown and requests the status of each', () => {
    expect(facts(when(given(story), { kind: 'VenueLost', venue: null }))).toEqual(['ChildUnknown 1', 'ChildUnknown 2']);
    expect(when(lost, { kind: 'VenueLost', venue: null })).toEqual(NOTHING);
    expect(sent(when(lost, { kind: 'VenueBack', venue: null }))).toEqual(['QueryStatus 1', 'QueryStatus 2']);
    const recovered = when(given(story), { kind: 'Recover' });
    expect([facts(recovered), sent(recovered)]).toEqual([
      ['ChildUnknown 1', 'ChildUnknown 2'],
      ['QueryStatus 1', 'QueryStatus 2'],
    ]);
  });

  test.each([
    ['never seen', 2, { state: 'UNKNOWN', knownSinceMs: 0 as EpochMs } as const, 'ChildNeverPlaced 2'],
    ['taken and forgotten', 1, { state: 'UNKNOWN', knownSinceMs: 0 as EpochMs } as const, 'ChildCancelled 1'],
    ['open', 2, { state: 'OPEN', venueOrderId: venueId(2) } as const, 'ChildAccepted 2'],
    ['cancelled', 2, { state: 'CANCELLED', venueOrderId: venueId(2), cause: null } as const, 'ChildCancelled 2'],
    ['refused', 2, { state: 'REJECTED', rejection: rejectionOf('INVALID_ORDER') } as const, 'ChildRejected 2'],
  ])('the answer %s settles the child', (_, child, state, fact) => {
    const decision = when(lost, answer(child, answeredWith(state)));
    expect([facts(decision), sent(decision)]).toEqual([[fact], []]);
  });

  test('settles a child by its fills and repeats the order status request while fills are missing', () => {
    const partly = given([...story, unknown(1), unknown(2), filled(2, 60)]);
    const decision = when(partly, asFilled(100));
    expect([facts(decision), sent(decision)]).toEqual([[], ['QueryStatus 2']]);
    const wholly = given([...story, unknown(1), unknown(2), filled(2, 60), filled(2, 40)]);
    expect(when(wholly, asFilled(100))).toEqual(NOTHING);
  });

  test('ends a child whose order is filled with less than its quantity, when no fill is missing', () => {
    const partly = given([...story, unknown(1), unknown(2), filled(2, 60)]);
    const decision = when(partly, asFilled(60));
    expect([facts(decision), sent(decision)]).toEqual([['ChildCancelled 2'], []]);
    expect(decision.events).toMatchObject([{ cause: { message: expect.stringContaining('smaller than the child') } }]);
    expect(sent(when(partly, asFilled(70)))).toEqual(['QueryStatus 2']);
    expect(sent(when(lost, asFilled(0)))).toEqual(['QueryStatus 2']);
  });

  test('cancels an open child whose cancel was requested before', () => {
    const state = given([...story, cancelWanted(2), unknown(2)]);
    const open = { state: 'OPEN', venueOrderId: venueId(2) } as const;
    const decision = when(state, answer(2, answeredWith(open)));
    expect([facts(decision), sent(decision)]).toEqual([['ChildAccepted 2', 'ChildCancelRequested 2'], ['Cancel 2']]);
  });
});

const silence = (...children: number[]): OrderInput => ({ kind: 'Silence', children: children as never[] });

describe('a venue that is silent', () => {
  const story = [
    ...WORKABLE,
    submitted(1),
    acknowledged(1),
    submitted(2),
    submitted(3),
    acknowledged(3),
    cancelWanted(3),
  ];

  test('gets an order status request; a child with a due answer becomes unknown, a resting child stays open', () => {
    const decision = when(given(story), silence(1, 2, 3));
    expect([facts(decision), sent(decision)]).toEqual([
      ['ChildUnknown 2', 'ChildUnknown 3'],
      ['QueryStatus 1', 'QueryStatus 2', 'QueryStatus 3'],
    ]);
  });

  test('gets another order status request for unknown and IOC children', () => {
    const atOnce = [...WORKABLE, submitted(1, { timeInForce: 'IOC' }), acknowledged(1), submitted(2), unknown(2)];
    const decision = when(given(atOnce), silence(1, 2));
    expect([facts(decision), sent(decision)]).toEqual([['ChildUnknown 1'], ['QueryStatus 1', 'QueryStatus 2']]);
  });

  test('gets no order status request for ended children', () => {
    expect(when(given([...story, refused(2)]), silence(2, 9))).toEqual(NOTHING);
  });

  const open = given([...WORKABLE, submitted(1), acknowledged(1), filled(1, 40)]);
  test.each([
    ['open', { state: 'OPEN', venueOrderId: venueId(1) } as const, []],
    ['cancelled', { state: 'CANCELLED', venueOrderId: venueId(1), cause: null } as const, ['ChildCancelled 1']],
    ['refused', { state: 'REJECTED', rejection: rejectionOf('OTHER') } as const, ['ChildCancelled 1']],
    ['forgotten', { state: 'UNKNOWN', knownSinceMs: 0 as EpochMs } as const, ['ChildCancelled 1']],
  ])('settles a resting child when its answer is: %s', (_, state, expected) => {
    const decision = when(open, answer(1, answeredWith(state, state.state === 'UNKNOWN' ? 0 : 40)));
    expect([facts(decision), sent(decision)]).toEqual([expected, []]);
  });

  test.each([
    ['OPEN', { state: 'OPEN', venueOrderId: venueId(1) } as const],
    ['CANCELLED', { state: 'CANCELLED', venueOrderId: venueId(1), cause: null } as const],
  ])('is asked again when it answers %s with more than it has reported as filled', (_, state) => {
    const decision = when(open, answer(1, answeredWith(state, 50)));
    expect(decision.events).toEqual([]);
    expect(decision.effects).toMatchObject([{ kind: 'QueryStatus', notBeforeMs: CONTEXT.nowMs + 1_000 }]);
  });

  test('an answer to an older order status request does not change a child with a cancel in flight', () => {
    const state = given([...WORKABLE, submitted(1), acknowledged(1), cancelWanted(1)]);
    for (const answered of ['OPEN', 'CANCELLED'] as const) {
      const cause = answered === 'CANCELLED' ? { cause: null } : {};
      const body = answeredWith({ state: answered, venueOrderId: venueId(1), ...cause } as OrderStatusAnswer);
      expect(when(state, answer(1, body))).toEqual(NOTHING);
    }
  });
});

describe('an end with a total above the known fills', () => {
  const state = given([...WORKABLE, submitted(1), acknowledged(1), filled(1, 40)]);

  test('does not end the child; an order status request follows at once', () => {
    const decision = when(state, { kind: 'Report', report: endOf(1, 100) });
    expect(facts(decision)).toEqual(['ChildUnknown 1']);
    expect(decision.effects).toMatchObject([{ kind: 'QueryStatus', notBeforeMs: CONTEXT.nowMs }]);
  });

  test('ends the child as soon as no fill is missing', () => {
    expect(facts(when(state, { kind: 'Report', report: endOf(1, 40) }))).toEqual(['ChildCancelled 1']);
  });
});
