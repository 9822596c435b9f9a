import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ANSWER_SILENCE_MS_MAX, RECONNECT_WAIT_MS } from '../../src/domain/limits/trading.js';
import type { Venue } from '../../src/domain/exchange.js';
import type { AccountId, OrderId } from '../../src/domain/ids.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { Leg, ParentOrder } from '../../src/domain/order.js';
import { withQuantity } from '../../src/domain/order-legs.js';
import type { Lots, Ticks } from '../../src/domain/quantity.js';
import type { DurationMs, EpochMs } from '../../src/domain/time.js';
import { pairOf } from '../domain/sample-pair.js';
import { BTC, OKX_BTC, orderOf, START_MS } from './sample-orders.js';
import { ShardRig } from './shard-rig.js';
import { liveChildren } from '../../src/domain/order-state.js';
import type { FlatTerms } from '../domain/plain-order.js';

const HOUR_MS = 3_600_000;

/** Buys at BINANCE and sells at OKX. */
const pair = (orderId: number, change: Partial<FlatTerms> = {}): ParentOrder =>
  pairOf(orderOf(orderId, change), 'OKX', { instrument: OKX_BTC.index, limitPrice: null });

/** A shard with an accepted pair. */
function resting(change: Partial<FlatTerms> = {}): ShardRig {
  const rig = new ShardRig();
  rig.quote({}, OKX_BTC);
  rig.create(pair(1, change));
  rig.fund();
  rig.fund('alice', { venue: 'OKX' });
  rig.rest();
  return rig;
}

describe('The admission of a pair', () => {
  it('waits for the funds of both legs: each venue is asked once, and again without an answer', () => {
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
  ])('rejects a pair without funds at %s', (poor, message) => {
    const rig = new ShardRig();
    rig.create(pair(1));
    for (const venue of ['BINANCE', 'OKX'] as const) rig.fund('alice', { venue, ...(venue === poor ? NOTHING : {}) });
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'REJECTED', outcome: { code: 'INSUFFICIENT_FUNDS' } });
    expect(rig.state(1)?.outcome?.message).toBe(message);
  });

  it.each(['OKX', 'BINANCE'] as const)('rejects a pair when %s is not back 2 s after a cut', (venue) => {
    const rig = new ShardRig();
    rig.link(venue, false);
    rig.create(pair(1));
    expect(rig.state(1)?.status).toBe('PENDING_NEW');
    rig.turn(RECONNECT_WAIT_MS);
    expect(rig.state(1)).toMatchObject({ status: 'REJECTED', outcome: { code: 'EXCHANGE_NOT_AVAILABLE' } });
    expect(rig.venue.requests).toEqual([]);
  });

  it('rejects a pair whose venue is lost while its balances are missing, 2 s later', () => {
    const rig = new ShardRig();
    rig.create(pair(1));
    rig.link('OKX', false);
    rig.rest();
    expect(rig.state(1)?.status).toBe('PENDING_NEW');
    rig.turn(RECONNECT_WAIT_MS);
    expect(rig.state(1)).toMatchObject({ status: 'REJECTED', outcome: { code: 'EXCHANGE_NOT_AVAILABLE' } });
  });
});

const NOTHING = { balances: [] };

/** The submissions of the order so far: child number, venue, side, quantity, time in force. */
function submissions(rig: ShardRig): string[] {
  return rig.venue.requests.flatMap((request) =>
    request.kind === 'Submit'
      ? [`${request.child} ${request.venue} ${request.side} ${request.quantity} ${request.timeInForce}`]
      : [],
  );
}

describe('A working pair', () => {
  it('keeps both markets awake while it may trade, and places only its leading leg', () => {
    const rig = working();
    expect([rig.market.awake.has(BTC.index), rig.market.awake.has(OKX_BTC.index)]).toEqual([true, true]);
    expect(submissions(rig)).toEqual(['1 BINANCE BUY 200 GTC']);
  });

  it('hedges a fill of the leading leg with a child of the hedging leg, at the far touch with a tolerance', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.fill(1, 1, 200, 7);
    rig.rest();
    expect(submissions(rig)[1]).toBe('2 OKX SELL 200 IOC');
    const hedge = rig.venue.requests.find((request) => request.kind === 'Submit' && request.child === 2);
    expect(hedge).toMatchObject({ limitPrice: 6_400_000 - 4_000, instrument: OKX_BTC.index });
    expect(rig.state(1)).toMatchObject({
      legs: [{ progress: { filled: 0 }, childCount: 1 }, { progress: { filled: 200 } }],
    });
  });

  it('repeats a hedge after 250 ms with twice the tolerance, up to a maximum', () => {
    const rig = hedging();
    const prices: number[] = [];
    for (let child = 2; child <= 7; child += 1) {
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

  it('limits the leading leg to the unhedged headroom', () => {
    const rig = hedging();
    rig.quote({}, OKX_BTC);
    rig.rest();
    expect(submissions(rig)).toEqual(['1 BINANCE BUY 200 GTC', '2 OKX SELL 200 IOC']);
    rig.at('OKX', () => rig.fill(1, 2, 200, 8));
    rig.turn(1_000);
    rig.quote({}, OKX_BTC);
    rig.quote({});
    rig.turn(1_000);
    rig.rest();
    expect(submissions(rig)[2]).toBe('3 BINANCE BUY 200 GTC');
  });

  it('withdraws its leading leg without a fresh market, and sends no hedge at a stale price', () => {
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

  it('is cancelled only after its fills are hedged', () => {
    const rig = hedging();
    rig.cancel(1);
    rig.rest();
    expect(rig.state(1)?.status).toBe('PENDING_CANCEL');
    rig.endAt('OKX', 1, 2);
    rig.turn(250);
    rig.rest();
    expect(submissions(rig).at(-1)).toBe('3 OKX SELL 200 IOC');
    rig.at('OKX', () => rig.fill(1, 3, 200, 8));
    rig.rest();
    expect(rig.state(1)).toMatchObject({
      status: 'CANCELLED',
      outcome: null,
      legs: [{ progress: { filled: 200 } }, {}],
    });
    expect([rig.market.awake.size, rig.shard.openParentCount]).toEqual([0, 0]);
  });

  it('buys a little more of the leading leg at its end when the rest is below the minimum of a hedge', () => {
    const rig = endingWithRest();
    expect(submissions(rig).slice(1)).toEqual(['2 BINANCE BUY 8 IOC']);
    rig.fill(1, 2, 8, 8);
    rig.rest();
    expect(submissions(rig).at(-1)).toBe('3 OKX SELL 13 IOC');
    rig.at('OKX', () => rig.fill(1, 3, 13, 9));
    rig.rest();
    expect(rig.state(1)).toMatchObject({
      status: 'CANCELLED',
      outcome: null,
      legs: [{}, { progress: { filled: 13 } }],
    });
  });

  it('ends with the unhedged rest in its message when the leading leg gets no more fills in time', () => {
    const rig = endingWithRest();
    for (let ms = 0; ms < 36_000 && rig.shard.openParentCount > 0; ms += 1_000) {
      for (const { order } of liveChildren(rig.state(1)!)) rig.end(1, order.child);
      rig.quote({});
      rig.quote({}, OKX_BTC);
      rig.turn(1_000);
      rig.rest();
    }
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', legs: [{}, { progress: { filled: 5 } }] });
    expect(rig.state(1)?.outcome).toEqual({
      code: 'INVALID_QUANTITY',
      message: "legs[0]: the rest of 0.00005 BTC is below the exchange's minimum of 0.00008",
    });
  });

  it('ends at its end time after the hedge, also after a restart', () => {
    const rig = hedging({ endAtMs: (START_MS + 5_000) as EpochMs });
    rig.restart();
    rig.rest();
    rig.turn(5_000);
    rig.quote({}, OKX_BTC);
    rig.rest();
    expect(rig.state(1)?.status).toBe('PARTIALLY_FILLED');
    rig.at('OKX', () => rig.fill(1, 2, 200, 8));
    rig.rest();
    expect(rig.state(1)).toMatchObject({ status: 'EXPIRED', outcome: { code: 'EXPIRY_REACHED' } });
  });

  it('ends with SLIPPAGE_EXCEEDED and the unhedged quantity when no hedge fills in time', () => {
    const rig = hedging();
    for (let ms = 0; ms < 36_000 && rig.shard.openParentCount > 0; ms += 250) {
      for (const child of liveChildren(rig.state(1)!)) {
        if (child.order.leg === 0) rig.endAt('OKX', 1, child.order.child);
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

  it('names a missing price when it ends with SLIPPAGE_EXCEEDED, and no worth without one', () => {
    const rig = hedging();
    for (let ms = 0; ms < 60_000 && rig.shard.openParentCount > 0; ms += 250) {
      for (const child of liveChildren(rig.state(1)!)) {
        if (child.order.leg === 0) rig.endAt('OKX', 1, child.order.child);
      }
      rig.turn(250);
      rig.rest();
    }
    expect(rig.state(1)?.outcome?.message).toBe(
      'legs[0]: 0.002 BTC of BTC/USDT at OKX are unhedged after 35 s, of unknown worth: max_unhedged_seconds is 30, ' +
        'hedge_slippage_bps 50; BTC/USDT at OKX has no current price',
    );
  });

  it('publishes each child in the feed of its leg, and the order in both feeds', () => {
    const rig = hedging();
    rig.at('OKX', () => rig.fill(1, 2, 200, 8));
    rig.rest();
    const fills = rig.journal.entries.filter(({ envelope }) => envelope.event.kind === 'ChildFilled');
    expect(
      fills.map(({ envelope, marks }) => [envelope.venue, marks.map(({ topic, venue }) => `${topic} ${venue}`)]),
    ).toEqual([
      ['BINANCE', ['child_order undefined', 'trade undefined', 'order undefined', 'order OKX']],
      ['OKX', ['child_order undefined', 'trade undefined', 'order undefined', 'order BINANCE']],
    ]);
  });

  it('hedges a fill that arrives after the end of its child', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.end(1, 1);
    rig.rest();
    rig.fill(1, 1, 120, 7);
    rig.rest();
    expect(submissions(rig).at(-1)).toBe('2 OKX SELL 120 IOC');
  });

  it('quarantines the order for a late fill that names no instrument of a leg', () => {
    const rig = working();
    rig.accept(1, 1);
    rig.end(1, 1);
    rig.rest();
    rig.fill(1, 1, 120, 7);
    const late = rig.inbox.reports.at(-1);
    if (late?.kind === 'Filled') rig.inbox.reports.splice(-1, 1, { ...late, instrument: 9_999 as InstrumentIndex });
    rig.rest();
    expect(rig.state(1)).toMatchObject({
      legs: [{ progress: { filled: 0 } }, { progress: { filled: 0 } }],
      quarantine: { reason: 'CONTRADICTORY_REPORT' },
    });
  });

  it('amends both legs after it has withdrawn conflicting children, and ignores a repeated amendment', () => {
    const rig = hedging();
    const { order } = rig.state(1)!;
    rig.at('OKX', () => rig.fill(1, 2, 200, 8));
    rig.turn(1_000);
    rig.quote({}, OKX_BTC);
    rig.quote({});
    rig.rest();
    expect(submissions(rig)[2]).toBe('3 BINANCE BUY 200 GTC');
    const terms = { ...withQuantity(order, 300 as Lots), revision: 1 };
    for (let times = 0; times < 2; times += 1) rig.post({ kind: 'AmendParent', order: terms });
    rig.rest();
    expect(rig.state(1)).toMatchObject({
      order: { revision: 0 },
      amendment: { revision: 1, legs: [{ quantity: 300 }, { quantity: 300 }] },
    });
    rig.accept(1, 3);
    rig.end(1, 3);
    rig.rest();
    expect(submissions(rig).at(-1)).toBe('4 BINANCE BUY 60 GTC');
    rig.restart();
    rig.rest();
    const amended = rig.state(1)!;
    expect(amended).toMatchObject({ amendment: null, order: { revision: 1 } });
    expect(amended.order.legs.map(({ quantity, target }) => [quantity, target?.value])).toEqual([
      [300, '0.003'],
      [300, '0.003'],
    ]);
  });

  it('refuses an amendment below the filled quantity of a leg', () => {
    const rig = hedging();
    const { order } = rig.state(1)!;
    rig.post({ kind: 'AmendParent', order: { ...withQuantity(order, 199 as Lots), revision: 1 } });
    rig.rest();
    expect(rig.state(1)?.order.revision).toBe(0);
    expect(inspect(rig.main.messages, { depth: 9 })).toContain('quantity 0.00199 is below the filled quantity 0.002');
  });

  it('pauses after its fills are hedged, and continues after the resume', () => {
    const rig = hedging();
    rig.post({ kind: 'PauseParent', account: 'alice' as AccountId, orderId: 1 as OrderId });
    rig.rest();
    expect(rig.state(1)?.status).toBe('PENDING_PAUSE');
    rig.at('OKX', () => rig.fill(1, 2, 200, 8));
    rig.rest();
    expect(rig.state(1)?.status).toBe('PAUSED');
    rig.post({ kind: 'ResumeParent', account: 'alice' as AccountId, orderId: 1 as OrderId });
    rig.rest();
    expect(submissions(rig).at(-1)).toBe('3 BINANCE BUY 200 GTC');
  });
});

describe('A pair without a leading leg', () => {
  it('is rejected when the exchange refuses all children of either leg', () => {
    const rig = leaderless();
    refuseAtOkx(rig, 60_000);
    expect(rig.state(1)).toMatchObject({
      status: 'REJECTED',
      outcome: { code: 'INSUFFICIENT_FUNDS', message: 'legs[0]: no funds' },
    });
  });

  it('ends in time when one leg is filled and the exchange refuses all children of the other', () => {
    const rig = leaderless();
    rig.accept(1, childAt(rig, 'BINANCE'));
    rig.fill(1, childAt(rig, 'BINANCE'), 200, 7);
    refuseAtOkx(rig, 90_000);
    expect(rig.state(1)).toMatchObject({ status: 'CANCELLED', outcome: { code: 'SLIPPAGE_EXCEEDED' } });
    expect(rig.state(1)?.outcome?.message).toContain('the exchange said INSUFFICIENT_FUNDS, no funds');
  });

  it.each([
    ['the end of the pair', HOUR_MS, START_MS + HOUR_MS],
    ['its own duration once more, when the pair has no end', null, START_MS + 1_300_000],
  ] as const)('plans a leg that is resumed after its own end until %s', (_, durationMs, endMs) => {
    const timed = { strategy: 'TWAP', durationMs: 600_000 as DurationMs } as const;
    const rig = leaderless(
      {
        ...(durationMs !== null && { strategy: 'TWAP' }),
        durationMs: durationMs as DurationMs | null,
        endAtMs: durationMs === null ? null : ((START_MS + durationMs) as EpochMs),
      },
      timed,
    );
    endAll(rig);
    rig.post({ kind: 'PauseParent', account: 'alice' as AccountId, orderId: 1 as OrderId });
    rig.rest();
    rig.turn(700_000);
    rig.quote({});
    rig.quote({}, OKX_BTC);
    rig.post({ kind: 'ResumeParent', account: 'alice' as AccountId, orderId: 1 as OrderId });
    rig.rest();
    expect(rig.state(1)?.legs[0].memory).toMatchObject({ kind: 'TWAP', endMs });
    const placed = submissions(rig).slice(2);
    expect(placed.find((line) => line.includes('OKX'))).toMatch(/^\d+ OKX SELL \d{1,3} IOC$/);
  });
});

/** A pair without a leading leg that takes the first clip of each leg: two icebergs without an end time. */
function leaderless(change: Partial<FlatTerms> = {}, okx: Partial<Leg> = {}): ShardRig {
  const rig = new ShardRig();
  rig.quote({}, OKX_BTC);
  const order = orderOf(1, {
    strategy: 'ICEBERG',
    style: 'AGGRESSIVE',
    limitPrice: null,
    clip: { type: 'ABSOLUTE', quantity: 200 as Lots },
    ...change,
  });
  const both = pairOf(order, 'OKX', { instrument: OKX_BTC.index, ...okx });
  rig.create({ ...both, pair: { ...both.pair!, isLed: false } });
  rig.fund();
  rig.fund('alice', { venue: 'OKX' });
  rig.rest();
  return rig;
}

function childAt(rig: ShardRig, at: Venue): number {
  const sent = rig.venue.requests.find((request) => request.kind === 'Submit' && request.venue === at);
  return sent?.kind === 'Submit' ? sent.child : 0;
}

/** Ends the live children without a fill. */
function endAll(rig: ShardRig): void {
  for (const { order } of liveChildren(rig.state(1)!)) {
    if (order.leg === 0) rig.endAt('OKX', 1, order.child);
    else rig.end(1, order.child);
  }
  rig.rest();
}

/** Refuses each child at OKX and ends the others without a fill, until the order ends or the time is over. */
function refuseAtOkx(rig: ShardRig, forMs: number): void {
  let taken = 0;
  for (let ms = 0; ms < forMs && rig.shard.openParentCount > 0; ms += 250) {
    for (const request of rig.venue.requests.slice(taken)) {
      if (request.kind === 'Submit' && request.venue === 'OKX') {
        const { account, venue, orderId, child } = request;
        const rejection = { code: 'INSUFFICIENT_FUNDS', message: 'no funds' } as const;
        rig.inbox.reports.push({ account, venue, orderId, child, atMs: rig.nowMs, kind: 'Rejected', rejection });
      } else if (request.kind === 'Submit') rig.end(1, request.child);
    }
    taken = rig.venue.requests.length;
    rig.quote({});
    rig.quote({}, OKX_BTC);
    rig.turn(250);
    rig.rest();
  }
}

/** A pair whose leading leg has placed 200 of its 1,000 lots, which is the unhedged headroom. */
function working(change: Partial<FlatTerms> = {}): ShardRig {
  return resting(change);
}

/** A pair with a filled first child. Its hedge is in flight. */
function hedging(change: Partial<FlatTerms> = {}): ShardRig {
  const rig = working(change);
  rig.accept(1, 1);
  rig.fill(1, 1, 200, 7);
  rig.rest();
  return rig;
}

/** A pair cancelled with 5 lots filled. The other venue's minimum is 8 lots. */
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
