import { describe, expect, it } from 'vitest';
import type { AccountId } from '../../src/domain/ids.js';
import { MESSAGES_PER_TURN_MAX, ORDER_HISTORY_MS, RECONNECT_WAIT_MS } from '../../src/domain/limits/trading.js';
import type { VenueRequest } from '../../src/domain/venue-message.js';
import type { EpochMs } from '../../src/domain/time.js';
import { orderOf, START_MS } from './sample-orders.js';
import { ShardRig, venueIdOf } from './shard-rig.js';

function childrenAskedFor(requests: readonly VenueRequest[]): string[] {
  return requests.flatMap((request) => (request.kind === 'QueryStatus' ? `${request.orderId}-${request.child}` : []));
}

function working(...orderIds: number[]): ShardRig {
  const rig = new ShardRig();
  for (const orderId of orderIds) rig.work(orderOf(orderId));
  rig.accept(1, 1);
  rig.rest();
  return rig;
}

describe('A lost venue', () => {
  it('makes every child unknown, keeps its quantity as working, and gets no new child', () => {
    const rig = working(1, 2);
    const submits = rig.venue.requests.length;
    rig.post({ kind: 'VenueLink', isUp: false });
    rig.rest();
    expect([rig.state(1), rig.state(2)]).toMatchObject([
      { legs: [{ children: [{ state: 'UNKNOWN' }] }] },
      { legs: [{ children: [{ state: 'UNKNOWN' }] }] },
    ]);
    rig.create(orderOf(3));
    rig.rest();
    expect(rig.state(3)).toMatchObject({ status: 'REJECTED', outcome: { code: 'EXCHANGE_NOT_AVAILABLE' } });
    expect(rig.venue.requests).toHaveLength(submits);
  });

  it('rejects the orders that wait for its balances', () => {
    const rig = new ShardRig();
    rig.create(orderOf(1));
    rig.post({ kind: 'VenueLink', isUp: false });
    rig.rest();
    expect(rig.state(1)?.outcome?.code).toBe('EXCHANGE_NOT_AVAILABLE');
  });

  it('does not keep the shard busy with an order whose end time passes meanwhile', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1, { endAtMs: (START_MS + 1_000) as EpochMs }));
    rig.post({ kind: 'VenueLink', isUp: false });
    rig.rest();
    rig.turn(2_000);
    rig.rest();
    expect(rig.state(1)?.legs[0].children).toMatchObject([{ state: 'UNKNOWN', cancelWanted: true }]);
    expect(rig.shard.nextWakeMs()).toBe(Infinity);
  });
});

describe('A connection that was cut', () => {
  it.each([
    ['one account', orderOf(1).account],
    ['all accounts', null],
  ])('keeps new orders of %s waiting for 2 s, and they are worked when it is back', (_what, account) => {
    const rig = working(1);
    rig.link('BINANCE', false, account);
    rig.rest();
    rig.turn(500);
    rig.create(orderOf(2));
    rig.rest();
    expect(rig.state(2)?.status).toBe('PENDING_NEW');
    expect(rig.shard.nextWakeMs()).toBe(rig.nowMs + RECONNECT_WAIT_MS - 500);
    rig.turn(RECONNECT_WAIT_MS - 501);
    expect(rig.state(2)?.status).toBe('PENDING_NEW');
    rig.link('BINANCE', true, account);
    rig.rest();
    rig.fund(orderOf(1).account);
    rig.quote({});
    rig.rest();
    expect(rig.state(2)).toMatchObject({ status: 'ACCEPTED', outcome: null });
    expect(rig.venue.requests.at(-1)).toMatchObject({ kind: 'Submit', orderId: 2 });
  });

  it('rejects the orders that wait after 2 s, and later ones at once', () => {
    const rig = working(1);
    rig.link('BINANCE', false);
    rig.rest();
    rig.create(orderOf(2));
    rig.rest();
    expect(rig.state(2)?.status).toBe('PENDING_NEW');
    rig.turn(RECONNECT_WAIT_MS);
    rig.create(orderOf(3));
    rig.rest();
    for (const id of [2, 3]) {
      expect(rig.state(id)).toMatchObject({ status: 'REJECTED', outcome: { code: 'EXCHANGE_NOT_AVAILABLE' } });
    }
  });

  it('keeps an order waiting whose balances were asked for before the cut', () => {
    const rig = new ShardRig();
    rig.create(orderOf(1));
    rig.link('BINANCE', false);
    rig.rest();
    expect(rig.state(1)?.status).toBe('PENDING_NEW');
    rig.link('BINANCE', true);
    rig.rest();
    rig.fund(orderOf(1).account);
    rig.rest();
    expect(rig.state(1)?.status).toBe('ACCEPTED');
  });
});

describe('A venue that is back', () => {
  it('gets a status request for every unknown child, and a new balances request', () => {
    const rig = working(1, 2);
    rig.post({ kind: 'VenueLink', isUp: false });
    rig.post({ kind: 'VenueLink', isUp: true });
    rig.rest();
    expect(childrenAskedFor(rig.venue.requests)).toEqual(['1-1', '2-1']);
    rig.create(orderOf(3));
    expect(rig.venue.requests.at(-1)?.kind).toBe('QueryFunds');
  });

  it('gets no new child for one that is older than its order history, and the order is quarantined', () => {
    const rig = working(1, 2);
    rig.post({ kind: 'VenueLink', isUp: false });
    rig.turn(ORDER_HISTORY_MS);
    rig.post({ kind: 'VenueLink', isUp: true });
    rig.rest();
    const submits = rig.venue.requests.filter(({ kind }) => kind === 'Submit').length;
    rig.answer(2, 1, { state: 'UNKNOWN', knownSinceMs: (rig.nowMs - ORDER_HISTORY_MS) as EpochMs });
    rig.rest();
    rig.turn(60_000);
    rig.rest();
    expect(rig.state(2)).toMatchObject({
      status: 'ACCEPTED',
      quarantine: { reason: 'FORGOTTEN_CHILD' },
      legs: [{ childCount: 1, children: [{ state: 'UNKNOWN', order: { child: 1 } }] }],
    });
    expect(rig.venue.requests.filter(({ kind }) => kind === 'Submit')).toHaveLength(submits);
  });

  it('determines whether each child is open, or must be placed again under a new number', () => {
    const rig = working(1, 2);
    rig.post({ kind: 'VenueLink', isUp: false });
    rig.post({ kind: 'VenueLink', isUp: true });
    rig.rest();
    rig.answer(1, 1, { state: 'OPEN', venueOrderId: venueIdOf(1) });
    rig.answer(2, 1, { state: 'UNKNOWN', knownSinceMs: 0 as EpochMs });
    rig.rest();
    rig.turn(1_000);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ legs: [{ childCount: 1, children: [{ state: 'OPEN' }] }] });
    expect(rig.state(2)).toMatchObject({
      legs: [{ childCount: 2, children: [{ state: 'IN_FLIGHT', order: { child: 2 } }] }],
    });
    const submitted = rig.venue.requests.filter(({ kind }) => kind === 'Submit');
    expect(submitted.map((request) => 'child' in request && `${request.orderId}-${request.child}`)).toEqual([
      '1-1',
      '2-1',
      '2-2',
    ]);
  });

  it('gets a lost cancel again', () => {
    const rig = working(1);
    rig.cancel(1);
    rig.post({ kind: 'VenueLink', isUp: false });
    rig.post({ kind: 'VenueLink', isUp: true });
    rig.rest();
    rig.answer(1, 1, { state: 'OPEN', venueOrderId: venueIdOf(1) });
    rig.rest();
    expect(rig.venue.requests.slice(-2).map(({ kind }) => kind)).toEqual(['QueryStatus', 'Cancel']);
  });

  it('changes nothing when it reports the same state again', () => {
    const rig = working(1);
    const before = rig.journal.entries.length;
    rig.post({ kind: 'VenueLink', isUp: true });
    rig.rest();
    expect(rig.journal.entries).toHaveLength(before);
    expect(childrenAskedFor(rig.venue.requests)).toEqual([]);
  });
});

describe('One of several venues', () => {
  it('can be lost and back alone: its children are unknown and nothing is placed meanwhile', () => {
    const rig = working(1, 2);
    rig.link('BINANCE', false);
    rig.rest();
    expect(rig.state(1)?.legs[0].children).toMatchObject([{ state: 'UNKNOWN' }]);
    rig.create(orderOf(3));
    rig.rest();
    rig.turn(RECONNECT_WAIT_MS);
    expect(rig.state(3)).toMatchObject({ status: 'REJECTED', outcome: { code: 'EXCHANGE_NOT_AVAILABLE' } });
    rig.link('BINANCE', true);
    rig.rest();
    expect(childrenAskedFor(rig.venue.requests)).toEqual(['1-1', '2-1']);
  });

  it('does not affect orders at other venues', () => {
    const rig = working(1);
    rig.link('OKX', false);
    rig.rest();
    expect(rig.state(1)?.legs[0].children).toMatchObject([{ state: 'OPEN' }]);
    rig.link('OKX', true);
    rig.rest();
    expect(childrenAskedFor(rig.venue.requests)).toEqual([]);
  });

  it('can be lost and back for one account, which changes nothing for the others', () => {
    const rig = working(1);
    const account = rig.state(1)!.order.account;
    const other = 'bob' as AccountId;
    rig.link('BINANCE', false, other);
    rig.rest();
    expect(rig.state(1)?.legs[0].children).toMatchObject([{ state: 'OPEN' }]);
    rig.create(orderOf(2, { account: other }));
    rig.rest();
    rig.turn(RECONNECT_WAIT_MS);
    expect(rig.state(2)).toMatchObject({ status: 'REJECTED', outcome: { code: 'EXCHANGE_NOT_AVAILABLE' } });
    rig.link('BINANCE', true, other);
    rig.link('BINANCE', false, account);
    rig.rest();
    expect(rig.state(1)?.legs[0].children).toMatchObject([{ state: 'UNKNOWN' }]);
    expect(childrenAskedFor(rig.venue.requests)).toEqual([]);
    rig.link('BINANCE', true, account);
    rig.rest();
    expect(childrenAskedFor(rig.venue.requests)).toEqual(['1-1']);
  });

  it('must be reported again by the next worker when it was lost before the worker', () => {
    const rig = working(1);
    rig.link('BINANCE', false);
    rig.post({ kind: 'VenueLink', isUp: false });
    rig.post({ kind: 'VenueLink', isUp: true });
    rig.rest();
    expect(childrenAskedFor(rig.venue.requests)).toEqual(['1-1']);
  });
});

describe('Recovery', () => {
  it('requests the status of every live child, and sends none of them again', () => {
    const rig = working(1, 2, 3);
    rig.fill(3, 1, 1_000, 1);
    rig.rest();
    rig.restart();
    expect(rig.shard.openParentCount).toBe(2);
    expect(rig.shard.isRecovered).toBe(false);
    rig.rest();
    expect(rig.shard.isRecovered).toBe(true);
    expect(rig.venue.requests.map(({ kind }) => kind)).toEqual(['QueryStatus', 'QueryStatus']);
    expect(childrenAskedFor(rig.venue.requests)).toEqual(['1-1', '2-1']);
  });

  it('takes only the orders of its own slots', () => {
    const rig = new ShardRig({ shard: 1, shardCount: 2 });
    rig.work(orderOf(1));
    rig.work(orderOf(3));
    rig.restart();
    expect(rig.shard.openParentCount).toBe(2);
    expect([...rig.journal.openParents((slot) => slot % 2 === 0)]).toEqual([]);
  });

  it('handles a bounded number of orders a turn', () => {
    const rig = new ShardRig();
    for (let orderId = 1; orderId <= MESSAGES_PER_TURN_MAX + 1; orderId += 1) {
      rig.place(orderOf(orderId));
    }
    rig.rest();
    rig.fund();
    rig.rest();
    rig.restart();
    rig.turn();
    expect(childrenAskedFor(rig.venue.requests)).toHaveLength(MESSAGES_PER_TURN_MAX);
    expect(rig.shard.isRecovered).toBe(false);
    rig.rest();
    expect(childrenAskedFor(rig.venue.requests)).toHaveLength(MESSAGES_PER_TURN_MAX + 1);
  });
});
