import type { OrderId } from '../../src/domain/ids.js';
import type { ParentOrder } from '../../src/domain/order.js';
import type { Strategy } from '../../src/strategy/strategy.js';
import { describe, expect, it } from 'vitest';
import { JournalFailure, type TurnJournal } from '../../src/journal/port.js';
import { strategyFor } from '../../src/strategy/registry.js';
import { encodeState } from '../../src/wire/codec/state.js';
import { orderOf } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';

/** Order 1 has a strategy that throws after `after` calls. The other orders have their own strategies. */
function rigWithBadStrategy(after = 0): { rig: ShardRig; looks: () => number } {
  let looks = 0;
  const bad = (order: ParentOrder): Strategy => {
    const good = strategyFor(order)!;
    return {
      ...good,
      begin: (view) => good.begin(view),
      work: (view) => {
        looks += 1;
        if (looks > after) throw new Error('the strategy divides by nothing');
        return good.work(view);
      },
    };
  };
  const rig = new ShardRig({
    shard: 0,
    shardCount: 1,
    strategyFor: (order) => (order.orderId === 1 ? bad(order) : strategyFor(order)),
  });
  return { rig, looks: () => looks };
}

describe('An order whose strategy throws', () => {
  it('is quarantined once, and the other orders of the shard continue', () => {
    const { rig, looks } = rigWithBadStrategy();
    rig.work(orderOf(1));
    rig.work(orderOf(2));
    expect(rig.state(1)).toMatchObject({
      status: 'PENDING_NEW',
      legs: [{ childCount: 0 }],
      quarantine: { reason: 'UNEXPECTED_ERROR' },
    });
    expect(rig.state(1)?.quarantine?.detail).toContain('divides by nothing');
    expect(rig.state(2)).toMatchObject({ status: 'ACCEPTED', legs: [{ childCount: 1 }], quarantine: null });
    for (let second = 0; second < 60; second += 1) {
      rig.quote({});
      rig.turn(1_000);
    }
    expect(looks()).toBe(1);
    expect(rig.kinds.filter((kind) => kind === 'ParentQuarantined')).toHaveLength(1);
  });

  it('leaves nothing of the failed work in the journal or at the exchange', () => {
    const { rig } = rigWithBadStrategy();
    rig.work(orderOf(1));
    // The strategy began the order before it threw.
    expect(rig.kinds).toEqual(['ParentCreated', 'ParentQuarantined']);
    expect(rig.venue.requests.filter((request) => 'child' in request)).toEqual([]);
  });

  it('keeps its child at the exchange and counts its fills', () => {
    const { rig } = rigWithBadStrategy(1);
    rig.work(orderOf(1));
    rig.accept(1, 1);
    rig.fill(1, 1, 300, 1);
    rig.rest();
    expect(rig.state(1)).toMatchObject({
      legs: [{ progress: { filled: 300 }, children: [{ state: 'OPEN' }] }],
      quarantine: { reason: 'UNEXPECTED_ERROR' },
    });
    rig.fill(1, 1, 200, 2);
    rig.rest();
    expect(rig.state(1)?.legs[0].progress.filled).toBe(500);
    expect(rig.venue.requests.filter(({ kind }) => kind === 'Cancel')).toEqual([]);
  });

  it('stays quarantined after a restart, without another call of the strategy', () => {
    const { rig, looks } = rigWithBadStrategy();
    rig.work(orderOf(1));
    rig.restart();
    rig.rest();
    rig.quote({});
    rig.turn(5_000);
    expect(looks()).toBe(1);
    expect(rig.state(1)?.quarantine?.reason).toBe('UNEXPECTED_ERROR');
  });

  it('answers a command in the same turn', () => {
    const { rig } = rigWithBadStrategy();
    rig.work(orderOf(1));
    const correlationId = rig.cancel(1);
    rig.rest();
    expect(rig.state(1)?.status).toBe('CANCELLED');
    expect(rig.main.messages).toContainEqual(expect.objectContaining({ kind: 'Published', correlationId }));
  });
});

describe('A broken state in the store', () => {
  it('quarantines its order at the start and no other order', () => {
    const rig = new ShardRig();
    for (const id of [1, 2]) rig.work(orderOf(id));
    const sane = rig.state(1)!;
    const [child] = sane.legs[0].children;
    breakState(rig, 1, { ...sane, legs: [{ ...sane.legs[0], children: [child!, child!] }] });
    rig.restart();
    rig.rest();
    expect(rig.state(1)?.quarantine?.reason).toBe('BROKEN_INVARIANT');
    expect(rig.state(2)).toMatchObject({ status: 'ACCEPTED', quarantine: null });
  });

  it('is set aside, logged once and answered with SYSTEM_ERROR when it is unreadable', () => {
    const faults: string[] = [];
    const rig = new ShardRig({ shard: 0, shardCount: 1, onFault: (line) => faults.push(line) });
    for (const id of [1, 2]) rig.work(orderOf(id));
    rig.journal.overwrite(1 as OrderId, new Uint8Array([255]));
    rig.restart();
    rig.rest();
    expect(faults).toEqual(['set aside 1']);
    rig.fill(1, 1, 10, 1);
    rig.fill(2, 1, 10, 1);
    rig.rest();
    expect(rig.state(2)?.legs[0].progress.filled).toBe(10);
    expect(faults).toEqual(['set aside 1', 'report lost 1']);
  });
});

describe('A journal failure', () => {
  it('stops the shard when it happens in a commit', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.accept(1, 1);
    rig.isDiskBroken = true;
    expect(() => rig.turn()).toThrow(JournalFailure);
  });

  it('stops the shard when it happens in the lookup of an order', () => {
    const healthy = new ShardRig();
    const { journal } = healthy;
    const failing: TurnJournal = {
      waitingCount: 0,
      isFull: false,
      openSeq: 0,
      releaseDurable: () => undefined,
      commit: (events, touched, release) => journal.commit(events, touched, release),
      state: () => {
        throw new JournalFailure('the map is gone');
      },
      hasTrade: () => false,
      openParents: (owns) => journal.openParents(owns),
    };
    const rig = new ShardRig({ shard: 0, shardCount: 1, journal: failing });
    rig.fill(9, 1, 10, 1);
    expect(() => rig.turn()).toThrow(JournalFailure);
  });
});

describe('An order that repeatedly ended its thread', () => {
  it('is quarantined at the start, before its strategy runs', () => {
    const { rig, looks } = rigWithBadStrategy(1);
    rig.work(orderOf(1));
    rig.suspects = [1 as OrderId, 99 as OrderId];
    rig.restart();
    rig.rest();
    expect(looks()).toBe(1);
    expect(rig.state(1)?.quarantine?.reason).toBe('SHARD_DEATH');
  });
});

function breakState(rig: ShardRig, orderId: number, state: NonNullable<ReturnType<ShardRig['state']>>): void {
  expect(state.order.orderId).toBe(orderId);
  rig.journal.overwrite(state.order.orderId, encodeState(state));
}
