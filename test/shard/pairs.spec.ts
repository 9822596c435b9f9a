import { describe, expect, it } from 'vitest';
import { ANSWER_SILENCE_MS_MAX } from '../../src/model/limits.js';
import type { ParentOrder } from '../../src/model/order.js';
import type { EpochMs } from '../../src/model/time.js';
import { pairOf } from '../model/sample-pair.js';
import { BTC, OKX_BTC, orderOf, START_MS } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';

/** Buys at BINANCE and sells at OKX. */
const pair = (orderId: number, change: Partial<ParentOrder> = {}): ParentOrder =>
  pairOf(orderOf(orderId, change), 'OKX', { instrument: OKX_BTC.index });

/** A rig on which the pair has been accepted. */
function resting(change: Partial<ParentOrder> = {}): ShardRig {
  const rig = new ShardRig();
  rig.quote({}, OKX_BTC);
  rig.create(pair(1, change));
  rig.fund();
  rig.fund('alice', { venue: 'OKX' });
  rig.rest();
  return rig;
}

describe('A pair is admitted', () => {
  it('when the funds of both legs are known: each venue is asked once, and again when it is silent', () => {
    const rig = new ShardRig();
    rig.create(pair(1));
    expect(rig.venue.requests.map((request) => `${request.kind} ${request.venue}`)).toEqual([
      'QueryFunds OKX',
      'QueryFunds BINANCE',
    ]);
    rig.fund();
    rig.rest();
    expect(rig.state(1)?.status).toBe('PENDING_NEW');
    expect(rig.venue.requests).toHaveLength(2);
    rig.turn(ANSWER_SILENCE_MS_MAX);
    expect(rig.venue.requests.slice(2).map(({ venue }) => venue)).toEqual(['OKX']);
    rig.fund('alice', { venue: 'OKX' });
    rig.rest();
    expect(rig.state(1)?.status).toBe('ACCEPTED');
  });

  it.each([
    ['OKX' as const, 'legs[0]: the order needs 0.01 BTC, of which 0 is free'],
    ['BINANCE' as const, 'legs[1]: the order needs 640.21995 USDT, of which 0 is free'],
  ])('only if both legs are covered: not without funds at %s', (poor, message) => {
    const rig = new ShardRig();
    rig.create(pair(1));
    for (const venue of ['BINANCE', 'OKX'] as const) rig.fund('alice', { venue, ...(venue === poor ? NOTHING : {}) });
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'REJECTED', outcome: { code: 'INSUFFICIENT_FUNDS' } });
    expect(rig.state(1)?.outcome?.message).toBe(message);
  });

  it.each(['OKX', 'BINANCE'] as const)('only if both venues are up: not without %s', (venue) => {
    const rig = new ShardRig();
    rig.link(venue, false);
    rig.create(pair(1));
    expect(rig.state(1)).toMatchObject({ status: 'REJECTED', outcome: { code: 'EXCHANGE_NOT_AVAILABLE' } });
    expect(rig.venue.requests).toEqual([]);
  });

  it('is refused when the venue of a leg is lost while its balances are awaited', () => {
    const rig = new ShardRig();
    rig.create(pair(1));
    rig.link('OKX', false);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'REJECTED', outcome: { code: 'EXCHANGE_NOT_AVAILABLE' } });
  });
});

const NOTHING = { balances: [] };

describe('An accepted pair', () => {
  it('rests: no child, no market kept awake, nothing to wake for', () => {
    const rig = resting();
    expect(rig.state(1)).toMatchObject({ status: 'ACCEPTED', childCount: 0, startedAtMs: null });
    expect(rig.venue.requests.every(({ kind }) => kind === 'QueryFunds')).toBe(true);
    expect([rig.market.awake.has(BTC.index), rig.market.awake.has(OKX_BTC.index)]).toEqual([false, false]);
    expect(rig.shard.nextWakeMs()).toBe(Infinity);
  });

  it('ends by cancel, once', () => {
    const rig = resting();
    rig.cancel(1);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', outcome: null });
    expect(rig.shard.openParentCount).toBe(0);
  });

  it('ends at its end time, also after a restart', () => {
    const rig = resting({ endAtMs: (START_MS + 60_000) as EpochMs });
    rig.restart();
    rig.rest();
    expect(rig.shard.nextWakeMs()).toBe(START_MS + 60_000);
    rig.turn(60_000);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'EXPIRED', outcome: { code: 'EXPIRY_REACHED' } });
  });

  it('tells both venues of every step, in frames of their own', () => {
    const rig = resting();
    rig.cancel(1);
    rig.rest();
    const steps = rig.journal.entries.filter(({ envelope }) => envelope.orderId === 1);
    expect(steps.map(({ envelope, marks }) => [envelope.event.kind, marks])).toEqual(
      ['ParentCreated', 'ParentAccepted', 'ParentCancelRequested', 'ParentCancelled'].map((kind, index) => [
        kind,
        [
          { topic: 'order', n: index + 1 },
          { topic: 'order', n: index + 1, venue: 'OKX' },
        ],
      ]),
    );
  });
});
