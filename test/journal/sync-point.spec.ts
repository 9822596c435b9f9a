import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { HeldVersion } from '../../src/journal/state/held-versions.js';
import { Keeper } from '../../src/journal/keeper.js';
import { SharedJournal } from '../../src/journal/shared-journal.js';
import { putHead, emptyHead, openStateTables, type StateTables } from '../../src/journal/state/state-tables.js';
import { returnTo, writeSyncPoint } from '../../src/journal/state/sync-point.js';
import { readStamp } from '../../src/journal/trust-stamp.js';
import { nodeDisk } from '../../src/storage/disk.js';
import { dataFolders } from './data-folders.js';
import { runs } from '../runs.js';
import { alter, beginRecovery, dump, JournalWorld, putBack, recover, silentLog } from './journal-world.js';
import { ScriptedOrders } from './scripted-orders.js';
import { unsyncedDisk } from './unsynced-disk.js';

const folders = dataFolders();
afterEach(() => folders.removeAll());

const PAGE_BYTES = 4096;
const SEEDS_COUNT = runs(3, 40);

/** Draws integers from 0 to a limit, the same ones for the same seed. */
function randomOf(seed: number): (limit: number) => number {
  let state = (Math.imul(seed, 2654435761) + 1) >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Bytes of a file after a power loss: each page is the one of the last sync or the one written since. */
function mixedPages(synced: Buffer, written: Buffer, below: (limit: number) => number): Buffer {
  const length = below(2) === 0 ? written.length : synced.length;
  const mixed = Buffer.alloc(length);
  for (let at = 0; at < length; at += PAGE_BYTES) {
    const source = below(2) === 0 ? synced : written;
    source.subarray(at, at + PAGE_BYTES).copy(mixed, at);
  }
  return mixed;
}

/** Changes many rows of many sizes in one transaction. */
function change({ root, table }: StateTables, below: (limit: number) => number): void {
  root.transactionSync(() => {
    for (let row = below(300); row >= 0; row--) {
      const key = Buffer.alloc(8);
      key.writeUInt32BE(below(3_000), 4);
      if (below(5) < 2) table.orders.removeSync(key);
      else table.orders.putSync(key, Buffer.alloc(1 + below(below(20) === 0 ? 20_000 : 500), below(256)));
    }
    putHead({ table } as StateTables, { ...emptyHead(0), lastSeq: 1 as never });
  });
}

describe('a sync point', () => {
  test.each(Array.from({ length: SEEDS_COUNT }, (_, seed) => seed))(
    'brings its version back when any page written since is lost or kept (seed %i)',
    async (seed) => {
      const below = randomOf(seed);
      const dataDir = folders.fresh();
      const path = join(dataDir, 'state');
      const file = join(path, 'data.mdb');
      const tables = openStateTables(path);
      const held: HeldVersion[] = [];
      for (let count = 0; count < 40; count++) change(tables, below);
      for (let round = 0; round < 4; round++) {
        held.push(new HeldVersion(tables.root));
        const point = writeSyncPoint(tables)!;
        const synced = readFileSync(file);
        const expected = dump(dataDir);
        // The sync point before it needs its version no more.
        if (held.length > 1) held.shift()!.release();
        for (let count = 5 + below(60); count > 0; count--) change(tables, below);

        const image = folders.fresh();
        nodeDisk.makeFolder(join(image, 'state'));
        writeFileSync(join(image, 'state', 'data.mdb'), mixedPages(synced, readFileSync(file), below));
        returnTo(point, join(image, 'state'));
        // A start that ends here does the same again.
        returnTo(point, join(image, 'state'));
        expect(dump(image)).toEqual(expected);
        const again = openStateTables(join(image, 'state'));
        for (let count = 0; count < 20; count++) change(again, below);
        await again.root.close();
      }
      for (const one of held) one.release();
      await tables.root.close();
    },
  );
});

/** A service's journal and its keeper, with some turns. */
class KeptWorld {
  readonly world = new JournalWorld(folders.fresh());
  readonly keeper: Keeper;
  readonly orders = new ScriptedOrders();

  constructor() {
    const { dataDir, main } = this.world;
    this.keeper = new Keeper({ dataDir, shared: main.shared, log: silentLog, disk: unsyncedDisk });
  }

  get file(): string {
    return join(this.world.dataDir, 'state', 'data.mdb');
  }

  trade(rounds = 4): void {
    for (let round = 0; round < rounds; round++) {
      this.orders.completeOrder();
      this.orders.create();
      this.world.commit(this.orders);
    }
  }

  /** Ends the process and puts the files back as they are now, with `change` made to the image. */
  async losePower(change: (image: string) => void = () => undefined): Promise<string> {
    const { dataDir } = this.world;
    const image = folders.crashImage(dataDir);
    change(image);
    await this.keeper.close();
    await this.world.close();
    putBack(image, dataDir);
    return dataDir;
  }
}

describe('a start after a power loss', () => {
  test('returns to the sync point and replays what came after it', async () => {
    const kept = new KeptWorld();
    kept.trade();
    const { head } = kept.keeper.sync()!;
    const synced = readFileSync(kept.file);
    kept.trade();
    const before = dump(kept.world.dataDir);
    const { durableSeq } = new SharedJournal(kept.world.main.shared);
    const dataDir = await kept.losePower((image) =>
      alter(join(image, 'state', 'data.mdb'), (bytes) => mixedPages(synced, bytes, randomOf(1)).copy(bytes)),
    );
    const again = recover(dataDir, { bootId: 'boot-2' });
    expect(again.report).toMatchObject({
      origin: 'sync point',
      lastSeq: durableSeq,
      replayedCount: durableSeq - head.lastSeq,
    });
    await again.close();
    expect(dump(dataDir)).toEqual(before);
  });

  test('returns to the sync point of a start that followed a kill, before the first write', async () => {
    const kept = new KeptWorld();
    kept.trade();
    kept.keeper.sync();
    kept.trade();
    // Killed: the process that held the version of the sync point is gone, and the boot is the same.
    const dataDir = await kept.losePower();
    const second = new JournalWorld(dataDir);
    expect(second.main.report.origin).toBe('state');
    const synced = readFileSync(kept.file);
    for (let round = 0; round < 30; round++) {
      kept.orders.completeOrder();
      second.commit(kept.orders);
    }
    const before = dump(dataDir);
    const image = folders.crashImage(dataDir);
    await second.close();
    putBack(image, dataDir);
    alter(kept.file, (bytes) => mixedPages(synced, bytes, randomOf(2)).copy(bytes));
    const third = recover(dataDir, { bootId: 'boot-2' });
    expect(third.report.origin).toBe('sync point');
    await third.close();
    expect(dump(dataDir)).toEqual(before);
  });

  test('takes a checkpoint when the sync point is damaged, or belongs to another file', async () => {
    const kept = new KeptWorld();
    kept.trade();
    await kept.keeper.checkpoint();
    kept.trade();
    kept.keeper.sync();
    const copied = folders.crashImage(kept.world.dataDir);
    const dataDir = await kept.losePower((image) =>
      alter(join(image, 'state', 'sync-point.json'), (bytes) => bytes.write('x', 200)),
    );
    const damaged = recover(dataDir, { bootId: 'boot-2' });
    expect(damaged.report.origin).toBe('checkpoint');
    await damaged.close();
    const other = recover(copied, { bootId: 'boot-2' });
    expect(other.report.origin).toBe('checkpoint');
    await other.close();
  });

  test('takes a checkpoint after a start that died on the sync point', async () => {
    const kept = new KeptWorld();
    kept.trade();
    await kept.keeper.checkpoint();
    const dataDir = await kept.losePower();
    const sources: string[] = [];
    for (let start = 0; start < 3; start++) {
      const begun = beginRecovery(dataDir, { bootId: 'boot-2' });
      sources.push(begun.report.origin);
      const image = folders.crashImage(dataDir);
      await begun.close();
      putBack(image, dataDir);
    }
    expect(sources).toEqual(['sync point', 'checkpoint', 'nothing']);
    await recover(dataDir, { bootId: 'boot-2' }).close();
  });

  test('is refused when the journal lacks entries that the sync point proves', async () => {
    const kept = new KeptWorld();
    kept.trade(1);
    const { head } = kept.keeper.sync()!;
    const dataDir = await kept.losePower((image) =>
      alter(join(image, 'journal', '0000000001.segment'), (bytes) => bytes.fill(0)),
    );
    expect(() => recover(dataDir, { bootId: 'boot-2' })).toThrow(
      `synced up to seq ${head.lastSeq}: this is no torn tail`,
    );
  });
});

test('the state file stops growing while sync points are made', async () => {
  const kept = new KeptWorld();
  const sizes: number[] = [];
  for (let round = 0; round < 40; round++) {
    kept.orders.balance();
    kept.world.commit(kept.orders);
    for (let count = 0; count < 20; count++) {
      kept.orders.balance();
      kept.world.commit(kept.orders);
    }
    kept.keeper.sync();
    kept.world.main.releaseVersions();
    sizes.push(readFileSync(kept.file).length);
  }
  expect(sizes.at(-1)! / sizes[20]!, 'growth in the second half').toBeLessThan(1.5);
  await kept.keeper.close();
  await kept.world.close();
});

test('the keeper begins no transaction when the process ends by a failure', async () => {
  const kept = new KeptWorld();
  kept.trade();
  const shared = new SharedJournal(kept.world.main.shared);
  shared.stopKeeperWrites(1_000);
  expect(() => kept.keeper.sync()).toThrow('the process ends');
  expect(() => shared.keeperWrite(() => 1)).toThrow('the process ends');
  await kept.keeper.close();
  await kept.world.close();
});

test('a failed sync of the state ends its trust, and no later sync point is made', async () => {
  const world = new JournalWorld(folders.fresh());
  const file = join(world.dataDir, 'state', 'data.mdb');
  let isBroken = true;
  const disk = {
    ...nodeDisk,
    sync(path: string) {
      if (path === file && isBroken) throw new Error('EIO: i/o error, fsync');
      nodeDisk.sync(path);
    },
  };
  const keeper = new Keeper({ dataDir: world.dataDir, shared: world.main.shared, log: silentLog, disk });
  const orders = new ScriptedOrders();
  orders.completeOrder();
  world.commit(orders);
  expect(() => keeper.sync()).toThrow(/cannot be synced/);
  // The operating system reports the error once. The pages are still missing on the disk.
  isBroken = false;
  expect(keeper.sync()).toBeNull();
  await keeper.close();
  await world.close();
  expect(readStamp(join(world.dataDir, 'state'))).toMatchObject({ isClean: false, isOpening: true });
  const again = recover(world.dataDir);
  expect(again.report.origin).toBe('nothing');
  await again.close();
});
