import { describe, expect, it } from 'vitest';
import type { EpochMs } from '../../src/model/time.js';
import { CONTRADICTIONS_PER_ORDER_MAX } from '../../src/model/limits.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { Rejection, RejectionCode } from '../../src/model/rejection.js';
import type { ExecutionReport } from '../../src/model/venue-message.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { decodeEvent, encodeState } from '../../src/wire/codec/index.js';
import type { ParentState } from '../../src/model/order.js';
import { orderOf } from './sample-orders.js';
import { ShardRig, venueIdOf } from './shard-rig.js';

const OTHER_ID = 'other' as ReturnType<typeof venueIdOf>;
const REASON = { code: 'EXCHANGE_ERROR', message: 'no' } as const;

/** An order of 1,000 lots with an open child, 400 of them filled. */
function partlyFilled(): ShardRig {
  const rig = new ShardRig();
  rig.work(orderOf(1));
  rig.accept(1, 1);
  rig.fill(1, 1, 400, 1);
  rig.rest();
  expect(rig.state(1)).toMatchObject({ status: 'PARTIALLY_FILLED', progress: { filled: 400 }, quarantine: null });
  return rig;
}

/** The fill of `rig.fill`, with some of its members changed. */
function fillWith(rig: ShardRig, change: object, child = 1): void {
  rig.fill(1, child, 100, 9);
  const report = rig.inbox.reports.at(-1) as Extract<ExecutionReport, { kind: 'Filled' }>;
  rig.inbox.reports[rig.inbox.reports.length - 1] = { ...report, fill: { ...report.fill, ...change } };
}

/** Every stored state is the fold of the journalled bytes of its order. */
function expectReplayable(rig: ShardRig): void {
  const states = new Map<number, ParentState>();
  for (const { bytes } of rig.journal.entries) {
    const envelope = decodeEvent(bytes);
    if (envelope.orderId === null || envelope.parent === null) continue;
    states.set(envelope.orderId, foldEnvelope(states.get(envelope.orderId) ?? null, envelope));
  }
  for (const [orderId, state] of states) {
    expect(Buffer.from(encodeState(state))).toEqual(Buffer.from(rig.journal.states.get(orderId as never)!));
  }
}

const OVERFILL = (rig: ShardRig): void => rig.fill(1, 1, 700, 2);

type Case = readonly [string, (rig: ShardRig) => void, string, number];

/** What the exchange says, the contradiction, and what is filled then. */
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
    'a fill of more lots than can be counted',
    (rig) => fillWith(rig, { quantity: Number.MAX_SAFE_INTEGER }),
    'UNUSABLE_REPORT',
    400,
  ],
  ['a fill at no price', (rig) => fillWith(rig, { price: Number.NaN }), 'UNUSABLE_REPORT', 400],
  ['a fill of a child number that cannot be', (rig) => fillWith(rig, {}, -1), 'UNUSABLE_REPORT', 400],
  ['a fill of an unknown liquidity', (rig) => fillWith(rig, { liquidity: 'NEITHER' }), 'UNUSABLE_REPORT', 400],
  ['a fill with a fee of 63 digits', (rig) => fillWith(rig, { fee: 10n ** 62n }), 'UNUSABLE_REPORT', 400],
  [
    'a report that could not be read on its way',
    (rig) => rig.report(1, 1, { kind: 'Unreadable', detail: 'a fill of nothing' }),
    'UNUSABLE_REPORT',
    400,
  ],
  ['an end with a filled quantity that is no number', (rig) => rig.end(1, 1, Number.NaN), 'UNUSABLE_REPORT', 400],
];

describe('A contradictory report', () => {
  it.each(GRAVE)('quarantines the order and keeps the fact: %s', (_, say, contradiction, filled) => {
    const rig = partlyFilled();
    const sent = rig.venue.requests.length;
    say(rig);
    rig.rest();
    const state = rig.state(1);
    expect(state).toMatchObject({
      progress: { filled },
      quarantine: { reason: 'CONTRADICTORY_REPORT', sinceMs: rig.nowMs },
    });
    expect(state?.quarantine?.detail).toContain(contradiction);
    expect(state?.status).toBe('PARTIALLY_FILLED');
    expect(rig.kinds).toContain('ReportContradicted');
    expect(rig.venue.requests.slice(sent).filter(({ kind }) => kind === 'Submit')).toEqual([]);
    expect(rig.main.messages.at(-1)).toMatchObject({ envelope: { parent: { quarantine: { isReleased: false } } } });
    expectReplayable(rig);
    rig.restart();
    rig.rest();
    expect(rig.state(1)).toMatchObject({ progress: { filled }, quarantine: { reason: 'CONTRADICTORY_REPORT' } });
    expect(rig.kinds.filter((kind) => kind === 'ParentQuarantined')).toHaveLength(1);
  });

  it('is recorded and not counted when a fill names the other side', () => {
    const rig = partlyFilled();
    rig.fill(1, 1, 100, 2);
    rig.inbox.reports.push({ ...(rig.inbox.reports.pop() as ExecutionReport & { kind: 'Filled' }), side: 'SELL' });
    rig.rest();
    expect(rig.state(1)).toMatchObject({ progress: { filled: 400 }, quarantine: { reason: 'CONTRADICTORY_REPORT' } });
  });

  it.each([
    ['refuses a child that has fills', (rig: ShardRig) => rig.report(1, 1, { kind: 'Rejected', rejection: REASON })],
    [
      'says of an open child that less is filled',
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
  ])('is a warning when the exchange %s', (_, say) => {
    const rig = partlyFilled();
    say(rig);
    rig.rest();
    expect(rig.kinds.filter((kind) => kind === 'ReportContradicted')).toHaveLength(1);
    expect(rig.state(1)).toMatchObject({ quarantine: null, progress: { filled: 400 } });
  });

  it.each([
    ['refuses a child', (rig: ShardRig, rejection: Rejection) => rig.report(1, 1, { kind: 'Rejected', rejection })],
    [
      'says after a restart that it refused a child',
      (rig: ShardRig, rejection: Rejection) => {
        rig.restart();
        rig.rest();
        rig.answer(1, 1, { state: 'REJECTED', rejection });
      },
    ],
  ])('is none when the exchange %s for a reason with an unknown code', (_, say) => {
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

  it('of an order that was never accepted is recorded', () => {
    const rig = new ShardRig();
    rig.create(orderOf(1));
    rig.fill(1, 3, 10, 1);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'PENDING_NEW', progress: { filled: 10 }, lateFills: 1 });
    expectReplayable(rig);
  });

  it('is journalled a bounded number of times for one order, and its fills always', () => {
    const rig = partlyFilled();
    const reports = CONTRADICTIONS_PER_ORDER_MAX + 20;
    for (let trade = 0; trade < reports; trade += 1) rig.fill(1, 7, 1, 100 + trade);
    rig.rest();
    expect(rig.kinds.filter((kind) => kind === 'ReportContradicted')).toHaveLength(CONTRADICTIONS_PER_ORDER_MAX);
    expect(rig.state(1)?.progress.filled).toBe(400 + reports);
  });

  it('does not touch the other orders of the turn', () => {
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

it('Three contradictory reports among those on 2,000 orders quarantine three orders', () => {
  const faults: string[] = [];
  const rig = new ShardRig({ shard: 0, shardCount: 1, onFault: (line) => faults.push(line) });
  const ids = Array.from({ length: 2_000 }, (_, index) => index + 1);
  const sick = [7, 1_000, 2_000];
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
  it('places no child and does not end when its time passes', () => {
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
    // Only its exchange knows whether the child still rests: the service asks, and does nothing else.
    expect(new Set(rig.venue.requests.slice(sent).map(({ kind }) => kind))).toEqual(new Set(['Query']));
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
    const order = { ...rig.state(1)!.order, quantity: 2_000 as Lots, revision: 1 };
    rig.post({ kind: 'AmendParent', order });
    rig.rest();
    expect(rig.main.messages.filter(({ kind }) => kind === 'Refused')).toMatchObject([
      { rejection: { code: 'INVALID_ORDER' } },
    ]);
  });

  it('is cancelled by its client, and ends with its facts once the exchange confirms', () => {
    const rig = overfilled();
    rig.cancel(1);
    rig.rest();
    expect(rig.state(1)?.status).toBe('PENDING_CANCEL');
    expect(rig.venue.requests.at(-1)).toMatchObject({ kind: 'Cancel', child: 1 });
    rig.end(1, 1, 40);
    rig.rest();
    expect(rig.state(1)).toMatchObject({
      status: 'CANCELLED',
      progress: { filled: 40 },
      outcome: { code: 'SYSTEM_ERROR' },
      quarantine: { isReleased: false },
    });
    expectReplayable(rig);
  });

  it('is released: each child is asked for, withdrawn where it lives, and the order ends', () => {
    const rig = overfilled();
    rig.post({ kind: 'ReleaseParent', orderId: orderOf(1).orderId });
    rig.rest();
    expect(rig.venue.requests.at(-1)).toMatchObject({ kind: 'Query', child: 1 });
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
    ['is not known', { state: 'UNKNOWN' }, 0],
  ] as const)(
    'with a child that is overfilled here and at its exchange %s, ends once the child has',
    (_, answer, cancels) => {
      const rig = partlyFilled();
      OVERFILL(rig);
      rig.rest();
      const sent = rig.venue.requests.length;
      rig.post({ kind: 'ReleaseParent', orderId: orderOf(1).orderId });
      rig.rest();
      expect(rig.state(1)).toMatchObject({ status: 'PENDING_CANCEL', children: [{ progress: { filled: 1_100 } }] });
      rig.answer(1, 1, answer, 400);
      rig.rest();
      expect(rig.venue.requests.slice(sent).filter(({ kind }) => kind === 'Cancel')).toHaveLength(cancels);
      if (cancels > 0) rig.end(1, 1, 400);
      rig.rest();
      expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', progress: { filled: 1_100 }, children: [] });
      expectReplayable(rig);
    },
  );

  it('that is being cancelled asks its exchange before it believes an end that cannot be', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.accept(1, 1);
    rig.cancel(1);
    rig.rest();
    rig.end(1, 1, 2_000);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'PENDING_CANCEL', children: [{ state: 'UNKNOWN' }] });
    rig.answer(1, 1, { state: 'OPEN', venueOrderId: venueIdOf(1) });
    rig.rest();
    expect(rig.venue.requests.at(-1)).toMatchObject({ kind: 'Cancel', child: 1 });
    rig.end(1, 1);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', progress: { filled: 0 }, children: [] });
    expectReplayable(rig);
  });

  it('ends by a release although the exchange insists on fills that never come', () => {
    const rig = overfilled();
    rig.post({ kind: 'ReleaseParent', orderId: orderOf(1).orderId });
    rig.rest();
    rig.answer(1, 1, { state: 'FILLED', venueOrderId: venueIdOf(1) }, 100);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', progress: { filled: 40 } });
  });

  it('is released once: a second release and one of an ended order change nothing', () => {
    const rig = overfilled();
    for (let time = 0; time < 2; time += 1) rig.post({ kind: 'ReleaseParent', orderId: orderOf(1).orderId });
    rig.rest();
    expect(rig.kinds.filter((kind) => kind === 'ParentReleased')).toHaveLength(1);
    rig.answer(1, 1, { state: 'UNKNOWN' });
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

  it('counts its further fills, also beyond the quantity, and stays open', () => {
    const rig = overfilled();
    rig.fill(1, 1, 60, 2);
    rig.fill(1, 1, 950, 3);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'PARTIALLY_FILLED', progress: { filled: 1_050 }, children: [] });
    expect(rig.shard.openParentCount).toBe(1);
    expectReplayable(rig);
  });
});

describe('Prices', () => {
  it('below the limit of a buy contradict nothing', () => {
    const rig = partlyFilled();
    fillWith(rig, { price: 6_398_000 as Ticks });
    rig.rest();
    expect(rig.state(1)).toMatchObject({ quarantine: null, progress: { filled: 500 } });
  });
});
