import { beforeEach, describe, expect, it } from 'vitest';
import type { MarketCondition } from '../../src/domain/market.js';
import type { EpochMs } from '../../src/domain/time.js';
import { evolve } from '../../src/order/evolve.js';
import { Actor } from '../../src/shard/actor.js';
import { MarketSubscriptions } from '../../src/shard/market-subscriptions.js';
import { FakeMarket, marketOf, type Quote } from './fake-market.js';
import { BTC, ETH, orderOf, START_MS } from './sample-orders.js';

let market: FakeMarket;
let subscriptions: MarketSubscriptions;
let woken: Actor[];

beforeEach(() => {
  market = new FakeMarket();
  subscriptions = new MarketSubscriptions(market);
  woken = [];
});

function actorOn(instrument = BTC): Actor {
  return new Actor(evolve(null, { kind: 'ParentCreated', order: orderOf(1) }, START_MS), instrument);
}

function move(quote: Quote, instrument = BTC): void {
  subscriptions.collect(instrument.index, marketOf(quote, 0 as EpochMs), (actor) => woken.push(actor));
}

const askAtMost = (bound: number): MarketCondition => ({ field: 'ask', at: 'or below', bound });
const bidAtLeast = (bound: number): MarketCondition => ({ field: 'bid', at: 'or above', bound });

describe('Conditions', () => {
  it('fire once, at their bound', () => {
    const actor = actorOn();
    subscriptions.set(actor, [askAtMost(100)]);
    move({ ask: 101 });
    expect(woken).toEqual([]);
    move({ ask: 100 });
    move({ ask: 90 });
    expect(woken).toEqual([actor]);
    expect(actor.conditions).toEqual([]);
  });

  it('are removed together for one actor when the first one fires', () => {
    const actor = actorOn();
    subscriptions.set(actor, [askAtMost(100), bidAtLeast(200)]);
    move({ bid: 200, ask: 90 });
    move({ bid: 300, ask: 90 });
    expect(woken).toEqual([actor]);
  });

  it('wake only the orders whose bound is reached, nearest first', () => {
    const [far, near, between] = [actorOn(), actorOn(), actorOn()];
    subscriptions.set(far, [bidAtLeast(300)]);
    subscriptions.set(near, [bidAtLeast(100)]);
    subscriptions.set(between, [bidAtLeast(200)]);
    move({ bid: 200 });
    expect(woken).toEqual([near, between]);
  });

  it('do not fire for another instrument or an empty side', () => {
    subscriptions.set(actorOn(ETH), [askAtMost(100)]);
    subscriptions.set(actorOn(), [askAtMost(100)]);
    move({ ask: 0 });
    expect(woken).toEqual([]);
  });

  it('can use every field of a market', () => {
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
      subscriptions.set(actor, [condition]);
      return actor;
    });
    move({ bid: 10, ask: 20, last: 15, volume: 7 });
    expect(new Set(woken)).toEqual(new Set(actors));
  });

  it('never fire after they were replaced', () => {
    const actor = actorOn();
    subscriptions.set(actor, [askAtMost(100)]);
    subscriptions.set(actor, [askAtMost(50)]);
    move({ ask: 60 });
    expect(woken).toEqual([]);
    move({ ask: 50 });
    expect(woken).toEqual([actor]);
  });

  it('stay unchanged when the same conditions are set again', () => {
    const actor = actorOn();
    subscriptions.set(actor, [askAtMost(100)]);
    const version = actor.conditionsVersion;
    subscriptions.set(actor, [askAtMost(100)]);
    expect(actor.conditionsVersion).toBe(version);
    move({ ask: 100 });
    expect(woken).toEqual([actor]);
  });
});

describe('The watch on a row', () => {
  it('lasts while at least one order has a condition', () => {
    const [one, other] = [actorOn(), actorOn()];
    subscriptions.set(one, [askAtMost(1)]);
    subscriptions.set(other, [askAtMost(1), bidAtLeast(9)]);
    subscriptions.set(one, []);
    expect(market.watched).toEqual(new Set([BTC.index]));
    subscriptions.set(other, [askAtMost(2)]);
    expect(market.watched).toEqual(new Set([BTC.index]));
    subscriptions.set(other, []);
    expect(market.watched).toEqual(new Set());
  });

  it('ends when the last condition fires', () => {
    subscriptions.set(actorOn(), [askAtMost(100)]);
    move({ ask: 100 });
    expect(market.watched).toEqual(new Set());
  });
});

describe('A market', () => {
  it('stays awake while at least one order that may trade needs it', () => {
    const [one, other] = [actorOn(), actorOn()];
    subscriptions.keepAwake(one, true);
    subscriptions.keepAwake(one, true);
    subscriptions.keepAwake(other, true);
    subscriptions.keepAwake(one, false);
    subscriptions.keepAwake(one, false);
    expect(market.awake).toEqual(new Set([BTC.index]));
    subscriptions.keepAwake(other, false);
    expect(market.awake).toEqual(new Set());
  });
});

describe('A book', () => {
  it('is subscribed while at least one order uses it, and left once', () => {
    const [one, other, elsewhere] = [actorOn(), actorOn(), actorOn(ETH)];
    for (const actor of [one, one, other, elsewhere]) subscriptions.wantDepth(actor, true);
    expect(market.bookCalls).toEqual(['want 0', 'want 1']);
    for (const actor of [one, one, elsewhere]) subscriptions.wantDepth(actor, false);
    expect(market.wantedBooks).toEqual(new Set([BTC.index]));
    subscriptions.wantDepth(other, false);
    expect(market.bookCalls).toEqual(['want 0', 'want 1', 'leave 1', 'leave 0']);
  });

  it('causes no request when it has no subscribers and is left', () => {
    subscriptions.wantDepth(actorOn(), false);
    expect(market.bookCalls).toEqual([]);
  });
});
