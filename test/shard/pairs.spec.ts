import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ANSWER_SILENCE_MS_MAX } from '../../src/model/limits.js';
import type { AccountId, OrderId } from '../../src/model/ids.js';
import type { ParentOrder } from '../../src/model/order.js';
import { withQuantity } from '../../src/model/pair-quantity.js';
import type { Lots, Ticks } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import { pairOf } from '../model/sample-pair.js';
import { BTC, OKX_BTC, orderOf, START_MS } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';

/** Buys at BINANCE and sells at OKX. */
const pair = (orderId: number, change: Partial<ParentOrder> = {}): ParentOrder =>
  pairOf(orderOf(orderId, change), 'OKX', { instrument: OKX_BTC.index, limitPrice: null });

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

/** Sent for the order so far: the number of the child, where, and what. */
function submissions(rig: ShardRig): string[] {
  return rig.venue.requests.flatMap((request) =>
    request.kind === 'Submit'
      ? [`${request.child} ${request.venue} ${request.side} ${request.quantity} ${request.timeInForce}`]
      : [],
  );
}

describe('A pair that is worked', () => {
  it('keeps both markets awake while it may trade, and places its leading leg alone', () => {
    const rig = working();
    expect([rig.market.awake.has(BTC.index), rig.market.awake.has(OKX_BTC.index)]).toEqual([true, true]);
    expect(submissions(rig)).toEqual(['1 BINANCE BUY 200 GTC']);
  });

  it('hedges what fills of it, in numbers of its own, at the far touch less a tolerance', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.fill(1, 1, 200, 7);
    rig.rest();
    expect(submissions(rig)[1]).toBe('2 OKX SELL 200 IOC');
    const hedge = rig.venue.requests.find((request) => request.kind === 'Submit' && request.child === 2);
    expect(hedge).toMatchObject({ limitPrice: 6_400_000 - 4_000, instrument: OKX_BTC.index });
    expect(rig.state(1)).toMatchObject({
      progress: { filled: 200 },
      follower: { progress: { filled: 0 }, childCount: 1 },
    });
  });

  it('tries again after 250 ms, each time with twice the tolerance up to the bound', () => {
    const rig = hedging();
    const prices: number[] = [];
    for (let child = 2; child <= 12; child += 2) {
      prices.push(priceOf(rig, child));
      rig.endAt('OKX', 1, child);
      rig.quote({}, OKX_BTC);
      rig.quote({});
      rig.rest();
      expect(submissions(rig).at(-1)).toContain(`${child} OKX`);
      rig.turn(250);
    }
    expect(prices.map((price) => 6_400_000 - price)).toEqual([4_000, 8_000, 16_000, 32_000, 32_000, 32_000]);
  });

  it('goes on with its leading leg no further than may be unhedged', () => {
    const rig = hedging();
    rig.quote({}, OKX_BTC);
    rig.rest();
    expect(submissions(rig)).toEqual(['1 BINANCE BUY 200 GTC', '2 OKX SELL 200 IOC']);
    rig.fillAt('OKX', 1, 2, 200, 8);
    rig.turn(1_000);
    rig.quote({}, OKX_BTC);
    rig.quote({});
    rig.turn(1_000);
    rig.rest();
    expect(submissions(rig)[2]).toBe('3 BINANCE BUY 200 GTC');
  });

  it('withdraws its leading leg when a market is lost or stale, and prices no hedge by it', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.link('OKX', false);
    rig.rest();
    expect(rig.venue.requests.at(-1)).toMatchObject({ kind: 'Cancel', venue: 'BINANCE', child: 1 });
    rig.fill(1, 1, 100, 7);
    rig.end(1, 1, 100);
    rig.rest();
    expect(submissions(rig)).toHaveLength(1);
    rig.link('OKX', true);
    rig.quote({}, OKX_BTC);
    rig.turn(250);
    rig.rest();
    expect(submissions(rig)[1]).toBe('2 OKX SELL 100 IOC');
  });

  it('is cancelled only when what filled of it is hedged', () => {
    const rig = hedging();
    rig.cancel(1);
    rig.rest();
    expect(rig.state(1)?.status).toBe('PENDING_CANCEL');
    rig.endAt('OKX', 1, 2);
    rig.turn(250);
    rig.rest();
    expect(submissions(rig).at(-1)).toBe('4 OKX SELL 200 IOC');
    rig.fillAt('OKX', 1, 4, 200, 8);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', outcome: null, follower: { progress: { filled: 200 } } });
    expect([rig.market.awake.size, rig.shard.openParentCount]).toEqual([0, 0]);
  });

  it('is brought level at its end by a little more of the leading leg, when a rest is below the minimum', () => {
    const rig = endingWithRest();
    expect(submissions(rig).slice(1)).toEqual(['3 BINANCE BUY 8 IOC']);
    rig.fill(1, 3, 8, 8);
    rig.rest();
    expect(submissions(rig).at(-1)).toBe('2 OKX SELL 13 IOC');
    rig.fillAt('OKX', 1, 2, 13, 9);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', outcome: null, progress: { filled: 13 } });
  });

  it('names the rest that it ends with when no more of the leading leg is to be had in the time for a hedge', () => {
    const rig = endingWithRest();
    for (let ms = 0; ms < 36_000 && rig.shard.openParentCount > 0; ms += 1_000) {
      for (const { order } of rig.state(1)!.children) rig.end(1, order.child);
      rig.quote({});
      rig.quote({}, OKX_BTC);
      rig.turn(1_000);
      rig.rest();
    }
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', progress: { filled: 5 } });
    expect(rig.state(1)?.outcome).toEqual({
      code: 'INVALID_QUANTITY',
      message: "legs[0]: the rest of 0.00005 BTC is below the exchange's minimum of 0.00008",
    });
  });

  it('ends at its end time when that is hedged, also after a restart', () => {
    const rig = hedging({ endAtMs: (START_MS + 5_000) as EpochMs });
    rig.restart();
    rig.rest();
    rig.turn(5_000);
    rig.quote({}, OKX_BTC);
    rig.rest();
    expect(rig.state(1)?.status).toBe('PARTIALLY_FILLED');
    rig.fillAt('OKX', 1, 2, 200, 8);
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'EXPIRED', outcome: { code: 'EXPIRY_REACHED' } });
  });

  it('ends with SLIPPAGE_EXCEEDED when no hedge is to be had in time, and says what is unhedged', () => {
    const rig = hedging();
    for (let ms = 0; ms < 36_000 && rig.shard.openParentCount > 0; ms += 250) {
      for (const child of rig.state(1)!.children) {
        if (child.order.child % 2 === 0) rig.endAt('OKX', 1, child.order.child);
      }
      rig.quote({});
      rig.quote({}, OKX_BTC);
      rig.turn(250);
      rig.rest();
    }
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', outcome: { code: 'SLIPPAGE_EXCEEDED' } });
    expect(rig.state(1)?.outcome?.message).toMatch(
      /^legs\[0\]: 0.002 BTC of BTC\/USDT at OKX are unhedged after 35 s, worth 128.0001 USDT: max_unhedged_seconds is 30/,
    );
    const last = rig.venue.requests.findLast(({ kind }) => kind === 'Submit');
    expect(last).toMatchObject({ limitPrice: 6_400_000 - 128_000 });
  });

  it('tells of each child in the feed of its own leg, and of the order in both', () => {
    const rig = hedging();
    rig.fillAt('OKX', 1, 2, 200, 8);
    rig.rest();
    const fills = rig.journal.entries.filter(({ envelope }) => envelope.event.kind === 'ChildFilled');
    expect(
      fills.map(({ envelope, marks }) => [envelope.venue, marks.map(({ topic, venue }) => `${topic} ${venue}`)]),
    ).toEqual([
      ['BINANCE', ['child_order undefined', 'trade undefined', 'order undefined', 'order OKX']],
      ['OKX', ['child_order undefined', 'trade undefined', 'order undefined', 'order BINANCE']],
    ]);
  });

  it('hedges a fill that comes after its child has ended', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.end(1, 1);
    rig.rest();
    rig.fill(1, 1, 120, 7);
    rig.rest();
    expect(submissions(rig).at(-1)).toBe('2 OKX SELL 120 IOC');
  });

  it('takes new terms of both legs once what they rule out is gone, the same twice as once, and keeps them', () => {
    const rig = hedging();
    const { order } = rig.state(1)!;
    rig.fillAt('OKX', 1, 2, 200, 8);
    rig.turn(1_000);
    rig.quote({}, OKX_BTC);
    rig.quote({});
    rig.rest();
    expect(submissions(rig)[2]).toBe('3 BINANCE BUY 200 GTC');
    const terms = { ...withQuantity(order, 300 as Lots), revision: 1 };
    for (let times = 0; times < 2; times += 1) rig.post({ kind: 'AmendParent', order: terms });
    rig.rest();
    expect(rig.state(1)).toMatchObject({ order: { revision: 0 }, amendment: { revision: 1, quantity: 300 } });
    rig.accept(1, 3);
    rig.end(1, 3);
    rig.rest();
    expect(submissions(rig).at(-1)).toBe('5 BINANCE BUY 60 GTC');
    rig.restart();
    rig.rest();
    const amended = rig.state(1)!;
    expect(amended).toMatchObject({ amendment: null, order: { revision: 1, quantity: 300 } });
    expect(amended.order.pair?.legs.map(({ quantity, targetValue }) => [quantity, targetValue])).toEqual([
      [300, '0.003'],
      [300, '0.003'],
    ]);
  });

  it('refuses to be for less than has filled of either leg', () => {
    const rig = hedging();
    const { order } = rig.state(1)!;
    rig.post({ kind: 'AmendParent', order: { ...withQuantity(order, 199 as Lots), revision: 1 } });
    rig.rest();
    expect(rig.state(1)?.order.revision).toBe(0);
    expect(inspect(rig.main.messages, { depth: 9 })).toContain(
      'quantity 0.00199 is under what is filled already, 0.002',
    );
  });

  it('pauses when what filled is hedged, and goes on from there', () => {
    const rig = hedging();
    rig.post({ kind: 'PauseParent', account: 'alice' as AccountId, orderId: 1 as OrderId });
    rig.rest();
    expect(rig.state(1)?.status).toBe('PENDING_PAUSE');
    rig.fillAt('OKX', 1, 2, 200, 8);
    rig.rest();
    expect(rig.state(1)?.status).toBe('PAUSED');
    rig.post({ kind: 'ResumeParent', account: 'alice' as AccountId, orderId: 1 as OrderId });
    rig.rest();
    expect(submissions(rig).at(-1)).toBe('3 BINANCE BUY 200 GTC');
  });
});

/** A pair whose leading leg has placed what it may: 200 of its 1000 lots, for no more may be unhedged. */
function working(change: Partial<ParentOrder> = {}): ShardRig {
  return resting(change);
}

/** One whose first child has filled: its hedge is under way. */
function hedging(change: Partial<ParentOrder> = {}): ShardRig {
  const rig = working(change);
  rig.accept(1, 1);
  rig.fill(1, 1, 200, 7);
  rig.rest();
  return rig;
}

/** One that was cancelled when 5 lots had filled, of which the other venue takes no fewer than 8. */
function endingWithRest(): ShardRig {
  const rig = working({ limitPrice: 6_500_000 as Ticks });
  rig.accept(1, 1);
  rig.fill(1, 1, 5, 7);
  rig.cancel(1);
  rig.rest();
  rig.end(1, 1, 5);
  rig.rest();
  return rig;
}

function priceOf(rig: ShardRig, child: number): number {
  const sent = rig.venue.requests.find((request) => request.kind === 'Submit' && request.child === child);
  return sent?.kind === 'Submit' ? Number(sent.limitPrice) : 0;
}
