import { describe, expect, it } from 'vitest';
import { BEAT_MS_MAX } from '../../src/domain/limits/process.js';
import {
  FIRST_ADDED_INDEX,
  type Instrument,
  InstrumentCatalogue,
  type InstrumentIndex,
} from '../../src/domain/instrument.js';
import type { EpochMs } from '../../src/domain/time.js';
import { ShardLoop } from '../../src/shard/shard-loop.js';
import { createSharedListing, SharedListingReader, SharedListingWriter } from '../../src/wire/shared-listing.js';
import { BTC } from './sample-orders.js';

const NOW_MS = 1_000;

/** A loop with a shard and a journal whose answers a test changes. */
function rig(listing: SharedArrayBuffer | null = null) {
  const calls: string[] = [];
  const shard = {
    isRecovered: false,
    isStopped: false,
    isWaiting: false,
    isBackpressured: false,
    openParentCount: 3,
    isBusy: false,
    wakeAtMs: Infinity,
    quietMs: Infinity,
    /** Runs inside the turns of the shard. */
    inTurn: (): void => undefined,
    recover: () => shard.openParentCount,
    turn: () => {
      calls.push('turn');
      shard.inTurn();
      return shard.isBusy;
    },
    releaseDurable: () => void calls.push('release'),
    nextWakeMs: () => shard.wakeAtMs,
  };
  /** Of each turn: whether its thread may write the journal. */
  const leads: boolean[] = [];
  const beat = new SharedArrayBuffer(8);
  const catalogue = new InstrumentCatalogue([BTC]);
  const loop = new ShardLoop({
    shard,
    clock: { nowMs: () => NOW_MS as EpochMs, realMsUntil: (instantMs) => Math.max(0, instantMs - NOW_MS) },
    journal: {
      wakeLater: (mayLead) => {
        leads.push(mayLead);
        return shard.quietMs;
      },
      wake: () => void calls.push('wake journal'),
    },
    catalogue,
    listing: listing === null ? null : new SharedListingReader(listing),
    beat,
    onReady: () => void calls.push('ready'),
  });
  return { loop, shard, calls, leads, catalogue, beat: new Int32Array(beat) };
}

/** An instrument of a real exchange. */
function added(row: number): Instrument {
  return { ...BTC, index: (FIRST_ADDED_INDEX + row) as InstrumentIndex, symbol: `C${row}/USDT` };
}

describe('the wait between two turns of a shard', () => {
  it('lasts until the earliest of its next work, a quiet turn and a heartbeat', () => {
    const { loop, shard } = rig();
    loop.turn();
    expect(loop.waitMs()).toBe(BEAT_MS_MAX);
    shard.wakeAtMs = NOW_MS + 70;
    expect(loop.waitMs()).toBe(70);
    shard.quietMs = 20;
    loop.turn();
    expect(loop.waitMs()).toBe(20);
    shard.wakeAtMs = NOW_MS - 5;
    expect(loop.waitMs()).toBe(0);
  });

  it('ends at a whole millisecond, because a turn before it would find nothing due', () => {
    const { loop, shard } = rig();
    loop.turn();
    shard.wakeAtMs = NOW_MS + 0.05;
    expect(loop.waitMs()).toBe(1);
  });

  it('is at most 1 ms while commands are held back, because a full ring does not ring', () => {
    const { loop, shard } = rig();
    loop.turn();
    shard.isBackpressured = true;
    expect(loop.waitMs()).toBe(1);
    shard.wakeAtMs = NOW_MS;
    expect(loop.waitMs()).toBe(0);
  });

  it('is left out while the shard has work', () => {
    const { loop, shard } = rig();
    shard.isBusy = true;
    expect(loop.turn()).toBe(true);
    shard.isBusy = false;
    expect(loop.turn()).toBe(false);
  });
});

describe('a turn of the loop', () => {
  it('counts the turns and the open parents for other threads', () => {
    const { loop, shard, beat } = rig();
    expect(loop.recover()).toBe(3);
    loop.turn();
    shard.openParentCount = 7;
    loop.turn();
    expect([...beat]).toEqual([2, 7]);
  });

  it('writes the journal in its thread only while the shard has no more work and no order is due', () => {
    const { loop, shard, leads } = rig();
    loop.turn();
    shard.wakeAtMs = NOW_MS;
    loop.turn();
    shard.wakeAtMs = NOW_MS + 1;
    loop.turn();
    shard.isBusy = true;
    loop.turn();
    expect(leads).toEqual([true, false, true, false]);
  });

  it('reports once that the shard is ready, after the turn that checked the last order', () => {
    const { loop, shard, calls } = rig();
    loop.turn();
    shard.inTurn = () => void (shard.isRecovered = true);
    loop.turn();
    loop.turn();
    expect(calls).toEqual(['turn', 'turn', 'ready', 'turn']);
  });

  it('knows an instrument that was listed meanwhile, also before the orders are loaded', () => {
    const listing = createSharedListing();
    const { loop, catalogue } = rig(listing);
    const writer = new SharedListingWriter(listing);
    const [first, second] = [added(0), added(1)];
    writer.put(first);
    loop.recover();
    expect(catalogue.at(first.index)).toEqual(first);
    writer.put(second);
    loop.turn();
    expect(catalogue.at(second.index)).toEqual(second);
  });
});

describe('the end of the loop', () => {
  it('wakes the journal at the stop, then releases turns until none waits', () => {
    const { loop, shard, calls } = rig();
    shard.inTurn = () => {
      shard.isStopped = true;
      shard.isWaiting = true;
    };
    expect(loop.turn()).toBe(true);
    expect(loop.hasEnded).toBe(false);
    expect(loop.turn()).toBe(false);
    expect(loop.waitMs()).toBe(1);
    shard.isWaiting = false;
    expect(loop.hasEnded).toBe(true);
    expect(calls).toEqual(['turn', 'wake journal', 'release']);
  });
});
