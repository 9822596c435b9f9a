import { describe, expect, it } from 'vitest';
import type { AccountId } from '../../src/domain/ids.js';
import type { VenueRequest } from '../../src/domain/venue-message.js';
import type { EpochMs } from '../../src/domain/time.js';
import { pairOf } from '../domain/sample-pair.js';
import { OKX_BTC, orderOf, START_MS } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';
import { liveChildren } from '../../src/domain/order-state.js';

const HALTED = { isHalted: true, exempt: [] };

function submitsOf(requests: readonly VenueRequest[]): string[] {
  return requests.flatMap((request) => (request.kind === 'Submit' ? `${request.orderId}-${request.child}` : []));
}

describe('A shard during a trading halt', () => {
  it('places nothing for an accepted order, and places it when trading is resumed', () => {
    const rig = new ShardRig({ shard: 0, shardCount: 1, trading: HALTED });
    rig.work(orderOf(1));
    expect([rig.state(1)?.status, submitsOf(rig.venue.requests)]).toEqual(['ACCEPTED', []]);
    rig.post({ kind: 'SetTrading', isHalted: false, exempt: [] });
    rig.rest();
    expect(submitsOf(rig.venue.requests)).toEqual(['1-1']);
  });

  it('places orders only for exempt accounts', () => {
    const rig = new ShardRig({ shard: 0, shardCount: 1, trading: HALTED });
    rig.work(orderOf(1));
    rig.work(orderOf(2, { account: 'bob' as AccountId }));
    rig.post({ kind: 'SetTrading', isHalted: true, exempt: ['bob' as AccountId] });
    rig.rest();
    expect(submitsOf(rig.venue.requests)).toEqual(['2-1']);
  });

  it('places nothing after a fill, and counts the fill', () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.accept(1, 1);
    rig.rest();
    rig.post({ kind: 'SetTrading', ...HALTED });
    rig.rest();
    rig.fill(1, 1, 10, 1);
    rig.end(1, 1, 10);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ legs: [{ progress: { filled: 10 }, children: [] }] });
    expect(submitsOf(rig.venue.requests)).toEqual(['1-1']);
    rig.post({ kind: 'SetTrading', isHalted: false, exempt: [] });
    rig.turn(60_000);
    rig.quote({});
    rig.rest();
    expect(submitsOf(rig.venue.requests)).toEqual(['1-1', '1-2']);
  });

  it("cancels a resting child at the client's request", () => {
    const rig = new ShardRig();
    rig.work(orderOf(1));
    rig.accept(1, 1);
    rig.post({ kind: 'SetTrading', ...HALTED });
    rig.cancel(1);
    rig.rest();
    expect(rig.venue.requests.at(-1)).toMatchObject({ kind: 'Cancel', orderId: 1, child: 1 });
    rig.end(1, 1);
    rig.rest();
    expect(rig.state(1)?.status).toBe('CANCELLED');
  });

  it('expires an order at its end time', () => {
    const rig = new ShardRig({ shard: 0, shardCount: 1, trading: HALTED });
    rig.work(orderOf(1, { endAtMs: (START_MS + 1_000) as EpochMs }));
    rig.turn(2_000);
    rig.rest();
    expect(rig.state(1)?.status).toBe('EXPIRED');
  });

  it('places no hedge of a pair, and hedges its fills when trading is resumed', () => {
    const rig = new ShardRig();
    rig.quote({}, OKX_BTC);
    rig.create(pairOf(orderOf(1), 'OKX', { instrument: OKX_BTC.index, limitPrice: null }));
    rig.fund();
    rig.fund('alice', { venue: 'OKX' });
    rig.rest();
    const [lead] = submitsOf(rig.venue.requests);
    expect(lead).toBe('1-1');
    rig.accept(1, 1);
    rig.post({ kind: 'SetTrading', ...HALTED });
    rig.rest();
    const { quantity } = liveChildren(rig.state(1)!)[0]!.order;
    rig.fill(1, 1, quantity, 1);
    rig.rest();
    expect(submitsOf(rig.venue.requests)).toEqual(['1-1']);
    rig.post({ kind: 'SetTrading', isHalted: false, exempt: [] });
    rig.rest();
    expect(submitsOf(rig.venue.requests)).toEqual(['1-1', '1-2']);
  });
});
