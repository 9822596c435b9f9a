import { describe, expect, it } from 'vitest';
import type { MarketObserved } from '../../src/model/event.js';
import type { InstrumentIndex } from '../../src/model/instrument.js';
import { TAPE_AFTERMATH_MS } from '../../src/model/limits.js';
import type { MarketObservation } from '../../src/model/market.js';
import type { Lots, Notional, Ticks } from '../../src/model/quantity.js';
import type { EpochMs } from '../../src/model/time.js';
import { MarketInterests } from '../../src/shard/interests.js';
import { MarketTape } from '../../src/shard/market-tape.js';
import { TurnBatch } from '../../src/shard/turn-batch.js';
import { TapeClaims } from '../../src/wire/tape-claims.js';
import { FakeMarket } from './fake-market.js';
import { MemoryJournal } from './memory-journal.js';
import { BTC, CATALOGUE, START_MS } from './sample-orders.js';

const ETH = CATALOGUE.instruments.find(({ symbol }) => symbol.startsWith('ETH'))!.index;

/** A market that trades one lot each millisecond, and the tapes of the shards that look at it. */
class Room {
  nowMs = START_MS;
  isCrossed = false;
  isStale = false;
  readonly market = new FakeMarket();
  readonly claims = TapeClaims.create(CATALOGUE.instruments.length);
  readonly journal = new MemoryJournal();

  shard(number: number) {
    const interests = new MarketInterests(this.market);
    const batch = new TurnBatch();
    const tape = new MarketTape({
      shard: number,
      source: { observe: () => this.#seen() },
      claims: new TapeClaims(this.claims),
      past: this.journal,
      catalogue: CATALOGUE,
      interests,
      batch,
    });
    return { interests, batch, tape };
  }

  /** A turn of the shard at a later time; returns what it journalled. */
  turn({ batch, tape }: ReturnType<Room['shard']>, afterMs: number): MarketObserved[] {
    this.nowMs = (this.nowMs + afterMs) as EpochMs;
    batch.begin(this.nowMs);
    tape.observe(this.nowMs);
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

describe('the tape of a shard', () => {
  it('says nothing while no market is kept alive', () => {
    const room = new Room();
    const shard = room.shard(0);
    expect(room.turn(shard, 0)).toEqual([]);
    expect(shard.tape.nextRoundMs()).toBe(Infinity);
  });

  it('observes each market that is kept alive once a second, in whatever turns', () => {
    const room = new Room();
    const shard = room.shard(0);
    shard.interests.hold(BTC.index, true);
    shard.interests.hold(ETH, true);
    const seen: MarketObserved[] = [];
    // The first at once, then at every whole second.
    for (let ms = 0; ms < 10_000; ms += 50) seen.push(...room.turn(shard, 50));
    expect(seen.filter(({ instrument }) => instrument === BTC.index)).toHaveLength(11);
    expect(seen.filter(({ instrument }) => instrument === ETH)).toHaveLength(11);
    expect(shard.tape.nextRoundMs() - room.nowMs).toBeLessThanOrEqual(1_000);
  });

  it('observes at once where an order does something, ten times a second at most', () => {
    const room = new Room();
    const shard = room.shard(0);
    let count = 0;
    for (let ms = 0; ms < 1_000; ms += 10) {
      shard.batch.worked.add(BTC.index);
      count += room.turn(shard, 10).length;
    }
    expect(count).toBeGreaterThanOrEqual(9);
    expect(count).toBeLessThanOrEqual(11);
  });

  it('leaves a market to one of the shards that work in it', () => {
    const room = new Room();
    const shards = [0, 1, 2].map((number) => room.shard(number));
    for (const { interests } of shards) interests.hold(BTC.index, true);
    let count = 0;
    for (let ms = 0; ms < 5_000; ms += 100) {
      for (const [index, shard] of shards.entries()) count += room.turn(shard, index === 0 ? 100 : 0).length;
    }
    expect(count).toBeGreaterThanOrEqual(5);
    expect(count).toBeLessThanOrEqual(6);
  });

  it('goes on for a minute after a fill, and then lets the market sleep', () => {
    const room = new Room();
    const shard = room.shard(0);
    shard.batch.filled.add(BTC.index);
    shard.batch.worked.add(BTC.index);
    room.turn(shard, 0);
    const filledAtMs = room.nowMs;
    const last = new Map<InstrumentIndex, number>();
    while (room.nowMs < filledAtMs + 90_000) {
      for (const { instrument } of room.turn(shard, 250)) last.set(instrument, room.nowMs);
    }
    expect(last.get(BTC.index)).toBeGreaterThanOrEqual(filledAtMs + 61_000);
    expect(last.get(BTC.index)).toBeLessThanOrEqual(filledAtMs + TAPE_AFTERMATH_MS + 1_000);
    expect(room.market.awake.size).toBe(0);
  });

  it('takes neither what is stale nor what cannot be for a price', () => {
    const room = new Room();
    const shard = room.shard(0);
    shard.interests.hold(BTC.index, true);
    room.isCrossed = true;
    expect(room.turn(shard, 2_000)).toEqual([]);
    [room.isCrossed, room.isStale] = [false, true];
    expect(room.turn(shard, 2_000)).toEqual([]);
    room.isStale = false;
    expect(room.turn(shard, 2_000)).toHaveLength(1);
  });
});
