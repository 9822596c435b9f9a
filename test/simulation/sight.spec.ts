import { describe, expect, it } from 'vitest';
import { createIn } from '../../src/backtest/memory-ports.js';
import { KILL_SWITCH_CAUSE } from '../../src/domain/cancel-cause.js';
import { assert } from '../../src/domain/rejection.js';
import { Depth } from '../../src/domain/market.js';
import type { AccountId, CorrelationId, OrderId } from '../../src/domain/ids.js';
import type { EpochMs } from '../../src/domain/time.js';
import { Shard } from '../../src/shard/shard.js';
import { CachedMarketView } from '../../src/shard/ring-ports.js';
import { SimulatedVenues } from '../../src/sim/simulated-venues.js';
import { MemoryVenueStore } from '../sim/memory-store.js';
import { DepthCacheReader, DepthCacheWriter } from '../../src/marketdata/depth-cache.js';
import { BellRinger } from '../../src/wire/bell.js';
import { MarketCacheWriter } from '../../src/marketdata/market-cache.js';
import { FakeInbox, FakeMain, FakeVenue } from '../shard/fake-ports.js';
import { MemoryJournal } from '../shard/memory-journal.js';
import { orderOf } from '../shard/sample-orders.js';
import { WatchingStrategy } from '../shard/watching-strategy.js';
import { CATALOGUE } from './listed.js';
import { createMemory } from '../../src/runtime/shared-memory.js';

const START_MS = 1_800_000_000_000;
const STEP_MS = 100;
const SHARD = 0;
const ORDER_ID = 1 as OrderId;
const [BTC] = CATALOGUE.instruments;
assert(BTC !== undefined, 'the first instrument is there');
const BTC_INDEX = BTC.index;

/** One shard over the last-value caches at simulated venues with their own history, in one thread. */
class Room {
  readonly strategy: WatchingStrategy;
  readonly market: CachedMarketView;
  nowMs = START_MS as EpochMs;
  /** Rows of books that the venues have written. */
  shownCount = 0;
  readonly #memory = createMemory(1, CATALOGUE);
  readonly #books: DepthCacheWriter;
  readonly #marketCache: MarketCacheWriter;
  readonly #venues: SimulatedVenues;
  readonly #inbox = new FakeInbox();
  readonly #journal = new MemoryJournal();
  readonly #requests = new FakeVenue([]);
  readonly #shard: Shard;

  constructor(strategy: WatchingStrategy) {
    const bell = new BellRinger(this.#memory.mainBell);
    this.strategy = strategy;
    this.market = new CachedMarketView(this.#memory, SHARD, bell);
    this.#books = new DepthCacheWriter(this.#memory.depth, [bell, bell]);
    this.#marketCache = new MarketCacheWriter(this.#memory.marketCache, [bell, bell]);
    this.#venues = this.#open();
    this.#shard = new Shard({
      shard: SHARD,
      shardCount: 1,
      clock: { nowMs: () => this.nowMs },
      catalogue: CATALOGUE,
      journal: this.#journal,
      inbox: this.#inbox,
      main: new FakeMain([]),
      venue: this.#requests,
      market: this.market,
      strategyFor: () => strategy,
    });
    this.pass(STEP_MS);
  }

  /** An order that observes its market and places no child. */
  create(): void {
    const order = orderOf(ORDER_ID, { createdAtMs: this.nowMs, startAtMs: this.nowMs, limitPrice: null });
    this.#inbox.commands.push(createIn(this.#journal, order, this.nowMs, 1 as CorrelationId));
  }

  cancel(): void {
    const account = 'alice' as AccountId;
    const named = { correlationId: 2 as CorrelationId, account, orderId: ORDER_ID };
    this.#inbox.commands.push({ kind: 'CancelParent', ...named, cancelCause: KILL_SWITCH_CAUSE });
  }

  pass(ms: number): void {
    for (const untilMs = this.nowMs + ms; this.nowMs < untilMs; this.nowMs = (this.nowMs + STEP_MS) as EpochMs) {
      this.#shard.turn();
      for (const request of this.#requests.requests.splice(0)) this.#venues.handle(request, SHARD, this.nowMs);
      this.#venues.advance(this.nowMs, {
        report: (report, destination) => void (destination === SHARD && this.#inbox.reports.push(report)),
        market: (instrument, market) => this.#marketCache.write(instrument, market, 0),
        trade: () => undefined,
      });
    }
  }

  /** The book as the main thread reads it. */
  book(): Depth {
    const depth = new Depth();
    new DepthCacheReader(this.#memory.depth, SHARD + 1).read(BTC_INDEX, depth);
    return depth;
  }

  #open(): SimulatedVenues {
    return new SimulatedVenues({
      catalogue: CATALOGUE,
      seed: 1,
      store: new MemoryVenueStore(),
      startMs: START_MS as EpochMs,
      isWatched: (instrument) => this.#marketCache.isWanted(instrument) || this.#books.isWanted(instrument),
      outlet: {
        subscriptions: { version: 0, followed: () => [], nextClosedMs: () => 0 as EpochMs },
        offer: () => true,
        isDepthWanted: (instrument) => this.#books.isWanted(instrument),
        showDepth: (instrument, depth) => {
          this.shownCount += 1;
          this.#books.write(instrument, depth, 0);
        },
        speed: 1,
      },
      balanceHome: () => SHARD,
      onRepeated: () => undefined,
    });
  }
}

describe('The market data of strategies at simulated venues', () => {
  it('has the book of a market only while a strategy trades on it', () => {
    const room = new Room(new WatchingStrategy({ depth: true }));
    room.pass(1_000);
    expect(room.shownCount).toBe(0);
    room.create();
    room.pass(5_000);
    const depth = room.market.depth(BTC_INDEX);
    expect(room.strategy.looks.at(-1)?.depth).toBe(depth);
    const { bid, ask, bidQuantity } = room.market.read(BTC_INDEX);
    assert(depth !== null, 'the book is shown');
    expect([depth.bids.prices[0], depth.asks.prices[0]]).toEqual([bid, ask]);
    expect([depth.bids.quantities[0], depth.bids.count]).toEqual([bidQuantity, 20]);
    expect(depth).toEqual(room.book());
    room.cancel();
    room.pass(STEP_MS);
    const shownCount = room.shownCount;
    expect(shownCount).toBeGreaterThan(40);
    room.pass(5_000);
    expect(room.shownCount).toBe(shownCount);
  });

  it('has no book when a strategy needs only the best prices', () => {
    const room = new Room(new WatchingStrategy({}));
    room.create();
    room.pass(5_000);
    expect(room.strategy.looks.length).toBeGreaterThan(3);
    expect(room.shownCount).toBe(0);
  });

  it('has a volume profile of the day with its peak in the European afternoon and its low in the European early morning', () => {
    const room = new Room(new WatchingStrategy({ profile: true }));
    room.create();
    room.pass(60_000);
    const profile = room.strategy.looks.at(-1)?.profile;
    assert(profile !== null && profile !== undefined, 'the profile is learnt');
    const hourly = Array.from({ length: 24 }, (_, hour) =>
      profile.shares.slice(hour * 12, hour * 12 + 12).reduce((total, share) => total + share, 0),
    );
    expect(hourly.indexOf(Math.max(...hourly))).toBe(14);
    expect(hourly.indexOf(Math.min(...hourly))).toBe(6);
    expect(profile.dailyVolume).toBeGreaterThan(0);
  });
});
