import { describe, expect, it } from 'vitest';
import { JournalFailure, type TurnJournal } from '../../src/journal/port.js';
import type { OrderId } from '../../src/model/ids.js';
import type { Strategy } from '../../src/model/intent.js';
import type { ParentOrder } from '../../src/model/order.js';
import { strategyFor } from '../../src/strategy/registry.js';
import { orderOf } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';

/** Order 1 is worked by a strategy that throws from its `after`th look on; the others by their own. */
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
  it('is quarantined once, and the other orders of the shard go on', () => {
    const { rig, looks } = rigWithBadStrategy();
    rig.work(orderOf(1));
    rig.work(orderOf(2));
    expect(rig.state(1)).toMatchObject({
      status: 'PENDING_NEW',
      childCount: 0,
      quarantine: { reason: 'UNEXPECTED_ERROR' },
    });
    expect(rig.state(1)?.quarantine?.detail).toContain('divides by nothing');
    expect(rig.state(2)).toMatchObject({ status: 'ACCEPTED', childCount: 1, quarantine: null });
    for (let second = 0; second < 60; second += 1) {
      rig.quote({});
      rig.turn(1_000);
    }
    expect(looks()).toBe(1);
    expect(rig.kinds.filter((kind) => kind === 'ParentQuarantined')).toHaveLength(1);
  });

  it('leaves nothing of the failed look in the journal or at the exchange', () => {
    const { rig } = rigWithBadStrategy();
    rig.work(orderOf(1));
    // The look began the order before it threw.
    expect(rig.kinds).toEqual(['ParentCreated', 'ParentQuarantined']);
    expect(rig.venue.requests.filter((request) => 'child' in request)).toEqual([]);
  });

  it('keeps its child at the exchange, and takes in what it trades', () => {
    const { rig } = rigWithBadStrategy(1);
    rig.work(orderOf(1));
    rig.accept(1, 1);
    rig.fill(1, 1, 300, 1);
    rig.rest();
    expect(rig.state(1)).toMatchObject({
      progress: { filled: 300 },
      children: [{ state: 'OPEN' }],
      quarantine: { reason: 'UNEXPECTED_ERROR' },
    });
    rig.fill(1, 1, 200, 2);
    rig.rest();
    expect(rig.state(1)?.progress.filled).toBe(500);
    expect(rig.venue.requests.filter(({ kind }) => kind === 'Cancel')).toEqual([]);
  });

  it('is found quarantined after a restart and looked at no more', () => {
    const { rig, looks } = rigWithBadStrategy();
    rig.work(orderOf(1));
    rig.restart();
    rig.rest();
    rig.quote({});
    rig.turn(5_000);
    expect(looks()).toBe(1);
    expect(rig.state(1)?.quarantine?.reason).toBe('UNEXPECTED_ERROR');
  });

  it('answers a command that came with the failure', () => {
    const { rig } = rigWithBadStrategy();
    rig.work(orderOf(1));
    const correlationId = rig.cancel(1);
    rig.rest();
    expect(rig.state(1)?.status).toBe('CANCELLED');
    expect(rig.main.messages).toContainEqual(expect.objectContaining({ kind: 'Published', correlationId }));
  });
});

describe('A broken state in the store', () => {
  it('quarantines the order at the start and leaves the others alone', () => {
    const rig = new ShardRig();
    for (const id of [1, 2]) rig.work(orderOf(id));
    const sane = rig.state(1)!;
    const [child] = sane.children;
    breakState(rig, 1, { ...sane, children: [child!, child!] });
    rig.restart();
    rig.rest();
    expect(rig.state(1)?.quarantine?.reason).toBe('BROKEN_INVARIANT');
    expect(rig.state(2)).toMatchObject({ status: 'ACCEPTED', quarantine: null });
  });

  it('that cannot be read is set aside, logged once and answered with SYSTEM_ERROR', () => {
    const told: string[] = [];
    const rig = new ShardRig({ shard: 0, shardCount: 1, onFault: (line) => told.push(line) });
    for (const id of [1, 2]) rig.work(orderOf(id));
    rig.journal.damage(1 as OrderId);
    rig.restart();
    rig.rest();
    expect(told).toEqual(['set aside 1']);
    rig.fill(1, 1, 10, 1);
    rig.fill(2, 1, 10, 1);
    rig.rest();
    expect(rig.state(2)?.progress.filled).toBe(10);
    expect(told).toEqual(['set aside 1', 'report lost 1']);
  });
});

describe('What belongs to no order', () => {
  it('stops the shard: a journal that fails', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.accept(1, 1);
    rig.isDiskBroken = true;
    expect(() => rig.turn()).toThrow(JournalFailure);
  });

  it('stops the shard: a journal that fails while an order is looked up', () => {
    const healthy = new ShardRig();
    const { journal } = healthy;
    const failing: TurnJournal = {
      commit: (...turn) => journal.commit(...turn),
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

describe('An order that the thread died on repeatedly', () => {
  it('is quarantined at the start before it is looked at', () => {
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
  rig.journal.overwrite(state);
}
