import { describe, expect, it } from 'vitest';
import { ANSWER_SILENCE_MS_MAX, MARKET_STALE_MS } from '../../src/model/limits.js';
import type { ParentOrder } from '../../src/model/order.js';
import type { Lots } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import { BTC, orderOf, START_MS } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';

const after = (ms: number): EpochMs => (START_MS + ms) as EpochMs;
const marketBuy = (orderId: number, change: Partial<ParentOrder> = {}): ParentOrder =>
  orderOf(orderId, { strategy: 'MARKET', limitPrice: null, ...change });

describe('Admission', () => {
  it('waits for the balances, asks for them once, and refuses what they do not cover', () => {
    const rig = new ShardRig();
    rig.create(orderOf(1));
    rig.create(orderOf(2));
    expect(rig.state(1)?.status).toBe('PENDING_NEW');
    expect(rig.venue.requests.map(({ kind }) => kind)).toEqual(['QueryFunds']);
    rig.fund('alice', { balances: [] });
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'REJECTED', outcome: { code: 'INSUFFICIENT_FUNDS' } });
    expect(rig.shard.openParentCount).toBe(0);
  });

  it('is asked for again by new terms that need more, as far as the balances are known', () => {
    const rig = new ShardRig();
    const order = orderOf(1, { quantity: 1_000 as Lots, startAtMs: after(60_000) });
    rig.work(order);
    rig.fund('alice', { balances: [], version: 2 });
    rig.rest();
    const quantity = (lots: number) => ({ ...order, quantity: lots as Lots, revision: 1 });
    rig.post({ kind: 'AmendParent', order: quantity(1_001) });
    rig.rest();
    expect(rig.main.messages.at(-1)).toMatchObject({ kind: 'Refused', rejection: { code: 'INSUFFICIENT_FUNDS' } });
    rig.post({ kind: 'AmendParent', order: quantity(999) });
    rig.rest();
    expect(rig.state(1)?.order.quantity).toBe(999);
    rig.restart();
    rig.post({ kind: 'AmendParent', order: { ...quantity(1_001), revision: 2 } });
    rig.rest();
    expect(rig.state(1)?.order.quantity).toBe(1_001);
  });

  it('ends an order whose time is over before the balances are known', () => {
    const rig = new ShardRig();
    rig.create(orderOf(1, { endAtMs: after(1_000) }));
    rig.turn(1_000);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'EXPIRED', outcome: { code: 'EXPIRY_REACHED' } });
    rig.fund();
    rig.rest();
    expect(rig.kinds.at(-1)).toBe('ParentExpired');
  });
});

describe('Cancel', () => {
  it('is answered by its event, and by "unchanged" when it is asked again', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    const [first, second] = [rig.cancel(1), rig.cancel(1)];
    rig.turn();
    const third = rig.cancel(1);
    rig.turn();
    const published = rig.journal.entries.find(({ envelope }) => envelope.correlationId === first);
    expect(published?.envelope.event.kind).toBe('ParentCancelRequested');
    expect(rig.main.messages.filter(({ kind }) => kind === 'Unchanged')).toEqual([
      { kind: 'Unchanged', correlationId: second, orderId: 1 },
      { kind: 'Unchanged', correlationId: third, orderId: 1 },
    ]);
    expect(rig.venue.requests.filter(({ kind }) => kind === 'Cancel')).toHaveLength(1);
  });

  it.each([
    ['no such order', 7, 'alice'],
    ["another account's order", 1, 'bob'],
  ])('is refused: %s', (_, orderId, account) => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    const correlationId = rig.cancel(orderId, account);
    rig.turn();
    expect(rig.main.messages.at(-1)).toMatchObject({
      kind: 'Refused',
      correlationId,
      rejection: { code: 'INVALID_ORDER' },
    });
  });

  it('ends the order once its children have ended, and the shard forgets it', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.cancel(1);
    rig.rest();
    expect(rig.state(1)?.status).toBe('PENDING_CANCEL');
    rig.end(1, 1);
    rig.rest();
    expect(rig.state(1)?.status).toBe('CANCELLED');
    expect(rig.shard.openParentCount).toBe(0);
  });
});

describe('Time', () => {
  it('starts no order before its start time, and lets its market sleep until then', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1, { startAtMs: after(60_000) }));
    expect(rig.shard.nextWakeMs()).toBe(after(60_000));
    expect(rig.market.awake.has(BTC.index)).toBe(false);
    rig.nowMs = after(60_000);
    rig.quote({});
    rig.rest();
    expect(rig.state(1)).toMatchObject({ startedAtMs: after(60_000), childCount: 1 });
    expect(rig.market.awake.has(BTC.index)).toBe(true);
  });

  it('asks for the end of the children at the end time, and then rests until the venue answers', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1, { endAtMs: after(1_000) }));
    rig.turn(1_000);
    rig.rest();
    expect(rig.venue.requests.at(-1)?.kind).toBe('Cancel');
    expect(rig.shard.nextWakeMs()).toBe(after(ANSWER_SILENCE_MS_MAX));
    rig.end(1, 1);
    rig.rest();
    expect(rig.state(1)?.status).toBe('EXPIRED');
    expect(rig.market.awake.has(BTC.index)).toBe(false);
  });
});

describe('A crossed book', () => {
  it('is not traded on: the order waits until the market is right again', () => {
    const rig = new ShardRig();
    rig.quote({ bid: 6_400_010, ask: 6_400_000 });
    rig.work(orderOf(1));
    expect(rig.state(1)).toMatchObject({ status: 'ACCEPTED', startedAtMs: null, childCount: 0 });
    rig.quote({ bid: 6_400_000, ask: 6_400_000 });
    rig.rest();
    expect(rig.state(1)?.childCount).toBe(0);
    rig.quote({});
    rig.rest();
    expect(rig.state(1)?.childCount).toBe(1);
  });
});

describe('A market that has not spoken lately', () => {
  it('is not traded on: the order waits, and wakes when the market moves', () => {
    const rig = new ShardRig();
    rig.nowMs = after(MARKET_STALE_MS + 1);
    rig.work(marketBuy(1));
    expect(rig.state(1)).toMatchObject({ status: 'ACCEPTED', startedAtMs: null });
    expect(rig.market.watched.has(BTC.index)).toBe(true);
    expect(rig.market.awake.has(BTC.index)).toBe(true);
    rig.turn(100);
    expect(rig.state(1)?.startedAtMs).toBeNull();
    rig.quote({});
    rig.rest();
    expect(rig.state(1)).toMatchObject({ childCount: 1, arrivalTwiceMid: 12_800_010 });
    expect(rig.market.watched.has(BTC.index)).toBe(false);
  });

  it('is waited for while it has one side only', () => {
    const rig = new ShardRig();
    rig.quote({ bid: 0 });
    rig.work(marketBuy(1));
    expect(rig.state(1)?.startedAtMs).toBeNull();
    rig.quote({});
    rig.rest();
    expect(rig.state(1)?.childCount).toBe(1);
  });

  it('wakes an order at its bound alone', () => {
    const rig = new ShardRig();
    rig.work(marketBuy(1, { limitPrice: 6_390_000 as ParentOrder['limitPrice'] }));
    const before = rig.journal.entries.length;
    rig.quote({ ask: 6_390_001 });
    rig.rest();
    expect(rig.journal.entries).toHaveLength(before);
    rig.quote({ ask: 6_390_000, bid: 6_389_990 });
    rig.rest();
    expect(rig.state(1)?.childCount).toBe(1);
  });
});
