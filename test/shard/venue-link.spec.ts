import { describe, expect, it } from 'vitest';
import { MESSAGES_PER_TURN_MAX } from '../../src/model/limits.js';
import type { VenueRequest } from '../../src/model/venue-message.js';
import type { EpochMs } from '../../src/model/time.js';
import { orderOf, START_MS } from './sample-orders.js';
import { ShardRig, venueIdOf } from './shard-rig.js';

function childrenAskedFor(requests: readonly VenueRequest[]): string[] {
  return requests.flatMap((request) => (request.kind === 'Query' ? `${request.orderId}-${request.child}` : []));
}

function working(...orderIds: number[]): ShardRig {
  const rig = new ShardRig();
  for (const orderId of orderIds) rig.work(orderOf(orderId));
  rig.accept(1, 1);
  rig.rest();
  return rig;
}

describe('A venue that is lost', () => {
  it('leaves every child unknown, its quantity working, and nothing is placed', () => {
    const rig = working(1, 2);
    const submits = rig.venue.requests.length;
    rig.post({ kind: 'VenueLink', isUp: false });
    rig.rest();
    expect([rig.state(1), rig.state(2)]).toMatchObject([
      { children: [{ state: 'UNKNOWN' }] },
      { children: [{ state: 'UNKNOWN' }] },
    ]);
    rig.create(orderOf(3));
    rig.rest();
    expect(rig.state(3)).toMatchObject({ status: 'REJECTED', outcome: { code: 'EXCHANGE_NOT_AVAILABLE' } });
    expect(rig.venue.requests).toHaveLength(submits);
  });

  it('refuses the orders that wait for its balances', () => {
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
    expect(rig.state(1)?.children).toMatchObject([{ state: 'UNKNOWN', cancelWanted: true }]);
    expect(rig.shard.nextWakeMs()).toBe(Infinity);
  });
});

describe('A venue that is back', () => {
  it('is asked for every unknown child, and balances are asked for anew', () => {
    const rig = working(1, 2);
    rig.post({ kind: 'VenueLink', isUp: false });
    rig.post({ kind: 'VenueLink', isUp: true });
    rig.rest();
    expect(childrenAskedFor(rig.venue.requests)).toEqual(['1-1', '2-1']);
    rig.create(orderOf(3));
    expect(rig.venue.requests.at(-1)?.kind).toBe('QueryFunds');
  });

  it('decides what became of each: still open, or never placed and placed again under a new number', () => {
    const rig = working(1, 2);
    rig.post({ kind: 'VenueLink', isUp: false });
    rig.post({ kind: 'VenueLink', isUp: true });
    rig.rest();
    rig.answer(1, 1, { state: 'OPEN', venueOrderId: venueIdOf(1) });
    rig.answer(2, 1, { state: 'UNKNOWN' });
    rig.rest();
    rig.turn(1_000);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ childCount: 1, children: [{ state: 'OPEN' }] });
    expect(rig.state(2)).toMatchObject({ childCount: 2, children: [{ state: 'IN_FLIGHT', order: { child: 2 } }] });
    const submitted = rig.venue.requests.filter(({ kind }) => kind === 'Submit');
    expect(submitted.map((request) => 'child' in request && `${request.orderId}-${request.child}`)).toEqual([
      '1-1',
      '2-1',
      '2-2',
    ]);
  });

  it('is told again of a cancel that it may have missed', () => {
    const rig = working(1);
    rig.cancel(1);
    rig.post({ kind: 'VenueLink', isUp: false });
    rig.post({ kind: 'VenueLink', isUp: true });
    rig.rest();
    rig.answer(1, 1, { state: 'OPEN', venueOrderId: venueIdOf(1) });
    rig.rest();
    expect(rig.venue.requests.slice(-2).map(({ kind }) => kind)).toEqual(['Query', 'Cancel']);
  });

  it('that says the same again changes nothing', () => {
    const rig = working(1);
    const before = rig.journal.entries.length;
    rig.post({ kind: 'VenueLink', isUp: true });
    rig.rest();
    expect(rig.journal.entries).toHaveLength(before);
    expect(childrenAskedFor(rig.venue.requests)).toEqual([]);
  });
});

describe('One venue among others', () => {
  it('is lost and back by itself: its children are asked for, nothing is placed meanwhile', () => {
    const rig = working(1, 2);
    rig.link('BINANCE', false);
    rig.rest();
    expect(rig.state(1)?.children).toMatchObject([{ state: 'UNKNOWN' }]);
    rig.create(orderOf(3));
    rig.rest();
    expect(rig.state(3)).toMatchObject({ status: 'REJECTED', outcome: { code: 'EXCHANGE_NOT_AVAILABLE' } });
    rig.link('BINANCE', true);
    rig.rest();
    expect(childrenAskedFor(rig.venue.requests)).toEqual(['1-1', '2-1']);
  });

  it('concerns nobody who trades elsewhere', () => {
    const rig = working(1);
    rig.link('OKX', false);
    rig.rest();
    expect(rig.state(1)?.children).toMatchObject([{ state: 'OPEN' }]);
    rig.link('OKX', true);
    rig.rest();
    expect(childrenAskedFor(rig.venue.requests)).toEqual([]);
  });

  it('that went before the worker went with all of them is told anew by the next one', () => {
    const rig = working(1);
    rig.link('BINANCE', false);
    rig.post({ kind: 'VenueLink', isUp: false });
    rig.post({ kind: 'VenueLink', isUp: true });
    rig.rest();
    expect(childrenAskedFor(rig.venue.requests)).toEqual(['1-1']);
  });
});

describe('Recovery', () => {
  it('asks for every child that was alive, and sends none of them again', () => {
    const rig = working(1, 2, 3);
    rig.fill(3, 1, 1_000, 1);
    rig.rest();
    rig.restart();
    expect(rig.shard.openParentCount).toBe(2);
    expect(rig.shard.isRecovered).toBe(false);
    rig.rest();
    expect(rig.shard.isRecovered).toBe(true);
    expect(rig.venue.requests.map(({ kind }) => kind)).toEqual(['Query', 'Query']);
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

  it('looks at a bounded number of orders a turn', () => {
    const rig = new ShardRig();
    for (let orderId = 1; orderId <= MESSAGES_PER_TURN_MAX + 1; orderId += 1) {
      rig.post({ kind: 'CreateParent', order: orderOf(orderId) });
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
