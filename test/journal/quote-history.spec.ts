import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openJournalReader } from '../../src/journal/open-journal.js';
import { verifyJournal } from '../../src/journal/verification.js';
import type { UnnumberedEvent } from '../../src/domain/event.js';
import type { AccountId, CorrelationId } from '../../src/domain/ids.js';
import type { InstrumentIndex } from '../../src/domain/instrument.js';
import type { Lots, Notional, Ticks } from '../../src/domain/quantity.js';
import type { EpochMs } from '../../src/domain/time.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { dataFolders } from './data-folders.js';
import { JournalWorld } from './journal-world.js';

const START_MS = 1_790_000_000_000;
/** More than a float64 holds exactly. */
const TURNOVER = 2n ** 70n + 3n;

function observation(instrument: number, afterMs: number): UnnumberedEvent {
  return {
    slot: 0,
    account: '' as AccountId,
    venue: 'BINANCE',
    otherVenue: null,
    orderId: null,
    eventAtMs: (START_MS + afterMs) as EpochMs,
    recordedAtMs: (START_MS + afterMs + 5) as EpochMs,
    correlationId: 0 as CorrelationId,
    causationSeq: 0,
    event: {
      kind: 'MarketObserved',
      instrument: instrument as InstrumentIndex,
      bid: (100 + afterMs) as Ticks,
      ask: (101 + afterMs) as Ticks,
      volume: (7 * afterMs) as Lots,
      turnover: (TURNOVER + BigInt(afterMs)) as Notional,
    },
    parent: null,
    child: null,
  };
}

const folders = dataFolders();

describe('the quote history in the journal', () => {
  it('returns observations of a market from the latest one at or before an instant', async () => {
    const world = new JournalWorld(folders.fresh());
    world.threads.commit(world.shard, [observation(3, 1_000), observation(4, 1_000)], []);
    world.threads.commit(world.shard, [observation(3, 2_000)], []);
    world.threads.commit(world.shard, [observation(3, 3_000)], []);
    const { reader, release, close } = openJournalReader({ dataDir: world.dataDir, shared: world.main.shared });
    const snapshot = reader.latest();
    const between = (from: number, to: number) =>
      [...snapshot.quoteHistory(3 as InstrumentIndex, (START_MS + from) as EpochMs, (START_MS + to) as EpochMs)].map(
        ({ atMs }) => atMs - START_MS,
      );
    const last = (instrument: number) => world.shard.lastObservedMs(instrument as InstrumentIndex);
    expect([2, 3, 4, 5].map(last)).toEqual([null, START_MS + 3_000, START_MS + 1_000, null]);
    expect(between(2_500, 9_000)).toEqual([2_000, 3_000]);
    expect(between(2_000, 2_999)).toEqual([2_000]);
    expect(between(0, 2_000)).toEqual([1_000, 2_000]);
    expect(between(0, 500)).toEqual([]);
    const [first] = snapshot.quoteHistory(3 as InstrumentIndex, START_MS as EpochMs, (START_MS + 1_000) as EpochMs);
    expect(first).toEqual({
      bid: 1_100,
      ask: 1_101,
      volume: 7_000,
      turnover: TURNOVER + 1_000n,
      atMs: START_MS + 1_000,
    });
    release();
    await close();
    await world.close();
  });

  it('is built anew from the entries, byte for byte', async () => {
    const world = new JournalWorld(folders.fresh());
    for (let second = 1; second <= 30; second += 1)
      world.threads.commit(world.shard, [observation(second % 3, second * 1_000)], []);
    expect((await verifyJournal(world.dataDir, foldEnvelope)).problems).toEqual([]);
    await world.close();
    rmSync(join(world.dataDir, 'state'), { recursive: true });
    const again = new JournalWorld(world.dataDir);
    expect(again.main.report).toMatchObject({ origin: 'nothing', replayedCount: 30 });
    expect((await verifyJournal(world.dataDir, foldEnvelope)).problems).toEqual([]);
    const { reader, close } = openJournalReader({ dataDir: world.dataDir, shared: again.main.shared });
    expect([
      ...reader.latest().quoteHistory(1 as InstrumentIndex, 0 as EpochMs, (START_MS + 60_000) as EpochMs),
    ]).toHaveLength(10);
    await close();
    await again.close();
  });
});
