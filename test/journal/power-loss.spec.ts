import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { recordFormat } from '../../src/storage/data-format.js';
import { checkpointFolder } from '../../src/storage/data-directory.js';
import { isIntact, listCheckpoints } from '../../src/journal/checkpoint.js';
import { Keeper } from '../../src/journal/keeper.js';
import { verifyJournal } from '../../src/journal/verification.js';
import type { AccountId } from '../../src/domain/ids.js';
import { IDEMPOTENCY_MS } from '../../src/domain/limits/trading.js';
import type { EpochMs } from '../../src/domain/time.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { ForgetfulDisk } from './forgetful-disk.js';
import { JournalThreads } from './journal-threads.js';
import { runs } from '../runs.js';
import { dataFolders } from './data-folders.js';
import { beginRecovery, putBack, silentLog } from './journal-world.js';
import { ScriptedOrders } from './scripted-orders.js';

const SEEDS_COUNT = runs(20, 400);
/** Changes and syncs of one life, roughly: the power fails somewhere in them. */
const CHANGES_COUNT = 300;

const folders = dataFolders();
afterEach(() => folders.removeAll());

/** Draws integers from 0 to a limit, the same ones for the same seed. */
function randomOf(seed: number): (limit: number) => number {
  let state = (Math.imul(seed, 2654435761) + 1) >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** A service's journal on a disk that forgets, from a start to a power loss. */
class Life {
  readonly dataDir = folders.fresh();
  readonly disk: ForgetfulDisk;
  readonly orders = new ScriptedOrders();
  /** Last seq that was released, so that a client may have its answer. */
  releasedSeq = 0;
  /** Writes of the shard itself. */
  ledCount = 0;
  /** Seq of the checkpoints that were reported as made. Without a new turn, a checkpoint replaces the last. */
  readonly checkpoints: number[] = [];

  constructor() {
    // An earlier start made the data directory and synced it.
    recordFormat(this.dataDir);
    mkdirSync(join(this.dataDir, 'claim'));
    this.disk = new ForgetfulDisk(this.dataDir);
  }

  async run(below: (limit: number) => number): Promise<void> {
    const { dataDir, disk } = this;
    const main = beginRecovery(dataDir, { disk });
    const closers = [async () => main.close()];
    try {
      main.trustState();
      const { shared } = main;
      const threads = new JournalThreads({ dataDir, shared, disk });
      closers.unshift(async () => threads.close());
      const leader = threads.leaderOf();
      closers.unshift(async () => leader.close());
      const shard = threads.openShard(0, leader);
      closers.unshift(async () => shard.close());
      const keeper = new Keeper({ dataDir, shared, log: silentLog, disk });
      closers.unshift(async () => keeper.close());
      for (let turn = 0; turn < 30; turn++) {
        if (below(3) > 0) this.orders.completeOrder();
        else this.orders.create('other' as AccountId);
        const { events, touched } = this.orders.take();
        shard.commit(events, touched, (numbered) => {
          this.releasedSeq = numbered.at(-1)?.envelope.seq ?? this.releasedSeq;
        });
        // Several turns may share one write. The shard looks for its places all the time.
        disk.meanwhile = () => shard.releaseDurable();
        const draw = below(3);
        const isLed = draw === 1 && shard.wakeLater() === 0;
        if (isLed) this.ledCount += 1;
        else if (draw < 2) threads.settle();
        disk.meanwhile = () => undefined;
        shard.releaseDurable();
        if (below(4) === 0) keeper.prepareSegment();
        if (below(3) === 0) keeper.sync();
        if (below(2) === 0) main.releaseVersions();
        if (below(6) === 0) await this.#keep(keeper);
      }
    } finally {
      for (const close of closers) await close().catch(() => undefined);
    }
  }

  async #keep(keeper: Keeper): Promise<void> {
    const checkpoint = await keeper.checkpoint();
    if (checkpoint !== null) this.checkpoints.push(checkpoint.head.lastSeq);
    await keeper.retain();
    this.orders.nowMs = (this.orders.nowMs + IDEMPOTENCY_MS / 2) as EpochMs;
  }
}

describe('after a power loss that loses unsynced writes', () => {
  const origins = new Map<string, number>();
  let ledCount = 0;
  afterAll(() => {
    const count = [...origins.values()].reduce((sum, one) => sum + one, 0);
    // A filter may select one seed.
    if (count < SEEDS_COUNT) return;
    expect(origins.get('sync point') ?? 0, 'starts from a sync point').toBeGreaterThan(SEEDS_COUNT / 4);
    expect(ledCount, 'writes of a shard that leads').toBeGreaterThan(SEEDS_COUNT / 2);
  });

  test.each(Array.from({ length: SEEDS_COUNT }, (_, seed) => seed))(
    'every acknowledged turn is there, and the journal has no damage (seed %i)',
    async (seed) => {
      const below = randomOf(seed);
      const life = new Life();
      life.disk.failAfter(20 + below(CHANGES_COUNT));
      await life.run(below).catch((error: unknown) => {
        if (!String(error).includes('the power has failed')) throw error;
      });
      ledCount += life.ledCount;
      const image = folders.fresh();
      life.disk.image(image, below);
      life.disk.end();
      // A later retention may have removed the older ones.
      const kept = listCheckpoints(checkpointFolder(image)).filter(isIntact).length;
      expect(kept, 'checkpoints that were reported as made').toBeGreaterThanOrEqual(
        Math.min(2, new Set(life.checkpoints).size),
      );
      putBack(image, life.dataDir);
      // A close after the power loss fails before it releases the claim.
      rmSync(join(life.dataDir, 'claim'), { recursive: true, force: true });
      const again = beginRecovery(life.dataDir, { bootId: 'boot-2' });
      const { origin, lastSeq } = again.report;
      origins.set(origin, (origins.get(origin) ?? 0) + 1);
      expect(lastSeq).toBeGreaterThanOrEqual(life.releasedSeq);
      expect((await verifyJournal(life.dataDir, foldEnvelope)).problems).toEqual([]);
      await again.close();
    },
  );
});
