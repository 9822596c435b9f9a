import { expect, test } from 'vitest';
import type { OrderEvent } from '../../src/domain/event.js';
import type { EpochMs } from '../../src/domain/time.js';
import { record } from '../../src/order/snapshot.js';
import {
  acknowledged,
  cancelled,
  cancelWanted,
  created,
  filled,
  given,
  orderOf,
  refused,
  rejectionOf,
  START_MS,
  submitted,
  unknown,
  WORKABLE,
} from './orders.js';

const AT = (START_MS + 9_000) as EpochMs;
const OPEN = [...WORKABLE, submitted(1), acknowledged(1)];
const neverPlaced: OrderEvent = { kind: 'ChildNeverPlaced', child: 1 as never };
const cancelRefused: OrderEvent = { kind: 'ChildCancelRefused', child: 1 as never, rejection: rejectionOf('OTHER') };

test.each<[string, readonly OrderEvent[], OrderEvent, object]>([
  ['in flight', WORKABLE, submitted(1), { status: 'PENDING_NEW', filled: 0 }],
  ['open', [...WORKABLE, submitted(1)], acknowledged(1), { status: 'ACCEPTED' }],
  ['partly filled', OPEN, filled(1, 40), { status: 'PARTIALLY_FILLED', filled: 40, notional: 40n * 6_400_000n }],
  ['filled', [...OPEN, filled(1, 40)], filled(1, 60), { status: 'FILLED', filled: 100, notional: 100n * 6_400_000n }],
  ['being cancelled', OPEN, cancelWanted(1), { status: 'PENDING_CANCEL' }],
  ['cancelled', [...OPEN, filled(1, 40)], cancelled(1), { status: 'CANCELLED', filled: 40, outcome: null }],
  ['cancelled by the venue', OPEN, cancelled(1, rejectionOf('OTHER')), { outcome: rejectionOf('OTHER') }],
  ['refused', [...WORKABLE, submitted(1)], refused(1), { status: 'REJECTED', outcome: rejectionOf('EXCHANGE_ERROR') }],
  ['unknown, never answered', [...WORKABLE, submitted(1)], unknown(1), { status: 'PENDING_NEW' }],
  ['unknown, was open', OPEN, unknown(1), { status: 'ACCEPTED' }],
  ['not cancelled after all', [...OPEN, cancelWanted(1)], cancelRefused, { status: 'PENDING_CANCEL' }],
  [
    'never placed',
    [...OPEN.slice(0, -1), unknown(1)],
    neverPlaced,
    { status: 'REJECTED', outcome: { code: 'NETWORK_ERROR' } },
  ],
])('a child stands: %s', (_, story, event, progress) => {
  const before = given(story);
  const { child, parent, state } = record(before, event, AT);
  expect(child).toMatchObject({ order: { child: 1, quantity: 100 }, ...progress });
  expect(parent).toEqual({
    status: state.status,
    revision: 0,
    legs: [{ quantity: 1_000, ...state.legs[0].progress }],
    quoteRate: 1,
    outcome: null,
    quarantine: null,
    cancelCause: null,
  });
});

test('a child that had ended has a snapshot of its late fill only', () => {
  const { child } = record(given([...OPEN, cancelled(1)]), filled(1, 40, true), AT);
  expect(child).toMatchObject({
    order: { child: 1, quantity: 40, limitPrice: 6_400_000, reason: { code: 'LATE_FILL' } },
    status: 'CANCELLED',
    filled: 40,
    notional: 40n * 6_400_000n,
    outcome: null,
  });
});

test('a late fill after the end of the order has the outcome PARENT_ORDER_WAS_TERMINATED', () => {
  const parentCancelled: OrderEvent = { kind: 'ParentCancelled', cause: null, cancelCause: null };
  const story = [...OPEN, cancelled(1), parentCancelled];
  const { child, parent } = record(given(story), filled(1, 40, true), AT);
  expect(child).toMatchObject({ filled: 40, outcome: { code: 'PARENT_ORDER_WAS_TERMINATED' } });
  expect(parent).toMatchObject({ status: 'CANCELLED', legs: [{ filled: 40 }], outcome: null });
});

test('an event about the parent has no child snapshot', () => {
  expect(record(null, created(orderOf()), AT)).toMatchObject({ child: null, parent: { status: 'PENDING_NEW' } });
  const rejected: OrderEvent = { kind: 'ParentRejected', rejection: rejectionOf('INSUFFICIENT_FUNDS') };
  expect(record(given([created()]), rejected, AT)).toMatchObject({
    child: null,
    parent: { status: 'REJECTED', outcome: rejectionOf('INSUFFICIENT_FUNDS') },
  });
});
