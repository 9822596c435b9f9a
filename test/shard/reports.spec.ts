import { describe, expect, it } from 'vitest';
import { accountSlot } from '../../src/model/account-slot.js';
import type { Amount } from '../../src/model/amount.js';
import type { AccountId, OrderId } from '../../src/model/ids.js';
import { LONG } from '../model/sample-position.js';
import { orderOf } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';

function fills(rig: ShardRig) {
  return rig.kinds.filter((kind) => kind === 'ChildFilled');
}

/** An order of 1,000 lots whose only child has ended with 400 of them filled. */
function cancelledOrder(): ShardRig {
  const rig = new ShardRig();
  rig.work(orderOf(1));
  rig.accept(1, 1);
  rig.fill(1, 1, 400, 1);
  rig.cancel(1);
  rig.rest();
  rig.end(1, 1, 400);
  rig.rest();
  expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', progress: { filled: 400 } });
  return rig;
}

describe('Fills', () => {
  it('count once: within a turn, in a later turn, after a restart and after the end', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.accept(1, 1);
    rig.fill(1, 1, 400, 1);
    rig.fill(1, 1, 400, 1);
    rig.rest();
    rig.fill(1, 1, 400, 1);
    rig.rest();
    rig.restart();
    rig.fill(1, 1, 400, 1);
    rig.rest();
    expect(rig.state(1)?.progress.filled).toBe(400);
    rig.fill(1, 1, 600, 2);
    rig.fill(1, 1, 600, 2);
    rig.rest();
    rig.fill(1, 1, 600, 2);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'FILLED', progress: { filled: 1_000 }, lateFills: 0 });
    expect(fills(rig)).toHaveLength(2);
  });

  it('with the same trade id on another child are others', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.work(orderOf(2));
    rig.fill(1, 1, 400, 1);
    rig.fill(2, 1, 300, 1);
    rig.rest();
    expect([rig.state(1)?.progress.filled, rig.state(2)?.progress.filled]).toEqual([400, 300]);
  });

  it('that come after the end are recorded once each, and move no status', () => {
    const rig = cancelledOrder();
    rig.fill(1, 1, 100, 2);
    rig.fill(1, 1, 200, 3);
    rig.fill(1, 1, 100, 2);
    rig.rest();
    rig.fill(1, 1, 100, 2);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', lateFills: 2, progress: { filled: 700 } });
    expect(rig.main.messages.at(-1)).toMatchObject({ envelope: { event: { kind: 'ChildFilled', isLate: true } } });
    expect(rig.shard.openParentCount).toBe(0);
  });

  it('of an order that nobody knows make nothing', () => {
    const rig = new ShardRig();
    rig.fill(9, 1, 100, 1);
    rig.rest();
    expect(rig.journal.entries).toHaveLength(0);
  });

  it('in the turn in which the order ends are late fills of the same commit', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.cancel(1);
    rig.rest();
    const turns = rig.journal.turns.length;
    rig.end(1, 1);
    rig.fill(1, 1, 100, 5);
    rig.rest();
    expect(rig.journal.turns).toHaveLength(turns + 1);
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', lateFills: 1 });
  });
});

describe('Reports other than fills', () => {
  it('on an order that has ended change nothing', () => {
    const rig = cancelledOrder();
    const before = rig.journal.entries.length;
    rig.accept(1, 1);
    rig.end(1, 1);
    rig.answer(1, 1, { state: 'UNKNOWN' });
    rig.rest();
    expect(rig.journal.entries).toHaveLength(before);
  });
});

describe('Balances', () => {
  const change = {
    isSnapshot: false,
    version: 2,
    causedBy: 8 as OrderId,
    balances: [{ asset: 'USDT', total: 5n as Amount, free: 3n as Amount }],
  } as const;
  const home = accountSlot('alice' as AccountId, 'BINANCE') % 2;

  it('are recorded by the home shard of the account alone', () => {
    for (const shard of [0, 1]) {
      const rig = new ShardRig({ shard, shardCount: 2 });
      rig.fund('alice', change);
      rig.rest();
      expect(rig.kinds).toEqual(shard === home ? ['BalanceChanged'] : []);
    }
  });

  it('carry the order that moved them, and one event an asset', () => {
    const rig = new ShardRig({ shard: home, shardCount: 2 });
    const [usdt] = change.balances;
    rig.fund('alice', { ...change, balances: [usdt, { ...usdt, asset: 'BTC' }] });
    rig.rest();
    expect(rig.journal.entries.map(({ envelope }) => envelope)).toMatchObject([
      { orderId: 8, parent: null, event: { asset: 'USDT', total: 5n, free: 3n, version: 2 } },
      { orderId: 8, parent: null, event: { asset: 'BTC' } },
    ]);
  });

  it('are not recorded when they only answer a question', () => {
    const rig = new ShardRig({ shard: home, shardCount: 2 });
    rig.fund();
    rig.rest();
    expect(rig.journal.entries).toHaveLength(0);
  });
});

describe('Positions', () => {
  const home = accountSlot('alice' as AccountId, 'BINANCE') % 2;
  const closed = { ...LONG, net: 0, cost: 0n };

  it('are recorded by the home shard of the account alone, with what their frames need', () => {
    for (const shard of [0, 1]) {
      const rig = new ShardRig({ shard, shardCount: 2 });
      rig.positions([LONG, closed]);
      rig.rest();
      expect(rig.kinds).toEqual(shard === home ? ['PositionChanged', 'PositionChanged'] : []);
      if (shard !== home) continue;
      const [{ envelope } = {}] = rig.journal.entries;
      const grid = { symbol: 'BTC/USDT', quantityPrecision: 5, pricePrecision: 2 };
      expect(envelope).toMatchObject({ orderId: null, parent: null, event: { ...grid, position: LONG, version: 2 } });
    }
  });

  it('are not recorded when they only answer a question', () => {
    const rig = new ShardRig({ shard: home, shardCount: 2 });
    rig.positions([LONG], { isSnapshot: true });
    rig.rest();
    expect(rig.journal.entries).toHaveLength(0);
  });
});
