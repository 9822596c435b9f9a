import { describe, expect, it } from 'vitest';
import type { AdoptedChild } from '../../src/model/command.js';
import type { ChildNumber } from '../../src/model/ids.js';
import { ADOPTED, type ChildOrder } from '../../src/model/order.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import { childRoomOf, restoreRecord } from '../../src/model/restore.js';
import type { EpochMs } from '../../src/model/time.js';
import type { VenueRequest } from '../../src/model/venue-message.js';
import { pairOf } from '../model/sample-pair.js';
import { BTC, OKX_BTC, orderOf, START_MS } from '../shard/sample-orders.js';
import { ShardRig, venueIdOf } from '../shard/shard-rig.js';

const EPOCH = START_MS + 1;
const RESTORED = { shard: 0, shardCount: 1, restore: { epoch: EPOCH, exempt: [] } };

/** A child that an exchange has and the backup does not. */
function adopted(child: number, quantity: number, change: Partial<ChildOrder> = {}): AdoptedChild {
  return {
    venueOrderId: venueIdOf(child),
    order: {
      child: child as ChildNumber,
      side: 'BUY',
      quantity: quantity as Lots,
      type: 'LIMIT',
      timeInForce: 'GTC',
      limitPrice: 6_399_000 as Ticks,
      postOnly: false,
      reduceOnly: false,
      submittedAtMs: START_MS,
      reason: { code: ADOPTED, detail: '' },
      ...change,
    },
  };
}

/** An order of 1,000 lots with one child at its exchange, restored from a backup. */
function restored(): ShardRig {
  const rig = new ShardRig(RESTORED);
  rig.work(orderOf(1));
  rig.accept(1, 1);
  rig.rest();
  rig.restart();
  rig.rest();
  return rig;
}

function reconcile(rig: ShardRig, children: readonly AdoptedChild[], childRoom: number | null = 100): void {
  const { account, orderId } = orderOf(1);
  rig.post({ kind: 'ReconcileParent', account, orderId, children, childRoom });
  rig.rest();
}

function sent(requests: readonly VenueRequest[], kind: VenueRequest['kind']): number[] {
  return requests.flatMap((request) => (request.kind === kind && 'child' in request ? request.child : []));
}

describe('A restored order', () => {
  it('asks for nothing, places nothing and does not end before its exchanges have been listed', () => {
    const rig = restored();
    expect(rig.state(1)).toMatchObject({ epoch: EPOCH, isReconciling: true, children: [{ state: 'UNKNOWN' }] });
    rig.cancel(1);
    rig.rest();
    expect(rig.state(1)?.status).toBe('PENDING_CANCEL');
    expect(rig.venue.requests).toEqual([]);
  });

  it('does not expire before it is reconciled, and expires then', () => {
    const rig = new ShardRig(RESTORED);
    rig.work(orderOf(1, { endAtMs: (START_MS + 1_000) as EpochMs }));
    rig.restart();
    rig.turn(2_000);
    rig.rest();
    expect(rig.state(1)?.isReconciling).toBe(true);
    reconcile(rig, []);
    rig.answer(1, 1, { state: 'UNKNOWN' });
    rig.rest();
    expect(rig.state(1)?.status).toBe('EXPIRED');
  });

  it('adopts a child that has traded: its fills count once, and it ends', () => {
    const rig = restored();
    reconcile(rig, [adopted(2, 40)]);
    expect(sent(rig.venue.requests, 'Query')).toEqual([1, 2]);
    rig.fill(1, 2, 40, 7);
    rig.fill(1, 2, 40, 7);
    rig.answer(1, 2, { state: 'CANCELLED', venueOrderId: venueIdOf(2), cause: null }, 40);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ progress: { filled: 40 }, lateFills: 0, isReconciling: false });
    expect(rig.state(1)?.children.map(({ order }) => order.child)).toEqual([1]);
  });

  it('withdraws an adopted child that rests', () => {
    const rig = restored();
    reconcile(rig, [adopted(2, 100)]);
    rig.answer(1, 2, { state: 'OPEN', venueOrderId: venueIdOf(2) });
    rig.rest();
    expect(sent(rig.venue.requests, 'Cancel')).toEqual([2]);
  });

  it('numbers its next child above those that lost futures may have used', () => {
    const rig = restored();
    reconcile(rig, [adopted(2, 40), adopted(9, 10)], 1_000);
    for (const child of [1, 2, 9]) {
      rig.answer(1, child, { state: 'CANCELLED', venueOrderId: venueIdOf(child), cause: null });
    }
    rig.turn(60_000);
    rig.quote({});
    rig.rest();
    expect(sent(rig.venue.requests, 'Submit')).toEqual([1_010]);
  });

  it('takes the same children twice, as after a restart in the middle', () => {
    const rig = restored();
    reconcile(rig, [adopted(2, 40)], null);
    rig.restart();
    rig.rest();
    expect(rig.state(1)).toMatchObject({ isReconciling: true, childCount: 2 });
    reconcile(rig, [adopted(2, 40), adopted(3, 10)]);
    reconcile(rig, [adopted(2, 40), adopted(3, 10)]);
    expect(rig.state(1)?.children.map(({ order }) => order.child)).toEqual([1, 2, 3]);
    expect(rig.state(1)?.childCount).toBe(103);
  });

  it('is complete when what its exchange knows fills it', () => {
    const rig = restored();
    const { quantity } = orderOf(1);
    reconcile(rig, [adopted(2, quantity)]);
    rig.fill(1, 2, quantity, 7);
    rig.answer(1, 1, { state: 'UNKNOWN' });
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'FILLED', progress: { filled: quantity }, children: [] });
  });

  it('records more fills than it was for, and children outside of its limit, as facts', () => {
    const rig = restored();
    const { quantity } = orderOf(1);
    reconcile(rig, [adopted(2, quantity, { limitPrice: 7_000_000 as Ticks }), adopted(3, 50)]);
    rig.fill(1, 2, quantity, 7);
    rig.fill(1, 3, 50, 8);
    rig.rest();
    expect(rig.state(1)?.progress.filled).toBe(quantity + 50);
  });

  it('was admitted when its exchange has taken a child of it, and starts when trading goes on', () => {
    const rig = new ShardRig(RESTORED);
    rig.create(orderOf(1));
    rig.restart();
    rig.rest();
    reconcile(rig, [adopted(1, 40)]);
    rig.fill(1, 1, 40, 7);
    rig.rest();
    rig.fund();
    rig.quote({});
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'PARTIALLY_FILLED', progress: { filled: 40 } });
    expect(sent(rig.venue.requests, 'Submit')).toEqual([102]);
  });

  it('of an account that trades again is left alone', () => {
    const rig = new ShardRig({ ...RESTORED, restore: { epoch: EPOCH, exempt: [orderOf(1).account] } });
    rig.work(orderOf(1));
    rig.restart();
    rig.rest();
    expect(rig.state(1)).toMatchObject({ epoch: 0, isReconciling: false });
  });

  it('that is a pair keeps the numbers of its legs apart', () => {
    const rig = new ShardRig(RESTORED);
    rig.quote({}, OKX_BTC);
    rig.create(pairOf(orderOf(1), 'OKX', { instrument: OKX_BTC.index, limitPrice: null }));
    rig.fund();
    rig.fund('alice', { venue: 'OKX' });
    rig.rest();
    rig.restart();
    rig.rest();
    reconcile(rig, [adopted(3, 10), adopted(2, 10, { side: 'SELL' })]);
    expect(rig.state(1)).toMatchObject({ childCount: 102, follower: { childCount: 101 } });
    rig.fill(1, 3, 10, 1);
    rig.fillAt('OKX', 1, 2, 10, 2);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ progress: { filled: 10 }, follower: { progress: { filled: 10 } } });
    expect(BTC.venue).toBe('BINANCE');
  });
});

describe('A restored order that is quarantined', () => {
  it('is reconciled as others are, and keeps its quarantine', () => {
    const rig = new ShardRig(RESTORED);
    rig.work(orderOf(1));
    rig.accept(1, 1);
    rig.report(1, 1, { kind: 'Accepted', venueOrderId: venueIdOf(77) });
    rig.rest();
    rig.restart();
    rig.rest();
    expect(rig.state(1)).toMatchObject({ epoch: EPOCH, isReconciling: true });
    reconcile(rig, [adopted(2, 40)]);
    expect(sent(rig.venue.requests, 'Query')).toEqual([1, 2]);
    rig.fill(1, 2, 40, 7);
    rig.rest();
    expect(rig.state(1)).toMatchObject({
      isReconciling: false,
      progress: { filled: 40 },
      quarantine: { reason: 'CONTRADICTORY_REPORT' },
    });
    expect(rig.state(1)?.childCount).toBe(102);
    expect(sent(rig.venue.requests, 'Submit')).toEqual([]);
    expect(sent(rig.venue.requests, 'Cancel')).toEqual([]);
  });

  it('is reconciled when the quarantine came before its exchanges were listed', () => {
    const rig = restored();
    rig.report(1, 1, { kind: 'Accepted', venueOrderId: venueIdOf(77) });
    rig.rest();
    expect(rig.state(1)).toMatchObject({ isReconciling: true, quarantine: { reason: 'CONTRADICTORY_REPORT' } });
    reconcile(rig, []);
    expect(rig.state(1)?.isReconciling).toBe(false);
  });

  it('ends by a release once its children have ended', () => {
    const rig = restored();
    rig.report(1, 1, { kind: 'Accepted', venueOrderId: venueIdOf(77) });
    reconcile(rig, [adopted(2, 40)]);
    rig.post({ kind: 'ReleaseParent', orderId: orderOf(1).orderId });
    rig.rest();
    rig.answer(1, 2, { state: 'OPEN', venueOrderId: venueIdOf(2) });
    rig.answer(1, 1, { state: 'UNKNOWN' });
    rig.rest();
    expect(sent(rig.venue.requests, 'Cancel')).toEqual([2]);
    rig.end(1, 2);
    rig.rest();
    expect(rig.state(1)?.status).toBe('CANCELLED');
  });

  it('released before its reconciliation, waits for it and counts what it brings', () => {
    const rig = restored();
    rig.report(1, 1, { kind: 'Accepted', venueOrderId: venueIdOf(77) });
    rig.answer(1, 1, { state: 'UNKNOWN' });
    rig.rest();
    rig.post({ kind: 'ReleaseParent', orderId: orderOf(1).orderId });
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'PENDING_CANCEL', isReconciling: true, children: [] });
    reconcile(rig, [adopted(2, 40)]);
    rig.fill(1, 2, 40, 7);
    rig.answer(1, 2, { state: 'CANCELLED', venueOrderId: venueIdOf(2), cause: null }, 40);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', progress: { filled: 40 }, lateFills: 0 });
  });
});

describe('The child numbers that a restore leaves out', () => {
  it('are more for each second since the backup, so that two restores never meet', () => {
    const first = childRoomOf(10_000);
    const second = childRoomOf(20_000);
    expect(second - first).toBeGreaterThanOrEqual(10 * 60);
    expect(childRoomOf(-5)).toBe(1_024);
    expect(2 * childRoomOf(365 * 24 * 3600 * 1000)).toBeLessThan(2 ** 32);
  });
});

describe('The record of a restore', () => {
  const times = { nowMs: 9_000, backupAtMs: 8_000, backupServiceMs: 7_000 };
  const before = {
    ...restoreRecord(null, { nowMs: 5_000, backupAtMs: 4_000, backupServiceMs: 3_000 }),
    childRoom: 100,
  };

  it('has an epoch above every earlier one', () => {
    expect(restoreRecord(null, times)).toMatchObject({ epoch: 9_000, isHalted: true, childRoom: null });
    expect(restoreRecord({ ...before, epoch: 20_000 }, times).epoch).toBe(20_001);
  });

  it('keeps the time since which exchanges are asked when the restore before had not ended at the backup', () => {
    expect(restoreRecord(before, times).backupServiceMs).toBe(3_000);
    expect(restoreRecord({ ...before, isHalted: false }, times).backupServiceMs).toBe(7_000);
    expect(restoreRecord(before, { ...times, backupServiceMs: 2_000 }).backupServiceMs).toBe(2_000);
  });
});
