import { describe, expect, it } from 'vitest';
import { type AccountId, accountSlot, type OrderId } from '../../src/domain/ids.js';
import type { Amount } from '../../src/domain/quantity.js';
import { LONG } from '../domain/sample-position.js';
import { orderOf } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';
import type { EpochMs } from '../../src/domain/time.js';

function fills(rig: ShardRig) {
  return rig.kinds.filter((kind) => kind === 'ChildFilled');
}

/** An order of 1,000 lots whose only child ended with 400 lots filled. */
function cancelledOrder(): ShardRig {
  const rig = new ShardRig();
  rig.work(orderOf(1));
  rig.accept(1, 1);
  rig.fill(1, 1, 400, 1);
  rig.cancel(1);
  rig.rest();
  rig.end(1, 1, 400);
  rig.rest();
  expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', legs: [{ progress: { filled: 400 } }] });
  return rig;
}

describe('Fills', () => {
  it('count once: in one turn, in a later turn, after a restart and after the end', () => {
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
    expect(rig.state(1)?.legs[0].progress.filled).toBe(400);
    rig.fill(1, 1, 600, 2);
    rig.fill(1, 1, 600, 2);
    rig.rest();
    rig.fill(1, 1, 600, 2);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'FILLED', legs: [{ progress: { filled: 1_000 } }], lateFills: 0 });
    expect(fills(rig)).toHaveLength(2);
  });

  it('are different fills when different children have the same trade id', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.work(orderOf(2));
    rig.fill(1, 1, 400, 1);
    rig.fill(2, 1, 300, 1);
    rig.rest();
    expect([rig.state(1)?.legs[0].progress.filled, rig.state(2)?.legs[0].progress.filled]).toEqual([400, 300]);
  });

  it('are recorded once each after the end and do not change the status', () => {
    const rig = cancelledOrder();
    rig.fill(1, 1, 100, 2);
    rig.fill(1, 1, 200, 3);
    rig.fill(1, 1, 100, 2);
    rig.rest();
    rig.fill(1, 1, 100, 2);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', lateFills: 2, legs: [{ progress: { filled: 700 } }] });
    expect(rig.main.messages.at(-1)).toMatchObject({ envelope: { event: { kind: 'ChildFilled', isLate: true } } });
    expect(rig.shard.openParentCount).toBe(0);
  });

  it('cause no event when their order is unknown', () => {
    const rig = new ShardRig();
    rig.fill(9, 1, 100, 1);
    rig.rest();
    expect(rig.journal.entries).toHaveLength(0);
  });

  it('are late fills of the same commit when the order ends in their turn', () => {
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
  it('change nothing when their order has ended', () => {
    const rig = cancelledOrder();
    const before = rig.journal.entries.length;
    rig.accept(1, 1);
    rig.end(1, 1);
    rig.answer(1, 1, { state: 'UNKNOWN', knownSinceMs: 0 as EpochMs });
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

  it('are recorded only by the home shard of the account', () => {
    for (const shard of [0, 1]) {
      const rig = new ShardRig({ shard, shardCount: 2 });
      rig.fund('alice', change);
      rig.rest();
      expect(rig.kinds).toEqual(shard === home ? ['BalanceChanged'] : []);
    }
  });

  it('name the order that changed them, with one event for each asset', () => {
    const rig = new ShardRig({ shard: home, shardCount: 2 });
    const [usdt] = change.balances;
    rig.fund('alice', { ...change, balances: [usdt, { ...usdt, asset: 'BTC' }] });
    rig.rest();
    expect(rig.journal.entries.map(({ envelope }) => envelope)).toMatchObject([
      { orderId: 8, parent: null, event: { asset: 'USDT', total: 5n, free: 3n, version: 2 } },
      { orderId: 8, parent: null, event: { asset: 'BTC' } },
    ]);
  });

  it('are not recorded when they are a snapshot', () => {
    const rig = new ShardRig({ shard: home, shardCount: 2 });
    rig.fund();
    rig.rest();
    expect(rig.journal.entries).toHaveLength(0);
  });
});

describe('Positions', () => {
  const home = accountSlot('alice' as AccountId, 'BINANCE') % 2;
  const closed = { ...LONG, net: 0, cost: 0n };

  it('are recorded only by the home shard of the account, with the fields of their frames', () => {
    for (const shard of [0, 1]) {
      const rig = new ShardRig({ shard, shardCount: 2 });
      rig.positions([LONG, closed]);
      rig.rest();
      expect(rig.kinds).toEqual(shard === home ? ['PositionChanged', 'PositionChanged'] : []);
      if (shard !== home) continue;
      const [{ envelope } = {}] = rig.journal.entries;
      const grid = { symbol: 'BTC/USDT', quantityPrecision: 5, pricePrecision: 2, quantityStep: 1, priceStep: 1 };
      expect(envelope).toMatchObject({ orderId: null, parent: null, event: { ...grid, position: LONG, version: 2 } });
    }
  });

  it('are not recorded when they are a snapshot', () => {
    const rig = new ShardRig({ shard: home, shardCount: 2 });
    rig.positions([LONG], { isSnapshot: true });
    rig.rest();
    expect(rig.journal.entries).toHaveLength(0);
  });
});
