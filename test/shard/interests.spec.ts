import { beforeEach, describe, expect, it } from 'vitest';
import type { MarketCondition } from '../../src/model/market.js';
import type { EpochMs } from '../../src/model/time.js';
import { evolve } from '../../src/order/evolve.js';
import { Actor } from '../../src/shard/actor.js';
import { MarketInterests } from '../../src/shard/interests.js';
import { FakeMarket, marketOf, type Quote } from './fake-market.js';
import { BTC, ETH, orderOf, START_MS } from './sample-orders.js';

let market: FakeMarket;
let interests: MarketInterests;
let woken: Actor[];

beforeEach(() => {
  market = new FakeMarket();
  interests = new MarketInterests(market);
  woken = [];
});

function actorOn(instrument = BTC): Actor {
  return new Actor(evolve(null, { kind: 'ParentCreated', order: orderOf(1) }, START_MS), instrument);
}

function move(quote: Quote, instrument = BTC): void {
  interests.collect(instrument.index, marketOf(quote, 0 as EpochMs), (actor) => woken.push(actor));
}

const askAtMost = (bound: number): MarketCondition => ({ field: 'ask', at: 'or below', bound });
const bidAtLeast = (bound: number): MarketCondition => ({ field: 'bid', at: 'or above', bound });

describe('Conditions', () => {
  it('fire at their bound, once', () => {
    const actor = actorOn();
    interests.set(actor, [askAtMost(100)]);
    move({ ask: 101 });
    expect(woken).toEqual([]);
    move({ ask: 100 });
    move({ ask: 90 });
    expect(woken).toEqual([actor]);
    expect(actor.conditions).toEqual([]);
  });

  it('are taken out together: whichever comes first', () => {
    const actor = actorOn();
    interests.set(actor, [askAtMost(100), bidAtLeast(200)]);
    move({ bid: 200, ask: 90 });
    move({ bid: 300, ask: 90 });
    expect(woken).toEqual([actor]);
  });

  it('wake only the orders whose bound is reached, nearest first', () => {
    const [far, near, between] = [actorOn(), actorOn(), actorOn()];
    interests.set(far, [bidAtLeast(300)]);
    interests.set(near, [bidAtLeast(100)]);
    interests.set(between, [bidAtLeast(200)]);
    move({ bid: 200 });
    expect(woken).toEqual([near, between]);
  });

  it('on another instrument, or a side that is empty, do not fire', () => {
    interests.set(actorOn(ETH), [askAtMost(100)]);
    interests.set(actorOn(), [askAtMost(100)]);
    move({ ask: 0 });
    expect(woken).toEqual([]);
  });

  it('can look at every field', () => {
    const fields: MarketCondition[] = [
      bidAtLeast(10),
      askAtMost(20),
      { field: 'last', at: 'or above', bound: 15 },
      { field: 'volume', at: 'or above', bound: 7 },
      { field: 'bidShare', at: 'or below', bound: 0.25 },
      { field: 'askShare', at: 'or above', bound: 0.75 },
    ];
    const actors = fields.map((condition) => {
      const actor = actorOn();
      interests.set(actor, [condition]);
      return actor;
    });
    move({ bid: 10, ask: 20, last: 15, volume: 7 });
    expect(new Set(woken)).toEqual(new Set(actors));
  });

  it('that were replaced are dead', () => {
    const actor = actorOn();
    interests.set(actor, [askAtMost(100)]);
    interests.set(actor, [askAtMost(50)]);
    move({ ask: 60 });
    expect(woken).toEqual([]);
    move({ ask: 50 });
    expect(woken).toEqual([actor]);
  });

  it('that are set again unchanged stay as they are', () => {
    const actor = actorOn();
    interests.set(actor, [askAtMost(100)]);
    const version = actor.conditionsVersion;
    interests.set(actor, [askAtMost(100)]);
    expect(actor.conditionsVersion).toBe(version);
    move({ ask: 100 });
    expect(woken).toEqual([actor]);
  });
});

describe('The watch on a row', () => {
  it('is on while at least one order waits', () => {
    const [one, other] = [actorOn(), actorOn()];
    interests.set(one, [askAtMost(1)]);
    interests.set(other, [askAtMost(1), bidAtLeast(9)]);
    interests.set(one, []);
    expect(market.watched).toEqual(new Set([BTC.index]));
    interests.set(other, [askAtMost(2)]);
    expect(market.watched).toEqual(new Set([BTC.index]));
    interests.set(other, []);
    expect(market.watched).toEqual(new Set());
  });

  it('ends when the last condition fires', () => {
    interests.set(actorOn(), [askAtMost(100)]);
    move({ ask: 100 });
    expect(market.watched).toEqual(new Set());
  });
});

describe('A market', () => {
  it('is kept awake as long as one order that may trade is on it', () => {
    const [one, other] = [actorOn(), actorOn()];
    interests.keepAwake(one, true);
    interests.keepAwake(one, true);
    interests.keepAwake(other, true);
    interests.keepAwake(one, false);
    interests.keepAwake(one, false);
    expect(market.awake).toEqual(new Set([BTC.index]));
    interests.keepAwake(other, false);
    expect(market.awake).toEqual(new Set());
  });
});

describe('A book', () => {
  it('is shown as long as one order looks at it, and is left once', () => {
    const [one, other, elsewhere] = [actorOn(), actorOn(), actorOn(ETH)];
    for (const actor of [one, one, other, elsewhere]) interests.wantDepth(actor, true);
    expect(market.bookCalls).toEqual(['want 0', 'want 1']);
    for (const actor of [one, one, elsewhere]) interests.wantDepth(actor, false);
    expect(market.wantedBooks).toEqual(new Set([BTC.index]));
    interests.wantDepth(other, false);
    expect(market.bookCalls).toEqual(['want 0', 'want 1', 'leave 1', 'leave 0']);
  });

  it('that nobody looked at need not be left', () => {
    interests.wantDepth(actorOn(), false);
    expect(market.bookCalls).toEqual([]);
  });
});
