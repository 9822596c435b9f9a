import { describe, expect, test } from 'vitest';
import { PASSING_REFUSALS_MAX } from '../../src/domain/limits/trading.js';
import type { EventEnvelope, OrderEvent } from '../../src/domain/event.js';
import { averagePrice, type Lots } from '../../src/domain/quantity.js';
import { evolve, foldEnvelope } from '../../src/order/evolve.js';
import { isGivenUp } from '../../src/order/child-refusals.js';
import { checkInvariants } from '../../src/order/invariants.js';
import { workingOf } from '../../src/order/children.js';
import {
  accepted,
  acknowledged,
  BTC,
  cancelled,
  cancelWanted,
  created,
  filled,
  fillOf,
  given,
  orderOf,
  refused,
  rejectionOf,
  START_MS,
  started,
  submitted,
  unknown,
  WORKABLE,
} from './orders.js';

const SMALL = [created(orderOf({ quantity: 100 as Lots })), accepted, started];

describe('filled, leaves, average and fees', () => {
  test('add up exactly over fills of several children', () => {
    const first: OrderEvent = {
      kind: 'ChildFilled',
      leg: 0,
      child: 1 as never,
      fill: fillOf(1, 30, 6_400_000),
      isLate: false,
    };
    const taker = { ...fillOf(2, 20, 6_400_007), liquidity: 'TAKER' as const, fee: 5n as never, feeCurrency: 'BNB' };
    const second: OrderEvent = { kind: 'ChildFilled', leg: 0, child: 2 as never, fill: taker, isLate: false };
    const state = given([...WORKABLE, submitted(1), submitted(2), first, second, filled(1, 10)]);
    expect(state.legs[0].progress).toEqual({ filled: 60, notional: 40n * 6_400_000n + 20n * 6_400_007n });
    expect(averagePrice(state.legs[0].progress.notional, state.legs[0].progress.filled, BTC)).toBe('64000.0233333333');
    expect(state.legs[0].makerFilled).toBe(40);
    expect([state.legs[0].lastQuantity, state.legs[0].lastPrice]).toEqual([10, 6_400_000]);
    expect(state.legs[0].fees).toEqual([
      { currency: 'USDT', amount: 14n },
      { currency: 'BNB', amount: 5n },
    ]);
    expect(workingOf(state)).toBe(60 + 80);
    expect(state.status).toBe('PARTIALLY_FILLED');
  });

  test('the last fill makes the order FILLED with the same event', () => {
    const state = given([...SMALL, submitted(1), acknowledged(1), filled(1, 100)]);
    expect(state).toMatchObject({ status: 'FILLED', legs: [{ children: [] }], endedAtMs: START_MS + 5_000 });
  });

  test('a last fill before the end of a cancel makes the order FILLED', () => {
    const story = [
      ...SMALL,
      submitted(1),
      { kind: 'ParentCancelRequested', cancelCause: null } as const,
      cancelWanted(1),
    ];
    expect(given([...story, filled(1, 40)]).status).toBe('PENDING_CANCEL');
    expect(given([...story, filled(1, 100)]).status).toBe('FILLED');
  });
});

describe('late fills', () => {
  const ended = [
    ...SMALL,
    submitted(1),
    cancelled(1),
    { kind: 'ParentCancelled', cause: null, cancelCause: null } as const,
  ];

  test('are counted and change no terminal status, even when they complete the order', () => {
    const state = given([...ended, filled(1, 100, true)]);
    expect(state).toMatchObject({ status: 'CANCELLED', lateFills: 1, legs: [{ progress: { filled: 100 } }] });
    expect(() => checkInvariants(state)).not.toThrow();
  });

  test('complete a working order only when no child is live', () => {
    const replaced = [...SMALL, submitted(1), cancelled(1), submitted(2), filled(1, 100, true)];
    expect(given(replaced)).toMatchObject({ status: 'PARTIALLY_FILLED', legs: [{ progress: { filled: 100 } }] });
    expect(given([...replaced, cancelled(2)])).toMatchObject({ status: 'FILLED', legs: [{ children: [] }] });
  });

  test('must be marked as late', () => {
    expect(() => given([...ended, filled(1, 100)])).toThrow('late when the child has ended');
    expect(() => given([...SMALL, submitted(1), filled(1, 10, true)])).toThrow('late when the child has ended');
  });
});

describe('children', () => {
  test('a child with a cancel in flight keeps the venue order id of a later acknowledgement', () => {
    const state = given([...WORKABLE, submitted(1), cancelWanted(1), acknowledged(1)]);
    expect(state.legs[0].children).toMatchObject([{ state: 'CANCEL_IN_FLIGHT', venueOrderId: 'v1' }]);
  });

  test('an unknown child keeps its requested cancel', () => {
    expect(given([...WORKABLE, submitted(1), acknowledged(1), unknown(1)]).legs[0].children).toMatchObject([
      { state: 'UNKNOWN', venueOrderId: 'v1', cancelWanted: false },
    ]);
    expect(given([...WORKABLE, submitted(1), cancelWanted(1), unknown(1)]).legs[0].children).toMatchObject([
      { state: 'UNKNOWN', venueOrderId: null, cancelWanted: true },
    ]);
  });

  test('leave the state when they end; their numbers are not used again', () => {
    const state = given([...WORKABLE, submitted(1), submitted(2), cancelled(1)]);
    expect(state.legs[0].children.map(({ order }) => order.child)).toEqual([2]);
    expect(() => given([...WORKABLE, submitted(1), cancelled(1), submitted(1)])).toThrow('without a gap');
  });

  test('stay live after a fill beyond their quantity until the exchange ends them; the whole fill counts', () => {
    const story = [...WORKABLE, submitted(1), filled(1, 101)];
    expect(given(story)).toMatchObject({
      legs: [{ progress: { filled: 101 }, children: [{ progress: { filled: 101 } }] }],
    });
    expect(given([...story, cancelled(1)])).toMatchObject({ legs: [{ progress: { filled: 101 }, children: [] }] });
  });
});

describe('refusals in a row', () => {
  test('are counted until a child trades or ends as expected', () => {
    const story = [...WORKABLE, submitted(1), refused(1), submitted(2), refused(2, 'RATE_LIMIT_EXCEEDED')];
    expect(given(story)).toMatchObject({ legs: [{ refusals: 2, lastRefusal: { code: 'RATE_LIMIT_EXCEEDED' } }] });
    const taken = [...story, submitted(3), acknowledged(3)];
    expect(given(taken).legs[0].refusals).toBe(2);
    expect(given([...taken, filled(3, 1)]).legs[0].refusals).toBe(0);
    expect(given([...taken, cancelled(3)]).legs[0].refusals).toBe(0);
  });

  test('include a child that the venue acknowledged and then ended on its own', () => {
    const cause = rejectionOf('INVALID_ORDER');
    const prevented = (child: number) => [submitted(child), acknowledged(child), cancelled(child, cause)];
    const story = [created(orderOf({ strategy: 'MARKET', endAtMs: null })), accepted, started];
    for (let child = 1; child < PASSING_REFUSALS_MAX; child += 1) story.push(...prevented(child));
    const state = given(story);
    expect(state).toMatchObject({
      legs: [{ refusals: PASSING_REFUSALS_MAX - 1, lastRefusal: { ...cause, retryAfterMs: 1_000 } }],
    });
    expect(isGivenUp(state)).toBe(false);
    expect(isGivenUp(given([...story, ...prevented(PASSING_REFUSALS_MAX)]))).toBe(true);
  });

  test('end no order when they come from the request throttle', () => {
    const story = [created(orderOf({ strategy: 'MARKET', endAtMs: null })), accepted, started];
    for (let child = 1; child <= 2 * PASSING_REFUSALS_MAX; child += 1) {
      story.push(submitted(child), refused(child, 'SYSTEM_BUSY'));
    }
    expect(given(story)).toMatchObject({ status: 'ACCEPTED', legs: [{ refusals: 2 * PASSING_REFUSALS_MAX }] });
    expect(isGivenUp(given(story))).toBe(false);
  });

  test('stay final after reports on other children when they end the order', () => {
    const limit = orderOf({ strategy: 'LIMIT', limitPrice: 6_400_000 as never });
    const story = [created(limit), accepted, started, submitted(1), submitted(2), refused(1, 'INSUFFICIENT_FUNDS')];
    expect(given([...story, acknowledged(2)])).toMatchObject({ legs: [{ refusals: 1 }] });
    expect(given([...story, refused(2, 'NETWORK_ERROR')])).toMatchObject({
      legs: [{ refusals: 1, lastRefusal: { code: 'INSUFFICIENT_FUNDS' } }],
    });
  });
});

test('an illegal event is an invariant violation', () => {
  expect(() => evolve(null, accepted, START_MS)).toThrow('follows ParentCreated');
  expect(() => given([created(), created()])).toThrow('is created once');
  expect(() => given([created(), submitted(1)])).toThrow('no transition from PENDING_NEW by ChildSubmitted');
  expect(() => given([...WORKABLE, acknowledged(1)])).toThrow('ChildAccepted is not possible for ended child 1');
});

test('a journal entry folds by its event and its time', () => {
  const envelope = { seq: 1, event: created(), eventAtMs: START_MS } as EventEnvelope;
  expect(foldEnvelope(null, envelope)).toEqual(given([created()]));
  const balance = { ...envelope, event: { kind: 'BalanceChanged' } } as EventEnvelope;
  expect(() => foldEnvelope(null, balance)).toThrow('is an order event');
});
