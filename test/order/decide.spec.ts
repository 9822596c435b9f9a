import { describe, expect, test } from 'vitest';
import { serviceCause } from '../../src/domain/cancel-cause.js';
import { type Amount, amountOf, type Lots, type Ticks } from '../../src/domain/quantity.js';
import type { OrderEvent } from '../../src/domain/event.js';
import type { CorrelationId } from '../../src/domain/ids.js';
import type { EpochMs } from '../../src/domain/time.js';
import { decide, type DecideContext, type OrderInput } from '../../src/order/decide.js';
import { creationOf } from '../../src/order/snapshot.js';
import { CONTEXT, endOf, facts, NOTHING, sent, when } from './deciding.js';
import {
  CANCEL,
  accepted,
  acknowledged,
  BTC,
  cancelWanted,
  created,
  filled,
  fillOf,
  given,
  marketOf,
  orderOf,
  PERPETUAL,
  refused,
  rejectionOf,
  reportOf,
  START_MS,
  started,
  submitted,
  unknown,
  venueId,
  WORKABLE,
} from './orders.js';
import { memoryOf } from './memories.js';
import type { FlatTerms } from '../domain/plain-order.js';

const AT_END: DecideContext = { nowMs: (START_MS + 60_000) as EpochMs };

function admit(order: Partial<FlatTerms>, free: bigint, change: Partial<Record<'bid' | 'ask' | 'last', number>> = {}) {
  const asked: string[] = [];
  const freeOf = (asset: string) => (asked.push(asset), free as Amount);
  const instrument = order.assetCategory === 'FUTURE' ? PERPETUAL : BTC;
  const input: OrderInput = {
    kind: 'Admit',
    legs: [{ instrument, isVenueUp: true, market: marketOf(change), freeOf, reducible: null }],
  };
  const { events } = when(given([created(orderOf(order))]), input);
  return { event: events[0] as OrderEvent, asked };
}

/** 0.01 BTC at a price in ticks, with parts per million on top, in quote money. */
const cost = (price: number, ppm: number) => (amountOf(1_000 * price, 7) * BigInt(ppm)) / 1_000_000n;

const refusalOf = (child: number, code: Parameters<typeof rejectionOf>[0]) =>
  reportOf(child, { kind: 'Rejected', rejection: rejectionOf(code) });

const row = (count: number) => Array.from({ length: count }, (_, i) => [submitted(i + 1), refused(i + 1)]).flat();

const busy = (count: number) =>
  Array.from({ length: count }, (_, i) => [submitted(i + 1), refused(i + 1, 'RATE_LIMIT_EXCEEDED')]).flat();

describe('Create', () => {
  test('records one event', () => {
    const order = orderOf();
    const { event, state } = creationOf(order, START_MS, 7 as CorrelationId);
    expect(event).toMatchObject({ event: { kind: 'ParentCreated', order }, correlationId: 7, causationSeq: 0 });
    expect(state).toEqual(given([created(order)]));
  });
});

describe('Admit', () => {
  test.each([
    ['a spot buy without limit needs the ask and the taker fee', {}, cost(6_400_010, 1_000_500), 'USDT'],
    ['a limit counts instead', { limitPrice: 6_000_000 as Ticks }, cost(6_000_000, 1_000_500), 'USDT'],
    ['a spot sell needs the asset', { side: 'SELL' } as const, amountOf(1_000, 5), 'BTC'],
    ['a future needs margin and fee', { assetCategory: 'FUTURE' } as const, cost(6_400_010, 100_500), 'USDT'],
    [
      'a future sold is priced at the bid',
      { assetCategory: 'FUTURE', side: 'SELL' } as const,
      cost(6_400_000, 100_500),
      'USDT',
    ],
    ['reduce-only needs nothing', { assetCategory: 'FUTURE', reduceOnly: true } as const, 0n, 'USDT'],
  ])('%s', (_, order, need, asset) => {
    expect(admit(order, need)).toEqual({ event: accepted, asked: [asset] });
    if (need === 0n) return;
    expect(admit(order, need - 1n).event).toMatchObject({
      kind: 'ParentRejected',
      rejection: { code: 'INSUFFICIENT_FUNDS', message: expect.stringContaining(asset) },
    });
  });

  test('prices a one-sided market at the last trade and an unknown market at 0', () => {
    expect(admit({}, cost(6_400_005, 1_000_500), { ask: 0 }).event).toEqual(accepted);
    expect(admit({}, cost(6_400_005, 1_000_500) - 1n, { ask: 0 }).event.kind).toBe('ParentRejected');
    expect(admit({}, 0n, { ask: 0, bid: 0, last: 0 }).event).toEqual(accepted);
  });

  test('counts an unknown balance as 0 and refuses an order when its venue is down', () => {
    const grounds = { instrument: BTC, isVenueUp: true, market: marketOf(), freeOf: () => null, reducible: null };
    const input: OrderInput = { kind: 'Admit', legs: [grounds] };
    const down: OrderInput = { kind: 'Admit', legs: [{ ...grounds, isVenueUp: false }] };
    expect(when(given([created()]), input).events).toMatchObject([{ rejection: { code: 'INSUFFICIENT_FUNDS' } }]);
    expect(when(given([created()]), down).events).toMatchObject([{ rejection: { code: 'EXCHANGE_NOT_AVAILABLE' } }]);
    expect(when(given([created(), accepted]), down)).toEqual(NOTHING);
  });
});

describe('Start', () => {
  test('sets the arrival price once', () => {
    const input: OrderInput = { kind: 'Start', legs: [{ market: marketOf(), memory: memoryOf(1) }] };
    expect(when(given([created(), accepted]), input).events).toEqual([
      { kind: 'ParentStarted', legs: [{ arrivalTwiceMid: 12_800_010, memory: memoryOf(1) }] },
    ]);
    expect(when(given(WORKABLE), input)).toEqual(NOTHING);
    const oneSided: OrderInput = {
      kind: 'Start',
      legs: [{ market: marketOf({ ask: 0 }), memory: memoryOf(1) }],
    };
    expect(() => when(given([created(), accepted]), oneSided)).toThrow('needs both sides');
  });
});

describe('Cancel', () => {
  test('ends an order without children at once', () => {
    for (const story of [[created()], [created(), accepted], WORKABLE]) {
      expect(facts(when(given(story), CANCEL))).toEqual(['ParentCancelRequested', 'ParentCancelled']);
    }
  });

  test('cancels every live child and requests the status of an unknown child first', () => {
    const state = given([...WORKABLE, submitted(1), acknowledged(1), submitted(2), submitted(3), unknown(3)]);
    const decision = when(state, CANCEL);
    expect(facts(decision)).toEqual([
      'ParentCancelRequested',
      'ChildCancelRequested 1',
      'ChildCancelRequested 2',
      'ChildCancelRequested 3',
    ]);
    expect(sent(decision)).toEqual(['Cancel 1', 'Cancel 2']);
  });

  test('changes nothing when repeated; the order ends with its last child', () => {
    const state = given([
      ...WORKABLE,
      submitted(1),
      { kind: 'ParentCancelRequested', cancelCause: null },
      cancelWanted(1),
    ]);
    expect(when(state, CANCEL)).toEqual(NOTHING);
    const report = endOf(1);
    expect(facts(when(state, { kind: 'Report', report }))).toEqual(['ChildCancelled 1', 'ParentCancelled']);
  });

  test('is refused for an ended order with a message that names its status', () => {
    const state = given([...WORKABLE, { kind: 'ParentCancelled', cause: null, cancelCause: null }]);
    expect(decide(state, CANCEL, CONTEXT)).toEqual({
      rejection: { code: 'INVALID_ORDER', message: 'order_id 4711 is already CANCELLED and cannot be cancelled' },
    });
  });
});

describe('Expire', () => {
  test('names the filled quantity in its cause when no child is live', () => {
    const state = given([...WORKABLE, submitted(1), acknowledged(1), filled(1, 40)]);
    expect(when(state, { kind: 'Expire' })).toEqual(NOTHING);
    const first = when(state, { kind: 'Expire' }, AT_END);
    expect([facts(first), sent(first)]).toEqual([['ChildCancelRequested 1'], ['Cancel 1']]);
    const asked = given([...WORKABLE, submitted(1), acknowledged(1), filled(1, 40), cancelWanted(1)]);
    expect(when(asked, { kind: 'Expire' }, AT_END)).toEqual(NOTHING);
    const report = endOf(1, 40);
    expect(when(asked, { kind: 'Report', report }, AT_END).events[1]).toEqual({
      kind: 'ParentExpired',
      cause: { code: 'EXPIRY_REACHED', message: 'the end time passed with 0.0004 of 0.01 filled' },
    });
  });

  test("does not replace the end by a client's cancel", () => {
    const state = given([
      ...WORKABLE,
      submitted(1),
      { kind: 'ParentCancelRequested', cancelCause: null },
      cancelWanted(1),
    ]);
    const report = endOf(1);
    expect(facts(when(state, { kind: 'Report', report }, AT_END))).toEqual(['ChildCancelled 1', 'ParentCancelled']);
  });
});

describe('refusals by the venue', () => {
  test('end a scheduled order after five refusals in a row', () => {
    const report = refusalOf(4, 'INVALID_ORDER');
    expect(facts(when(given([...WORKABLE, ...row(3), submitted(4)]), { kind: 'Report', report }))).toEqual([
      'ChildRejected 4',
    ]);
    const fifth = when(given([...WORKABLE, ...row(4), submitted(5)]), {
      kind: 'Report',
      report: refusalOf(5, 'INVALID_ORDER'),
    });
    expect(fifth.events[1]).toEqual({ kind: 'ParentRejected', rejection: rejectionOf('INVALID_ORDER') });
  });

  test('end an order with fills as CANCELLED', () => {
    const story = [...WORKABLE, submitted(1), filled(1, 100)];
    const later = [2, 3, 4, 5].flatMap((child) => [submitted(child), refused(child)]);
    const report = refusalOf(6, 'INSUFFICIENT_FUNDS');
    expect(when(given([...story, ...later, submitted(6)]), { kind: 'Report', report }).events[1]).toEqual({
      kind: 'ParentCancelled',
      cause: rejectionOf('INSUFFICIENT_FUNDS'),
      cancelCause: serviceCause('INSUFFICIENT_FUNDS'),
    });
  });

  test('end a LIMIT order at the first refusal, after its other children are cancelled', () => {
    const order = orderOf({ strategy: 'LIMIT', limitPrice: 6_400_000 as Ticks });
    const state = given([created(order), accepted, started, submitted(1), acknowledged(1), submitted(2)]);
    const decision = when(state, { kind: 'Report', report: refusalOf(2, 'INSUFFICIENT_FUNDS') });
    expect([facts(decision), sent(decision)]).toEqual([['ChildRejected 2', 'ChildCancelRequested 1'], ['Cancel 1']]);
  });

  test('end only an order without an end time when their cause is passing', () => {
    const endless = orderOf({ strategy: 'MARKET', endAtMs: null });
    const report = refusalOf(60, 'NETWORK_ERROR');
    const timed = given([...WORKABLE, ...busy(59), submitted(60)]);
    expect(facts(when(timed, { kind: 'Report', report }))).toEqual(['ChildRejected 60']);
    const untimed = given([created(endless), accepted, started, ...busy(59), submitted(60)]);
    expect(facts(when(untimed, { kind: 'Report', report }))).toEqual(['ChildRejected 60', 'ParentRejected']);
  });

  test('cancel the leaves of a child with fills', () => {
    const state = given([...WORKABLE, submitted(1), filled(1, 40)]);
    expect(facts(when(state, { kind: 'Report', report: refusalOf(1, 'EXCHANGE_ERROR') }))).toEqual([
      'ReportContradicted 1',
      'ChildCancelled 1',
    ]);
  });
});

describe('reports out of order', () => {
  const open = [...WORKABLE, submitted(1), acknowledged(1)];
  const accept = reportOf(1, { kind: 'Accepted', venueOrderId: venueId(1) });
  const cancel = endOf(1);
  const refuse = reportOf(1, { kind: 'CancelRejected', rejection: rejectionOf('RATE_LIMIT_EXCEEDED') });

  test('change nothing when they no longer fit the child', () => {
    expect(when(given(open), { kind: 'Report', report: accept })).toEqual(NOTHING);
    expect(when(given(open), { kind: 'Report', report: refuse })).toEqual(NOTHING);
    const lost = given([...open, unknown(1)]);
    for (const report of [accept, cancel, refuse]) expect(when(lost, { kind: 'Report', report })).toEqual(NOTHING);
    const gone = given([...open, { kind: 'ChildCancelled', child: 1 as never, cause: null }]);
    expect(when(gone, { kind: 'Report', report: cancel })).toEqual(NOTHING);
  });

  test('record nothing of a child that has ended, and make sure that its order does not rest', () => {
    const gone = given([...open, { kind: 'ChildCancelled', child: 1 as never, cause: null }]);
    const [late, unsent] = [accept, refuse].map((report) => when(gone, { kind: 'Report', report }));
    expect([facts(late!), sent(late!)]).toEqual([[], ['Cancel 1']]);
    expect([facts(unsent!), sent(unsent!)]).toEqual([[], ['QueryStatus 1']]);
  });

  test('a fill of an ended child is recorded as late, also after the end of the order', () => {
    const gone: OrderEvent[] = [...open, { kind: 'ChildCancelled', child: 1 as never, cause: null }];
    const report = reportOf(1, { kind: 'Filled', fill: fillOf(1, 60) });
    const late = { kind: 'ChildFilled', child: 1, leg: 0, fill: fillOf(1, 60), isLate: true };
    expect(when(given(gone), { kind: 'Report', report }).events).toEqual([late]);
    const ended: OrderEvent[] = [...gone, { kind: 'ParentCancelled', cause: null, cancelCause: null }];
    expect(when(given(ended), { kind: 'Report', report })).toEqual({ events: [late], effects: [] });
  });

  test('a late fill cancels the newest children beyond the leaves', () => {
    const order = orderOf({ quantity: 200 as Lots });
    const story = [
      created(order),
      accepted,
      started,
      submitted(1),
      { kind: 'ChildCancelled', child: 1, cause: null } as never,
    ];
    const state = given([...story, submitted(2), acknowledged(2), submitted(3), acknowledged(3)]);
    const decision = when(state, { kind: 'Report', report: reportOf(1, { kind: 'Filled', fill: fillOf(1, 100) }) });
    expect([facts(decision), sent(decision)]).toEqual([['ChildFilled 1', 'ChildCancelRequested 3'], ['Cancel 3']]);
  });

  test('a refused cancel makes the child unknown, and an order status request follows', () => {
    const state = given([...open, cancelWanted(1)]);
    const decision = when(state, { kind: 'Report', report: refuse });
    expect(facts(decision)).toEqual(['ChildCancelRefused 1']);
    expect(decision.effects).toMatchObject([{ kind: 'QueryStatus', notBeforeMs: CONTEXT.nowMs + 1_000 }]);
  });
});

test('an order status request waits for the retry time of a refused cancel', () => {
  const state = given([...WORKABLE, submitted(1), acknowledged(1), cancelWanted(1)]);
  const rejection = { ...rejectionOf('RATE_LIMIT_EXCEEDED'), retryAfterMs: 9_000 as never };
  const decision = when(state, { kind: 'Report', report: reportOf(1, { kind: 'CancelRejected', rejection }) });
  expect(decision.effects).toMatchObject([{ kind: 'QueryStatus', notBeforeMs: CONTEXT.nowMs + 9_000 }]);
});
