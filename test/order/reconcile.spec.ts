import { describe, expect, it } from 'vitest';
import type { AdoptedChild } from '../../src/domain/command.js';
import type { ChildNumber } from '../../src/domain/ids.js';
import { ADOPTED, type ChildOrder } from '../../src/domain/order-state.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import { childRoomOf, restoreRecord } from '../../src/domain/restore.js';
import type { EpochMs } from '../../src/domain/time.js';
import type { VenueRequest } from '../../src/domain/venue-message.js';
import { ExecutedOrder } from '../../src/tca/executed-order.js';
import { pairOf } from '../domain/sample-pair.js';
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
      leg: 0,
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
  it('sends and places nothing and does not end before its exchanges are listed', () => {
    const rig = restored();
    expect(rig.state(1)).toMatchObject({
      epoch: EPOCH,
      isReconciling: true,
      legs: [{ children: [{ state: 'UNKNOWN' }] }],
    });
    rig.cancel(1);
    rig.rest();
    expect(rig.state(1)?.status).toBe('PENDING_CANCEL');
    expect(rig.venue.requests).toEqual([]);
  });

  it('does not expire before its reconciliation, and expires after it', () => {
    const rig = new ShardRig(RESTORED);
    rig.work(orderOf(1, { endAtMs: (START_MS + 1_000) as EpochMs }));
    rig.restart();
    rig.turn(2_000);
    rig.rest();
    expect(rig.state(1)?.isReconciling).toBe(true);
    reconcile(rig, []);
    rig.answer(1, 1, { state: 'UNKNOWN', knownSinceMs: 0 as EpochMs });
    rig.rest();
    expect(rig.state(1)?.status).toBe('EXPIRED');
  });

  it('adopts a child with fills: its fills count once, and the child ends', () => {
    const rig = restored();
    reconcile(rig, [adopted(2, 40)]);
    expect(sent(rig.venue.requests, 'QueryStatus')).toEqual([1, 2]);
    rig.fill(1, 2, 40, 7);
    rig.fill(1, 2, 40, 7);
    rig.answer(1, 2, { state: 'CANCELLED', venueOrderId: venueIdOf(2), cause: null }, 40);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ legs: [{ progress: { filled: 40 } }], lateFills: 0, isReconciling: false });
    expect(rig.state(1)?.legs[0].children.map(({ order }) => order.child)).toEqual([1]);
    const executed = new ExecutedOrder();
    for (const { envelope } of rig.journal.entries) if (envelope.orderId === 1) executed.append(envelope);
    expect(executed.legs()[0]?.children).toMatchObject({ sent: 2, filled: 1 });
  });

  it('ignores reports on a child before its adoption, and counts its fills once after it', () => {
    const rig = restored();
    const events = rig.journal.entries.length;
    rig.accept(1, 2);
    rig.fill(1, 2, 15, 7);
    rig.end(1, 3, 10);
    rig.report(1, 4, { kind: 'Unreadable', detail: 'a fill of half a lot' });
    rig.rest();
    expect(rig.journal.entries).toHaveLength(events);
    reconcile(rig, [adopted(2, 40), adopted(3, 10)]);
    rig.fill(1, 2, 15, 7);
    rig.fill(1, 2, 25, 8);
    rig.answer(1, 2, { state: 'CANCELLED', venueOrderId: venueIdOf(2), cause: null }, 40);
    rig.fill(1, 3, 10, 9);
    rig.rest();
    expect(rig.state(1)).toMatchObject({
      quarantine: null,
      contradictions: 0,
      isReconciling: false,
      legs: [{ progress: { filled: 50 } }],
    });
  });

  it('ignores such reports also when they come before the first turn after the start', () => {
    const rig = new ShardRig(RESTORED);
    rig.work(orderOf(1));
    rig.accept(1, 1);
    rig.rest();
    rig.restart();
    rig.accept(1, 2);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ quarantine: null, contradictions: 0, isReconciling: true });
  });

  it('is quarantined by a child that no exchange has listed, once it is reconciled', () => {
    const rig = restored();
    reconcile(rig, []);
    rig.accept(1, 200);
    rig.rest();
    expect(rig.state(1)?.quarantine).toMatchObject({ reason: 'CONTRADICTORY_REPORT' });
  });

  it('cancels an adopted child that rests', () => {
    const rig = restored();
    reconcile(rig, [adopted(2, 100)]);
    rig.answer(1, 2, { state: 'OPEN', venueOrderId: venueIdOf(2) });
    rig.rest();
    expect(sent(rig.venue.requests, 'Cancel')).toEqual([2]);
  });

  it('numbers its next child above the numbers that a lost continuation may have used', () => {
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

  it('ignores a repeated list of children, as after a restart in between', () => {
    const rig = restored();
    reconcile(rig, [adopted(2, 40)], null);
    rig.restart();
    rig.rest();
    expect(rig.state(1)).toMatchObject({ isReconciling: true, legs: [{ childCount: 2 }] });
    reconcile(rig, [adopted(2, 40), adopted(3, 10)]);
    reconcile(rig, [adopted(2, 40), adopted(3, 10)]);
    expect(rig.state(1)?.legs[0].children.map(({ order }) => order.child)).toEqual([1, 2, 3]);
    expect(rig.state(1)?.legs[0].childCount).toBe(103);
  });

  it('is FILLED when adopted fills complete it', () => {
    const rig = restored();
    const [{ quantity }] = orderOf(1).legs;
    reconcile(rig, [adopted(2, quantity)]);
    rig.fill(1, 2, quantity, 7);
    rig.answer(1, 1, { state: 'UNKNOWN', knownSinceMs: 0 as EpochMs });
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'FILLED', legs: [{ progress: { filled: quantity }, children: [] }] });
  });

  it('records fills beyond its quantity and children outside its limit as facts', () => {
    const rig = restored();
    const [{ quantity }] = orderOf(1).legs;
    reconcile(rig, [adopted(2, quantity, { limitPrice: 7_000_000 as Ticks }), adopted(3, 50)]);
    rig.fill(1, 2, quantity, 7);
    rig.fill(1, 3, 50, 8);
    rig.rest();
    expect(rig.state(1)?.legs[0].progress.filled).toBe(quantity + 50);
  });

  it('is accepted when its exchange has a child of it, and starts when trading resumes', () => {
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
    expect(rig.state(1)).toMatchObject({ status: 'PARTIALLY_FILLED', legs: [{ progress: { filled: 40 } }] });
    expect(sent(rig.venue.requests, 'Submit')).toEqual([102]);
  });

  it('is not reconciled again when its account trades again', () => {
    const rig = new ShardRig({ ...RESTORED, restore: { epoch: EPOCH, exempt: [orderOf(1).account] } });
    rig.work(orderOf(1));
    rig.restart();
    rig.rest();
    expect(rig.state(1)).toMatchObject({ epoch: 0, isReconciling: false });
  });

  it('continues one sequence of child numbers for both legs of a pair', () => {
    const rig = new ShardRig(RESTORED);
    rig.quote({}, OKX_BTC);
    rig.create(pairOf(orderOf(1), 'OKX', { instrument: OKX_BTC.index, limitPrice: null }));
    rig.fund();
    rig.fund('alice', { venue: 'OKX' });
    rig.rest();
    rig.restart();
    rig.rest();
    reconcile(rig, [adopted(2, 10, { side: 'SELL' }), adopted(3, 10, { leg: 1 })]);
    expect(rig.state(1)?.legs.map(({ childCount }) => childCount)).toEqual([101, 102]);
    rig.fill(1, 3, 10, 1);
    rig.at('OKX', () => rig.fill(1, 2, 10, 2));
    rig.rest();
    expect(rig.state(1)).toMatchObject({ legs: [{ progress: { filled: 10 } }, { progress: { filled: 10 } }] });
    expect(BTC.venue).toBe('BINANCE');
  });
});

describe('A restored order that is quarantined', () => {
  it('is reconciled as other orders and stays quarantined', () => {
    const rig = new ShardRig(RESTORED);
    rig.work(orderOf(1));
    rig.accept(1, 1);
    rig.report(1, 1, { kind: 'Accepted', venueOrderId: venueIdOf(77) });
    rig.rest();
    rig.restart();
    rig.rest();
    expect(rig.state(1)).toMatchObject({ epoch: EPOCH, isReconciling: true });
    reconcile(rig, [adopted(2, 40)]);
    expect(sent(rig.venue.requests, 'QueryStatus')).toEqual([1, 2]);
    rig.fill(1, 2, 40, 7);
    rig.rest();
    expect(rig.state(1)).toMatchObject({
      isReconciling: false,
      legs: [{ progress: { filled: 40 } }],
      quarantine: { reason: 'CONTRADICTORY_REPORT' },
    });
    expect(rig.state(1)?.legs[0].childCount).toBe(102);
    expect(sent(rig.venue.requests, 'Submit')).toEqual([]);
    expect(sent(rig.venue.requests, 'Cancel')).toEqual([]);
  });

  it('is reconciled also when it was quarantined before its exchanges were listed', () => {
    const rig = restored();
    rig.report(1, 1, { kind: 'Accepted', venueOrderId: venueIdOf(77) });
    rig.rest();
    expect(rig.state(1)).toMatchObject({ isReconciling: true, quarantine: { reason: 'CONTRADICTORY_REPORT' } });
    reconcile(rig, []);
    expect(rig.state(1)?.isReconciling).toBe(false);
  });

  it('ends after a release when its children have ended', () => {
    const rig = restored();
    rig.report(1, 1, { kind: 'Accepted', venueOrderId: venueIdOf(77) });
    reconcile(rig, [adopted(2, 40)]);
    rig.post({ kind: 'ReleaseParent', orderId: orderOf(1).orderId });
    rig.rest();
    rig.answer(1, 2, { state: 'OPEN', venueOrderId: venueIdOf(2) });
    rig.answer(1, 1, { state: 'UNKNOWN', knownSinceMs: 0 as EpochMs });
    rig.rest();
    expect(sent(rig.venue.requests, 'Cancel')).toEqual([2]);
    rig.end(1, 2);
    rig.rest();
    expect(rig.state(1)?.status).toBe('CANCELLED');
  });

  it('waits for its reconciliation after an early release and counts adopted fills', () => {
    const rig = restored();
    rig.report(1, 1, { kind: 'Accepted', venueOrderId: venueIdOf(77) });
    rig.answer(1, 1, { state: 'UNKNOWN', knownSinceMs: 0 as EpochMs });
    rig.rest();
    rig.post({ kind: 'ReleaseParent', orderId: orderOf(1).orderId });
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'PENDING_CANCEL', isReconciling: true, legs: [{ children: [] }] });
    reconcile(rig, [adopted(2, 40)]);
    rig.fill(1, 2, 40, 7);
    rig.answer(1, 2, { state: 'CANCELLED', venueOrderId: venueIdOf(2), cause: null }, 40);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', legs: [{ progress: { filled: 40 } }], lateFills: 0 });
  });
});

describe('The child numbers that a restore skips', () => {
  it('increase with each second since the backup, so that two restores use different numbers', () => {
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

  it('has an epoch above every earlier epoch', () => {
    expect(restoreRecord(null, times)).toMatchObject({ epoch: 9_000, isHalted: true, childRoom: null });
    expect(restoreRecord({ ...before, epoch: 20_000 }, times).epoch).toBe(20_001);
  });

  it('keeps the earlier backup time when the backup was made during an unfinished restore', () => {
    expect(restoreRecord(before, times).backupServiceMs).toBe(3_000);
    expect(restoreRecord({ ...before, isHalted: false }, times).backupServiceMs).toBe(7_000);
    expect(restoreRecord(before, { ...times, backupServiceMs: 2_000 }).backupServiceMs).toBe(2_000);
  });
});
