import { describe, expect, it } from 'vitest';
import type { EpochMs } from '../../src/domain/time.js';
import { CONTRADICTIONS_PER_ORDER_MAX } from '../../src/domain/limits/trading.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { Rejection, RejectionCode } from '../../src/domain/rejection.js';
import type { ExecutionReport } from '../../src/domain/venue-report.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { decodeEvent } from '../../src/wire/codec/envelope.js';
import { encodeState } from '../../src/wire/codec/state.js';
import type { ParentState } from '../../src/domain/order-state.js';
import { orderOf } from './sample-orders.js';
import { ShardRig, venueIdOf } from './shard-rig.js';
import { withTerms } from '../domain/plain-order.js';
import { runs } from '../runs.js';

const OTHER_ID = 'other' as ReturnType<typeof venueIdOf>;
const REASON = { code: 'EXCHANGE_ERROR', message: 'no' } as const;

/** An order of 1,000 lots with an open child and 400 lots filled. */
function partlyFilled(): ShardRig {
  const rig = new ShardRig();
  rig.work(orderOf(1));
  rig.accept(1, 1);
  rig.fill(1, 1, 400, 1);
  rig.rest();
  expect(rig.state(1)).toMatchObject({
    status: 'PARTIALLY_FILLED',
    legs: [{ progress: { filled: 400 } }],
    quarantine: null,
  });
  return rig;
}

/** A report of `rig.fill` with some changed fields. */
function fillWith(rig: ShardRig, change: object, child = 1): void {
  rig.fill(1, child, 100, 9);
  const report = rig.inbox.reports.at(-1) as Extract<ExecutionReport, { kind: 'Filled' }>;
  rig.inbox.reports[rig.inbox.reports.length - 1] = { ...report, fill: { ...report.fill, ...change } };
}

/** Checks that every stored state is the fold of its journalled events. */
function expectReplayable(rig: ShardRig): void {
  const states = new Map<number, ParentState>();
  for (const { bytes } of rig.journal.entries) {
    const envelope = decodeEvent(bytes);
    if (envelope.orderId === null || envelope.parent === null) continue;
    states.set(envelope.orderId, foldEnvelope(states.get(envelope.orderId) ?? null, envelope));
  }
  for (const [orderId, state] of states) {
    expect(Buffer.from(encodeState(state))).toEqual(Buffer.from(rig.journal.states.get(orderId as never)!.bytes));
  }
}

const OVERFILL = (rig: ShardRig): void => rig.fill(1, 1, 700, 2);

type Case = readonly [string, (rig: ShardRig) => void, string, number];

/** The report, the contradiction, and the filled quantity afterwards. */
const GRAVE: readonly Case[] = [
  ['a fill for more than the child', OVERFILL, 'CHILD_OVERFILL', 1_100],
  ['a fill of a child that was never placed', (rig) => rig.fill(1, 7, 50, 2), 'UNKNOWN_CHILD', 450],
  ['an acknowledgement of a child that was never placed', (rig) => rig.accept(1, 7), 'UNKNOWN_CHILD', 400],
  ['an end with fills of a child that was never placed', (rig) => rig.end(1, 7, 5), 'UNKNOWN_CHILD', 400],
  ['a fill above the limit of a buy', (rig) => fillWith(rig, { price: 6_399_001 }), 'PRICE_OUTSIDE_LIMIT', 500],
  [
    'a fill with another exchange order id',
    (rig) => fillWith(rig, { venueOrderId: OTHER_ID }),
    'OTHER_EXCHANGE_ORDER_ID',
    500,
  ],
  [
    'an acknowledgement with another exchange order id',
    (rig) => rig.report(1, 1, { kind: 'Accepted', venueOrderId: OTHER_ID }),
    'OTHER_EXCHANGE_ORDER_ID',
    400,
  ],
  ['an end with more filled than the child has', (rig) => rig.end(1, 1, 1_001), 'FILLED_OVER_QUANTITY', 400],
  ['an end with less filled than its fills', (rig) => rig.end(1, 1, 100), 'FILLED_UNDER_KNOWN', 400],
  [
    'an answer with more filled than the child has',
    (rig) => rig.answer(1, 1, { state: 'OPEN', venueOrderId: venueIdOf(1) }, 1_001),
    'FILLED_OVER_QUANTITY',
    400,
  ],
  [
    'a final answer with less filled than the fills',
    (rig) => rig.answer(1, 1, { state: 'CANCELLED', venueOrderId: venueIdOf(1), cause: null }, 0),
    'FILLED_UNDER_KNOWN',
    400,
  ],
  ['a fill of no quantity', (rig) => fillWith(rig, { quantity: 0 }), 'UNUSABLE_REPORT', 400],
  ['a fill of a negative quantity', (rig) => fillWith(rig, { quantity: -5 }), 'UNUSABLE_REPORT', 400],
  ['a fill of half a lot', (rig) => fillWith(rig, { quantity: 0.5 }), 'UNUSABLE_REPORT', 400],
  [
    'a fill of more lots than a safe integer',
    (rig) => fillWith(rig, { quantity: Number.MAX_SAFE_INTEGER }),
    'UNUSABLE_REPORT',
    400,
  ],
  ['a fill at no price', (rig) => fillWith(rig, { price: Number.NaN }), 'UNUSABLE_REPORT', 400],
  ['a fill of an invalid child number', (rig) => fillWith(rig, {}, -1), 'UNUSABLE_REPORT', 400],
  ['a fill of an unknown liquidity', (rig) => fillWith(rig, { liquidity: 'NEITHER' }), 'UNUSABLE_REPORT', 400],
  ['a fill with a fee of 63 digits', (rig) => fillWith(rig, { fee: 10n ** 62n }), 'UNUSABLE_REPORT', 400],
  [
    'a report that was unreadable on the wire',
    (rig) => rig.report(1, 1, { kind: 'Unreadable', detail: 'a fill of nothing' }),
    'UNUSABLE_REPORT',
    400,
  ],
  ['an end with a filled quantity that is no number', (rig) => rig.end(1, 1, Number.NaN), 'UNUSABLE_REPORT', 400],
];

describe('A contradictory report', () => {
  it('is described in the units of the order', () => {
    const rig = partlyFilled();
    OVERFILL(rig);
    rig.rest();
    expect(rig.state(1)?.quarantine?.detail).toBe(
      'CHILD_OVERFILL: fill 2 of 0.007 at 63990 makes 0.011 of 0.01 of child 1',
    );
  });

  it.each(GRAVE)('quarantines the order and keeps the fills: %s', (_, say, contradiction, filled) => {
    const rig = partlyFilled();
    const sent = rig.venue.requests.length;
    say(rig);
    rig.rest();
    const state = rig.state(1);
    expect(state).toMatchObject({
      legs: [{ progress: { filled } }],
      quarantine: { reason: 'CONTRADICTORY_REPORT', sinceMs: rig.nowMs },
    });
    expect(state?.quarantine?.detail).toContain(contradiction);
    // The client reads it: only a number that is no count of lots has them as its unit.
    if (contradiction !== 'UNUSABLE_REPORT') expect(state?.quarantine?.detail).not.toMatch(/lots|ticks/);
    expect(state?.status).toBe('PARTIALLY_FILLED');
    expect(rig.kinds).toContain('ReportContradicted');
    expect(rig.venue.requests.slice(sent).filter(({ kind }) => kind === 'Submit')).toEqual([]);
    expect(rig.main.messages.at(-1)).toMatchObject({ envelope: { parent: { quarantine: { isReleased: false } } } });
    expectReplayable(rig);
    rig.restart();
    rig.rest();
    expect(rig.state(1)).toMatchObject({
      legs: [{ progress: { filled } }],
      quarantine: { reason: 'CONTRADICTORY_REPORT' },
    });
    expect(rig.kinds.filter((kind) => kind === 'ParentQuarantined')).toHaveLength(1);
  });

  it('records a fill of the wrong side without counting it', () => {
    const rig = partlyFilled();
    rig.fill(1, 1, 100, 2);
    rig.inbox.reports.push({ ...(rig.inbox.reports.pop() as ExecutionReport & { kind: 'Filled' }), side: 'SELL' });
    rig.rest();
    expect(rig.state(1)).toMatchObject({
      legs: [{ progress: { filled: 400 } }],
      quarantine: { reason: 'CONTRADICTORY_REPORT' },
    });
  });

  it.each([
    ['refuses a child that has fills', (rig: ShardRig) => rig.report(1, 1, { kind: 'Rejected', rejection: REASON })],
    [
      'answers that an open child has less filled',
      (rig: ShardRig) => rig.answer(1, 1, { state: 'OPEN', venueOrderId: venueIdOf(1) }, 0),
    ],
    [
      'refuses a child that was never placed',
      (rig: ShardRig) => rig.report(1, 7, { kind: 'Rejected', rejection: REASON }),
    ],
    [
      'refuses to cancel a child that was never placed',
      (rig: ShardRig) => rig.report(1, 7, { kind: 'CancelRejected', rejection: REASON }),
    ],
  ])('is only a warning when the exchange %s', (_, say) => {
    const rig = partlyFilled();
    say(rig);
    rig.rest();
    expect(rig.kinds.filter((kind) => kind === 'ReportContradicted')).toHaveLength(1);
    expect(rig.state(1)).toMatchObject({ quarantine: null, legs: [{ progress: { filled: 400 } }] });
  });

  it.each([
    ['refuses a child', (rig: ShardRig, rejection: Rejection) => rig.report(1, 1, { kind: 'Rejected', rejection })],
    [
      'answers after a restart that it refused a child',
      (rig: ShardRig, rejection: Rejection) => {
        rig.restart();
        rig.rest();
        rig.answer(1, 1, { state: 'REJECTED', rejection });
      },
    ],
  ])('is no contradiction when the exchange %s with an unknown error code', (_, say) => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    say(rig, { code: 'NO_SUCH_CODE' as RejectionCode, message: 'half a pair: \ud800' });
    rig.rest();
    expect(rig.state(1)).toMatchObject({ quarantine: null });
    const rejected = rig.journal.entries
      .map(({ envelope }) => envelope.event)
      .find(({ kind }) => kind === 'ChildRejected');
    expect(rejected).toMatchObject({
      rejection: { code: 'EXCHANGE_ERROR', message: 'NO_SUCH_CODE: half a pair: \ufffd' },
    });
    expectReplayable(rig);
  });

  it('records the fill of an order before its admission', () => {
    const rig = new ShardRig();
    rig.create(orderOf(1));
    rig.fill(1, 3, 10, 1);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'PENDING_NEW', legs: [{ progress: { filled: 10 } }], lateFills: 1 });
    expectReplayable(rig);
  });

  it('limits the contradictions that are journalled for one order, but counts every fill', () => {
    const rig = partlyFilled();
    const reports = CONTRADICTIONS_PER_ORDER_MAX + 20;
    for (let trade = 0; trade < reports; trade += 1) rig.fill(1, 7, 1, 100 + trade);
    rig.rest();
    expect(rig.kinds.filter((kind) => kind === 'ReportContradicted')).toHaveLength(CONTRADICTIONS_PER_ORDER_MAX);
    expect(rig.state(1)?.legs[0].progress.filled).toBe(400 + reports);
  });

  it('leaves the other orders of the turn unchanged', () => {
    const rig = new ShardRig();
    for (const id of [1, 2, 3]) rig.work(orderOf(id));
    for (const id of [1, 2, 3]) rig.accept(id, 1);
    rig.fill(1, 1, 300, 1);
    rig.fill(2, 1, 5_000, 2);
    rig.fill(3, 1, 1_000, 3);
    rig.rest();
    expect([1, 2, 3].map((id) => rig.state(id)?.status)).toEqual(['PARTIALLY_FILLED', 'PARTIALLY_FILLED', 'FILLED']);
    expect([1, 2, 3].map((id) => rig.state(id)?.quarantine?.reason)).toEqual([
      undefined,
      'CONTRADICTORY_REPORT',
      undefined,
    ]);
    expectReplayable(rig);
  });
});

const ORDERS_COUNT = runs(400, 2_000);

it(`quarantines only the three orders with contradictory reports among ${ORDERS_COUNT} orders`, () => {
  const faults: string[] = [];
  const rig = new ShardRig({ shard: 0, shardCount: 1, onFault: (line) => faults.push(line) });
  const ids = Array.from({ length: ORDERS_COUNT }, (_, index) => index + 1);
  const sick = [7, ORDERS_COUNT / 2, ORDERS_COUNT];
  for (const id of ids) rig.create(orderOf(id));
  rig.fund();
  rig.rest();
  for (const id of ids) rig.accept(id, 1);
  for (const id of ids) rig.fill(id, 1, sick.includes(id) ? 1_001 : 400, 1);
  rig.rest();
  for (const id of ids) if (!sick.includes(id)) rig.fill(id, 1, 600, 2);
  rig.rest();
  expect(faults).toEqual([]);
  const open = [...rig.journal.openParents(() => true)];
  expect(open.map(({ order, quarantine }) => [order.orderId, quarantine?.reason])).toEqual(
    sick.map((id) => [id, 'CONTRADICTORY_REPORT']),
  );
  const filled = ids.filter((id) => rig.state(id)?.status === 'FILLED');
  expect(filled).toHaveLength(ids.length - sick.length);
  rig.restart();
  rig.rest();
  expect(rig.shard.openParentCount).toBe(sick.length);
});

/** An order whose open child got another exchange order id. */
function overfilled(): ShardRig {
  const rig = new ShardRig();
  rig.work(orderOf(1, { strategy: 'ICEBERG', clip: { type: 'ABSOLUTE', quantity: 100 as Lots } }));
  rig.accept(1, 1);
  rig.fill(1, 1, 40, 1);
  rig.report(1, 1, { kind: 'Accepted', venueOrderId: OTHER_ID });
  rig.rest();
  expect(rig.state(1)?.quarantine?.reason).toBe('CONTRADICTORY_REPORT');
  return rig;
}

describe('A quarantined order', () => {
  it('places no child, and does not end at its end time', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1, { endAtMs: (rig.nowMs + 60_000) as EpochMs }));
    rig.accept(1, 1);
    rig.fill(1, 1, 5_000, 1);
    rig.rest();
    const sent = rig.venue.requests.length;
    for (let second = 0; second < 120; second += 1) {
      rig.quote({});
      rig.turn(1_000);
    }
    // Only the exchange knows whether the child still rests, so the service only requests its status.
    expect(new Set(rig.venue.requests.slice(sent).map(({ kind }) => kind))).toEqual(new Set(['QueryStatus']));
    expect(rig.state(1)).toMatchObject({ status: 'PARTIALLY_FILLED', endedAtMs: null });
  });

  it.each(['PauseParent', 'ResumeParent'] as const)('refuses %s with INVALID_ORDER', (kind) => {
    const rig = overfilled();
    const order = orderOf(1);
    const correlationId = rig.post({ kind, account: order.account, orderId: order.orderId });
    rig.rest();
    const answer = rig.main.messages.find((message) => message.kind === 'Refused');
    expect(answer).toMatchObject({ correlationId, rejection: { code: 'INVALID_ORDER' } });
    expect((answer as { rejection: { message: string } }).rejection.message).toContain('quarantined');
  });

  it('refuses an amendment with INVALID_ORDER', () => {
    const rig = overfilled();
    const order = withTerms(rig.state(1)!.order, { quantity: 2_000 as Lots, revision: 1 });
    rig.post({ kind: 'AmendParent', order });
    rig.rest();
    expect(rig.main.messages.filter(({ kind }) => kind === 'Refused')).toMatchObject([
      { rejection: { code: 'INVALID_ORDER' } },
    ]);
  });

  it("cancels at the client's request and ends when the exchange confirms", () => {
    const rig = overfilled();
    rig.cancel(1);
    rig.rest();
    expect(rig.state(1)?.status).toBe('PENDING_CANCEL');
    expect(rig.venue.requests.at(-1)).toMatchObject({ kind: 'Cancel', child: 1 });
    rig.end(1, 1, 40);
    rig.rest();
    expect(rig.state(1)).toMatchObject({
      status: 'CANCELLED',
      legs: [{ progress: { filled: 40 } }],
      outcome: { code: 'SYSTEM_ERROR' },
      quarantine: { isReleased: false },
    });
    expectReplayable(rig);
  });

  it('requests the status of each child after a release, cancels open children, and ends', () => {
    const rig = overfilled();
    rig.post({ kind: 'ReleaseParent', orderId: orderOf(1).orderId });
    rig.rest();
    expect(rig.venue.requests.at(-1)).toMatchObject({ kind: 'QueryStatus', child: 1 });
    rig.answer(1, 1, { state: 'OPEN', venueOrderId: venueIdOf(1) }, 40);
    rig.rest();
    expect(rig.venue.requests.at(-1)).toMatchObject({ kind: 'Cancel', child: 1 });
    rig.end(1, 1, 40);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', quarantine: { isReleased: true } });
    expect(rig.shard.openParentCount).toBe(0);
    expectReplayable(rig);
  });

  it.each([
    ['rests', { state: 'OPEN', venueOrderId: venueIdOf(1) }, 1],
    ['is filled', { state: 'FILLED', venueOrderId: venueIdOf(1) }, 0],
    ['is unknown', { state: 'UNKNOWN', knownSinceMs: 0 as EpochMs }, 0],
  ] as const)('ends with its overfilled child when the child %s at the exchange', (_, answer, cancels) => {
    const rig = partlyFilled();
    OVERFILL(rig);
    rig.rest();
    const sent = rig.venue.requests.length;
    rig.post({ kind: 'ReleaseParent', orderId: orderOf(1).orderId });
    rig.rest();
    expect(rig.state(1)).toMatchObject({
      status: 'PENDING_CANCEL',
      legs: [{ children: [{ progress: { filled: 1_100 } }] }],
    });
    rig.answer(1, 1, answer, 400);
    rig.rest();
    expect(rig.venue.requests.slice(sent).filter(({ kind }) => kind === 'Cancel')).toHaveLength(cancels);
    if (cancels > 0) rig.end(1, 1, 400);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', legs: [{ progress: { filled: 1_100 }, children: [] }] });
    expectReplayable(rig);
  });

  it('requests the status during a cancel before it accepts an impossible final report', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.accept(1, 1);
    rig.cancel(1);
    rig.rest();
    rig.end(1, 1, 2_000);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'PENDING_CANCEL', legs: [{ children: [{ state: 'UNKNOWN' }] }] });
    rig.answer(1, 1, { state: 'OPEN', venueOrderId: venueIdOf(1) });
    rig.rest();
    expect(rig.venue.requests.at(-1)).toMatchObject({ kind: 'Cancel', child: 1 });
    rig.end(1, 1);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', legs: [{ progress: { filled: 0 }, children: [] }] });
    expectReplayable(rig);
  });

  it('ends after a release although the exchange reports fills that never arrive', () => {
    const rig = overfilled();
    rig.post({ kind: 'ReleaseParent', orderId: orderOf(1).orderId });
    rig.rest();
    rig.answer(1, 1, { state: 'FILLED', venueOrderId: venueIdOf(1) }, 100);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', legs: [{ progress: { filled: 40 } }] });
  });

  it('ignores a second release, and a release of an ended order', () => {
    const rig = overfilled();
    for (let time = 0; time < 2; time += 1) rig.post({ kind: 'ReleaseParent', orderId: orderOf(1).orderId });
    rig.rest();
    expect(rig.kinds.filter((kind) => kind === 'ParentReleased')).toHaveLength(1);
    rig.answer(1, 1, { state: 'UNKNOWN', knownSinceMs: 0 as EpochMs });
    rig.rest();
    expect(rig.state(1)?.status).toBe('CANCELLED');
    rig.post({ kind: 'ReleaseParent', orderId: orderOf(1).orderId });
    rig.rest();
    expect(rig.main.messages.filter(({ kind }) => kind === 'Refused')).toEqual([]);
  });

  it('refuses a release of an order that is not quarantined', () => {
    const rig = partlyFilled();
    rig.post({ kind: 'ReleaseParent', orderId: orderOf(1).orderId });
    rig.rest();
    expect(rig.main.messages.at(-1)).toMatchObject({ kind: 'Refused', rejection: { code: 'INVALID_ORDER' } });
  });

  it('counts further fills, also above the quantity, and stays open', () => {
    const rig = overfilled();
    rig.fill(1, 1, 60, 2);
    rig.fill(1, 1, 950, 3);
    rig.rest();
    expect(rig.state(1)).toMatchObject({
      status: 'PARTIALLY_FILLED',
      legs: [{ progress: { filled: 1_050 }, children: [] }],
    });
    expect(rig.shard.openParentCount).toBe(1);
    expectReplayable(rig);
  });
});

describe('Prices', () => {
  it('accept a fill below the limit of a buy', () => {
    const rig = partlyFilled();
    fillWith(rig, { price: 6_398_000 as Ticks });
    rig.rest();
    expect(rig.state(1)).toMatchObject({ quarantine: null, legs: [{ progress: { filled: 500 } }] });
  });
});
