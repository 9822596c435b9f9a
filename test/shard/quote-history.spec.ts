import { describe, expect, it } from 'vitest';
import type { MarketObserved } from '../../src/domain/event.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import { QUOTE_AFTERMATH_MS } from '../../src/domain/limits/trading.js';
import type { MarketObservation } from '../../src/domain/market.js';
import type { Lots, Notional, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { MarketSubscriptions } from '../../src/shard/market-subscriptions.js';
import { QuoteHistory, QuoteClaims } from '../../src/shard/quote-history.js';
import { TurnBatch } from '../../src/shard/turn-batch.js';
import { FakeMarket } from './fake-market.js';
import { MemoryJournal } from './memory-journal.js';
import { BTC, CATALOGUE, START_MS } from './sample-orders.js';

const ETH = CATALOGUE.instruments.find(({ symbol }) => symbol.startsWith('ETH'))!.index;

/** A market that trades one lot each millisecond, and shards that journal its quote history. */
class SharedMarket {
  nowMs = START_MS;
  isCrossed = false;
  isStale = false;
  readonly market = new FakeMarket();
  readonly claims = QuoteClaims.create(CATALOGUE.instruments.length);
  readonly journal = new MemoryJournal();

  shard(number: number) {
    const subscriptions = new MarketSubscriptions(this.market);
    const batch = new TurnBatch();
    const quotes = new QuoteHistory({
      shard: number,
      source: { observe: () => this.#seen() },
      claims: new QuoteClaims(this.claims),
      past: this.journal,
      catalogue: CATALOGUE,
      subscriptions,
      batch,
    });
    return { subscriptions, batch, quotes };
  }

  /** Runs a turn of the shard at a later time. Returns the observations that it journalled. */
  turn({ batch, quotes }: ReturnType<SharedMarket['shard']>, afterMs: number): MarketObserved[] {
    this.nowMs = (this.nowMs + afterMs) as EpochMs;
    batch.begin(this.nowMs);
    quotes.observe(this.nowMs);
    const before = this.journal.entries.length;
    batch.commit(this.journal, () => undefined);
    batch.clear();
    return this.journal.entries.slice(before).map(({ envelope }) => envelope.event as MarketObserved);
  }

  #seen(): MarketObservation {
    const bid = 6_400_000 as Ticks;
    return {
      bid,
      ask: (this.isCrossed ? bid - 1 : bid + 10) as Ticks,
      volume: (this.nowMs - START_MS) as Lots,
      turnover: (BigInt(this.nowMs - START_MS) * BigInt(bid)) as Notional,
      atMs: (this.isStale ? this.nowMs - 60_000 : this.nowMs) as EpochMs,
    };
  }
}

describe('the quote history of a shard', () => {
  it('is empty while no market is awake', () => {
    const shared = new SharedMarket();
    const shard = shared.shard(0);
    expect(shared.turn(shard, 0)).toEqual([]);
    expect(shard.quotes.nextRoundMs()).toBe(Infinity);
  });

  it('observes each awake market once a second, however often turns run', () => {
    const shared = new SharedMarket();
    const shard = shared.shard(0);
    shard.subscriptions.hold(BTC.index, true);
    shard.subscriptions.hold(ETH, true);
    const seen: MarketObserved[] = [];
    // The first observation is at once, the others at every whole second.
    for (let ms = 0; ms < 10_000; ms += 50) seen.push(...shared.turn(shard, 50));
    expect(seen.filter(({ instrument }) => instrument === BTC.index)).toHaveLength(11);
    expect(seen.filter(({ instrument }) => instrument === ETH)).toHaveLength(11);
    expect(shard.quotes.nextRoundMs() - shared.nowMs).toBeLessThanOrEqual(1_000);
  });

  it('observes a market at once when an order acts, at most ten times a second', () => {
    const shared = new SharedMarket();
    const shard = shared.shard(0);
    let count = 0;
    for (let ms = 0; ms < 1_000; ms += 10) {
      shard.batch.worked.add(BTC.index);
      count += shared.turn(shard, 10).length;
    }
    expect(count).toBeGreaterThanOrEqual(9);
    expect(count).toBeLessThanOrEqual(11);
  });

  it('assigns a market to one of the shards that work in it', () => {
    const shared = new SharedMarket();
    const shards = [0, 1, 2].map((number) => shared.shard(number));
    for (const { subscriptions } of shards) subscriptions.hold(BTC.index, true);
    let count = 0;
    for (let ms = 0; ms < 5_000; ms += 100) {
      for (const [index, shard] of shards.entries()) count += shared.turn(shard, index === 0 ? 100 : 0).length;
    }
    expect(count).toBeGreaterThanOrEqual(5);
    expect(count).toBeLessThanOrEqual(6);
  });

  it('continues for a minute after a fill, and then lets the market sleep', () => {
    const shared = new SharedMarket();
    const shard = shared.shard(0);
    shard.batch.filled.add(BTC.index);
    shard.batch.worked.add(BTC.index);
    shared.turn(shard, 0);
    const filledAtMs = shared.nowMs;
    const last = new Map<InstrumentIndex, number>();
    while (shared.nowMs < filledAtMs + 90_000) {
      for (const { instrument } of shared.turn(shard, 250)) last.set(instrument, shared.nowMs);
    }
    expect(last.get(BTC.index)).toBeGreaterThanOrEqual(filledAtMs + 61_000);
    expect(last.get(BTC.index)).toBeLessThanOrEqual(filledAtMs + QUOTE_AFTERMATH_MS + 1_000);
    expect(shared.market.awake.size).toBe(0);
  });

  it('rejects stale and crossed markets', () => {
    const shared = new SharedMarket();
    const shard = shared.shard(0);
    shard.subscriptions.hold(BTC.index, true);
    shared.isCrossed = true;
    expect(shared.turn(shard, 2_000)).toEqual([]);
    [shared.isCrossed, shared.isStale] = [false, true];
    expect(shared.turn(shard, 2_000)).toEqual([]);
    shared.isStale = false;
    expect(shared.turn(shard, 2_000)).toHaveLength(1);
  });
});
