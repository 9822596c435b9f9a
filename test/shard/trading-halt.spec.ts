import { describe, expect, it } from 'vitest';
import type { AccountId } from '../../src/model/ids.js';
import type { VenueRequest } from '../../src/model/venue-message.js';
import type { EpochMs } from '../../src/model/time.js';
import { pairOf } from '../model/sample-pair.js';
import { OKX_BTC, orderOf, START_MS } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';

const HALTED = { isHalted: true, exempt: [] };

function submitsOf(requests: readonly VenueRequest[]): string[] {
  return requests.flatMap((request) => (request.kind === 'Submit' ? `${request.orderId}-${request.child}` : []));
}

describe('A shard while trading is halted', () => {
  it('places nothing for an order that it has taken, and places it when trading goes on', () => {
    const rig = new ShardRig({ shard: 0, shardCount: 1, trading: HALTED });
    rig.work(orderOf(1));
    expect([rig.state(1)?.status, submitsOf(rig.venue.requests)]).toEqual(['ACCEPTED', []]);
    rig.post({ kind: 'SetTrading', isHalted: false, exempt: [] });
    rig.rest();
    expect(submitsOf(rig.venue.requests)).toEqual(['1-1']);
  });

  it('places for exempt accounts alone', () => {
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
    expect(rig.state(1)).toMatchObject({ progress: { filled: 10 }, children: [] });
    expect(submitsOf(rig.venue.requests)).toEqual(['1-1']);
    rig.post({ kind: 'SetTrading', isHalted: false, exempt: [] });
    rig.turn(60_000);
    rig.quote({});
    rig.rest();
    expect(submitsOf(rig.venue.requests)).toEqual(['1-1', '1-2']);
  });

  it('cancels what rests when it is asked to', () => {
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

  it('ends an order whose end time passes', () => {
    const rig = new ShardRig({ shard: 0, shardCount: 1, trading: HALTED });
    rig.work(orderOf(1, { endAtMs: (START_MS + 1_000) as EpochMs }));
    rig.turn(2_000);
    rig.rest();
    expect(rig.state(1)?.status).toBe('EXPIRED');
  });

  it('places no hedge of a pair, and hedges what has filled when trading goes on', () => {
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
    const { quantity } = rig.state(1)!.children[0]!.order;
    rig.fill(1, 1, quantity, 1);
    rig.rest();
    expect(submitsOf(rig.venue.requests)).toEqual(['1-1']);
    rig.post({ kind: 'SetTrading', isHalted: false, exempt: [] });
    rig.rest();
    expect(submitsOf(rig.venue.requests)).toEqual(['1-1', '1-2']);
  });
});
