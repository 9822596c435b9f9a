import { describe, expect, it } from 'vitest';
import { ANSWER_SILENCE_MS_MAX, ARRIVAL_AGE_MS_MAX, MARKET_STALE_MS } from '../../src/domain/limits/trading.js';
import type { AccountId, OrderId } from '../../src/domain/ids.js';
import type { ParentOrder, Leg } from '../../src/domain/order.js';
import type { Lots } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { BTC, orderOf, START_MS } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';
import { type FlatTerms, withTerms } from '../domain/plain-order.js';
import { LONG } from '../domain/sample-position.js';

const after = (ms: number): EpochMs => (START_MS + ms) as EpochMs;
const marketBuy = (orderId: number, change: Partial<FlatTerms> = {}): ParentOrder =>
  orderOf(orderId, { strategy: 'MARKET', limitPrice: null, ...change });

describe('Admission', () => {
  it('requests balances once, and rejects an order without cover', () => {
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

  it('checks the balances again for an amendment that needs more, if they are known', () => {
    const rig = new ShardRig();
    const order = orderOf(1, { quantity: 1_000 as Lots, startAtMs: after(60_000) });
    rig.work(order);
    rig.fund('alice', { balances: [], version: 2 });
    rig.rest();
    const quantity = (lots: number) => withTerms(order, { quantity: lots as Lots, revision: 1 });
    rig.post({ kind: 'AmendParent', order: quantity(1_001) });
    rig.rest();
    expect(rig.main.messages.at(-1)).toMatchObject({ kind: 'Refused', rejection: { code: 'INSUFFICIENT_FUNDS' } });
    rig.post({ kind: 'AmendParent', order: quantity(999) });
    rig.rest();
    expect(rig.state(1)?.order.legs[0].quantity).toBe(999);
    rig.restart();
    rig.post({ kind: 'AmendParent', order: { ...quantity(1_001), revision: 2 } });
    rig.rest();
    expect(rig.state(1)?.order.legs[0].quantity).toBe(1_001);
  });

  it('expires an order whose end time comes before its balances', () => {
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

/** The second order sells more than the position. */
const reducing = (orderId: number): ParentOrder =>
  orderOf(orderId, { side: 'SELL', reduceOnly: true, quantity: (orderId === 2 ? 1_000 : 300) as Lots });
const asked = (rig: ShardRig): number => rig.venue.requests.filter(({ kind }) => kind === 'QueryPositions').length;

describe('Admission of an order that reduces a position', () => {
  it('requests the position once for orders of one time, again for a later one, and again after silence', () => {
    const rig = new ShardRig();
    rig.work(orderOf(9));
    rig.create(reducing(1));
    rig.create(reducing(2));
    expect([rig.state(1)?.status, asked(rig)]).toEqual(['PENDING_NEW', 1]);
    rig.turn(ANSWER_SILENCE_MS_MAX);
    rig.rest();
    expect([rig.state(1)?.status, asked(rig)]).toEqual(['PENDING_NEW', 2]);
    rig.positions([LONG], { isSnapshot: true });
    rig.rest();
    expect([rig.state(1)?.status, rig.state(2)?.status]).toEqual(['ACCEPTED', 'REJECTED']);
    expect(rig.state(2)?.outcome?.message).toContain('quantity 0.01 exceeds 0.003, the quantity left to reduce');
  });

  it('ignores changes of positions that answer no request, and refuses the order when the exchange is lost', () => {
    const rig = new ShardRig();
    rig.work(orderOf(9));
    rig.create(reducing(1));
    rig.positions([LONG]);
    rig.rest();
    expect(rig.state(1)?.status).toBe('PENDING_NEW');
    rig.post({ kind: 'VenueLink', isUp: false });
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'REJECTED', outcome: { code: 'EXCHANGE_NOT_AVAILABLE' } });
  });
});

describe('A pause', () => {
  it('takes effect in the turn of its create, when the balances are known', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.place(orderOf(2));
    const pause = rig.post({ kind: 'PauseParent', account: 'alice' as AccountId, orderId: 2 as OrderId });
    rig.rest();
    expect(rig.state(2)?.status).toBe('PAUSED');
    expect(rig.main.messages.filter(({ kind }) => kind === 'Refused')).toEqual([]);
    const answered = rig.journal.entries.find(({ envelope }) => envelope.correlationId === pause);
    expect(answered?.envelope.event.kind).toBe('ParentPauseRequested');
  });

  it('is refused with SYSTEM_BUSY while the balances are unknown', () => {
    const rig = new ShardRig();
    rig.create(orderOf(1));
    rig.post({ kind: 'PauseParent', account: 'alice' as AccountId, orderId: 1 as OrderId });
    rig.turn();
    const message = 'order_id 1 waits for the balances of its account; repeat the request later';
    expect(rig.main.messages.at(-1)).toMatchObject({ rejection: { code: 'SYSTEM_BUSY', message } });
    rig.fund();
    rig.rest();
    expect(rig.state(1)?.status).toBe('ACCEPTED');
  });
});

describe('A cancel', () => {
  it('publishes one event, and answers a repeated cancel with "unchanged"', () => {
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
  ])('refuses a cancel: %s', (_, orderId, account) => {
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

  it('ends the order after its children, and removes it from the shard', () => {
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

describe('Start and end times', () => {
  it('does not start an order before its start time, and lets its market sleep until then', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1, { startAtMs: after(60_000) }));
    expect(rig.shard.nextWakeMs()).toBe(after(60_000));
    expect(rig.market.awake.has(BTC.index)).toBe(false);
    rig.nowMs = after(60_000);
    rig.quote({});
    rig.rest();
    expect(rig.state(1)).toMatchObject({ startedAtMs: after(60_000), legs: [{ childCount: 1 }] });
    expect(rig.market.awake.has(BTC.index)).toBe(true);
  });

  it('cancels the children at the end time, and then waits for the venue', () => {
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
  it('places no order in a crossed market', () => {
    const rig = new ShardRig();
    rig.quote({ bid: 6_400_010, ask: 6_400_000 });
    rig.work(orderOf(1));
    expect(rig.state(1)).toMatchObject({ status: 'ACCEPTED', startedAtMs: null, legs: [{ childCount: 0 }] });
    rig.quote({ bid: 6_400_000, ask: 6_400_000 });
    rig.rest();
    expect(rig.state(1)?.legs[0].childCount).toBe(0);
    rig.quote({});
    rig.rest();
    expect(rig.state(1)?.legs[0].childCount).toBe(1);
  });
});

describe('A market without fresh rows', () => {
  it('places no order in a stale market, and wakes the order when the market moves', () => {
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
    expect(rig.state(1)).toMatchObject({ legs: [{ childCount: 1, arrivalTwiceMid: 12_800_010 }] });
    expect(rig.market.watched.has(BTC.index)).toBe(false);
  });

  it('waits while a market has only one side', () => {
    const rig = new ShardRig();
    rig.quote({ bid: 0 });
    rig.work(marketBuy(1));
    expect(rig.state(1)?.startedAtMs).toBeNull();
    rig.quote({});
    rig.rest();
    expect(rig.state(1)?.legs[0].childCount).toBe(1);
  });

  it('wakes an order only when its limit is reached', () => {
    const rig = new ShardRig();
    rig.work(marketBuy(1, { limitPrice: 6_390_000 as Leg['limitPrice'] }));
    const before = rig.journal.entries.length;
    rig.quote({ ask: 6_390_001 });
    rig.rest();
    expect(rig.journal.entries).toHaveLength(before);
    rig.quote({ ask: 6_390_000, bid: 6_389_990 });
    rig.rest();
    expect(rig.state(1)?.legs[0].childCount).toBe(1);
  });
});

/** Admits an order. It then waits only for its market. */
function admit(rig: ShardRig, orderId: number): void {
  rig.create(orderOf(orderId));
  rig.fund();
  rig.turn();
}

describe('The arrival price', () => {
  it('waits for a row that is newer than the wake of the market', () => {
    const rig = new ShardRig();
    rig.nowMs = (rig.nowMs + 3_000) as EpochMs;
    admit(rig, 1);
    expect(rig.state(1)?.startedAtMs).toBeNull();
    expect(rig.market.awake.has(BTC.index)).toBe(true);
    rig.nowMs = (rig.nowMs + 100) as EpochMs;
    rig.quote({ bid: 6_000_000, ask: 6_000_010 });
    rig.turn();
    expect(rig.state(1)).toMatchObject({ startedAtMs: rig.nowMs, legs: [{ arrivalTwiceMid: 12_000_010 }] });
  });

  it('uses a row that is at most 250 ms old', () => {
    const rig = new ShardRig();
    rig.nowMs = (rig.nowMs + ARRIVAL_AGE_MS_MAX) as EpochMs;
    admit(rig, 1);
    expect(rig.state(1)?.startedAtMs).toBe(rig.nowMs);
  });

  it('uses a quiet market that another order keeps awake', () => {
    const rig = new ShardRig();
    admit(rig, 1);
    rig.nowMs = (rig.nowMs + 3_000) as EpochMs;
    admit(rig, 2);
    expect(rig.state(2)?.startedAtMs).toBe(rig.nowMs);
  });

  it('waits after a restart, because rows may be older than the restart', () => {
    const rig = new ShardRig({ shard: 0, shardCount: 1, isObserving: true });
    admit(rig, 1);
    rig.nowMs = (rig.nowMs + 2_000) as EpochMs;
    rig.restart();
    rig.turn();
    admit(rig, 2);
    expect(rig.state(2)?.startedAtMs).toBeNull();
    rig.quote({});
    rig.turn();
    expect(rig.state(2)?.startedAtMs).toBe(rig.nowMs);
  });
});
