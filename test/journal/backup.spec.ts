import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lastBackupAtMs } from '../../src/storage/data-directory.js';
import { BackupFailure, backupData, restoreData } from '../../src/journal/backup.js';
import { openIdentity } from '../../src/runtime/identity.js';
import { LmdbVenueStore } from '../../src/sim/store/lmdb-store.js';
import { paperFolder } from '../../src/storage/data-directory.js';
import { verifyJournal } from '../../src/journal/verification.js';
import type { AccountId } from '../../src/domain/ids.js';
import type { Ticks } from '../../src/domain/quantity.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { PaperRig, PRICE, UNIT } from '../venue/live/paper/paper-rig.js';
import { dataFolders } from './data-folders.js';
import { alter, dump, JournalWorld } from './journal-world.js';
import { ScriptedOrders } from './scripted-orders.js';

const folders = dataFolders();

const WITHOUT_KEY = { withMasterKey: false };
const WITH_KEY = { withMasterKey: true };

function trade(world: JournalWorld, orders: ScriptedOrders, turns: number): void {
  for (let turn = 0; turn < turns; turn++) {
    orders.completeOrder();
    orders.create('other' as AccountId);
    world.commit(orders);
  }
}

function storeIn(dataDir: string): LmdbVenueStore {
  return new LmdbVenueStore(join(paperFolder(dataDir), 'binance-spot'));
}

describe('a backup', () => {
  test('restores the state of a stopped service', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    trade(world, orders, 9);
    await world.close();
    const [target, restored] = [join(folders.fresh(), 'backup'), join(folders.fresh(), 'restored')];
    expect(lastBackupAtMs(world.dataDir)).toBeNull();
    const beforeMs = Date.now();
    await backupData(world.dataDir, target, WITHOUT_KEY);
    expect(lastBackupAtMs(world.dataDir)).toBeGreaterThanOrEqual(beforeMs);
    expect(lastBackupAtMs(world.dataDir)).toBeLessThanOrEqual(Date.now());
    await restoreData(target, restored);
    const again = new JournalWorld(restored);
    expect(again.main.report).toMatchObject({ origin: 'checkpoint', lastSeq: 63, replayedCount: 0 });
    expect(dump(restored)).toEqual(dump(world.dataDir));
    trade(again, orders, 3);
    expect((await verifyJournal(restored, foldEnvelope)).problems).toEqual([]);
    await again.close();
  });

  test('taken while turns are committed is one moment of the journal', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    trade(world, orders, 20);
    const target = folders.fresh();
    const progress = { isDone: false };
    const backup = backupData(world.dataDir, target, WITHOUT_KEY).finally(() => {
      progress.isDone = true;
    });
    while (!progress.isDone) {
      trade(world, orders, 1);
      await new Promise(setImmediate);
    }
    await backup;
    await world.close();
    const restored = folders.fresh();
    await restoreData(target, restored);
    const again = new JournalWorld(restored);
    expect(again.main.report.lastSeq).toBeGreaterThanOrEqual(140);
    const report = await verifyJournal(restored, foldEnvelope);
    expect(report).toMatchObject({ entries: again.main.report.lastSeq, problems: [] });
    await again.close();
  });

  test('holds the other parts too: the API keys without the key that seals them', async () => {
    const world = new JournalWorld(folders.fresh());
    trade(world, new ScriptedOrders(), 1);
    const identity = openIdentity(world.dataDir);
    identity.keys.createKey({ account: 'demo', permissions: ['trade'], kind: 'HMAC' }, 0);
    writeFileSync(join(world.dataDir, 'venue', 'notes'), 'kept');
    const [target, withKey] = [folders.fresh(), folders.fresh()];
    await backupData(world.dataDir, target, WITHOUT_KEY);
    await backupData(world.dataDir, withKey, WITH_KEY);
    await identity.close();
    await world.close();
    expect(existsSync(join(target, 'master.key'))).toBe(false);
    expect(existsSync(join(target, 'venue', 'notes'))).toBe(true);
    const restored = folders.fresh();
    await restoreData(withKey, restored);
    const again = openIdentity(restored);
    expect(again.keys.list()).toHaveLength(1);
    await again.close();
  });

  test('holds the orders and wallets of paper mode as one moment, also while they trade', async () => {
    const world = new JournalWorld(folders.fresh());
    trade(world, new ScriptedOrders(), 1);
    const rig = new PaperRig(storeIn(world.dataDir));
    rig.touch(PRICE, UNIT, PRICE + 1, UNIT);
    const placed = [rig.place({ limitPrice: (PRICE - 1) as Ticks }).order];
    const take = (): void => {
      // Another quantity is shown each time, because a taken one is empty.
      rig.touch(PRICE, UNIT + placed.length, PRICE + 1, UNIT + placed.length);
      const side = placed.length % 3 === 0 ? 'SELL' : 'BUY';
      placed.push(rig.place({ side, type: 'MARKET', timeInForce: 'IOC', limitPrice: null }).order);
    };
    for (let count = 0; count < 20; count += 1) take();
    const before = placed.length;
    const target = folders.fresh();
    const progress = { isDone: false };
    const backup = backupData(world.dataDir, target, WITHOUT_KEY).finally(() => (progress.isDone = true));
    while (!progress.isDone) {
      take();
      await new Promise(setImmediate);
    }
    await backup;
    rig.venue.close();
    await world.close();
    const restored = folders.fresh();
    await restoreData(target, restored);

    const again = new PaperRig(storeIn(restored));
    const found = placed.map((order) => again.lookUp(order));
    const known = found.filter(({ kind }) => kind === 'found').length;
    expect(known).toBeGreaterThanOrEqual(before);
    expect(found.slice(0, known).every(({ kind }) => kind === 'found')).toBe(true);
    expect(again.openOrders().map(({ child }) => child.child)).toEqual([placed[0]!.child]);
    // Each order but the first has traded UNIT lots of 0.00001 BTC. Its fee is paid in USDT.
    const sides = placed.slice(1, known).map(({ side }) => (side === 'BUY' ? UNIT : -UNIT));
    const traded = sides.reduce((sum, lots) => sum + lots, 0);
    const total = again.wallet().balances.find(({ asset }) => asset === 'BTC')?.total;
    expect(Number(total)).toBe((1_000_000 + traded) / 100_000);
    again.touch(PRICE, UNIT, PRICE + 1, UNIT);
    again.trade('SELL', PRICE - 2, UNIT);
    expect(again.openOrders()).toEqual([]);
    again.venue.close();
  });

  test('is refused into a folder that is not empty, and without data', async () => {
    const world = new JournalWorld(folders.fresh());
    await expect(backupData(world.dataDir, world.dataDir, WITHOUT_KEY)).rejects.toThrow('is not empty');
    for (const inside of ['monday', 'backups/monday']) {
      const target = join(world.dataDir, inside);
      await expect(backupData(world.dataDir, target, WITHOUT_KEY)).rejects.toThrow('is inside of');
      expect(existsSync(target)).toBe(false);
    }
    await world.close();
    await expect(backupData(folders.fresh(), folders.fresh(), WITHOUT_KEY)).rejects.toThrow(BackupFailure);
  });
});

describe('a restore is refused', () => {
  test('into a folder that is not empty, from an incomplete copy, and from a damaged copy', async () => {
    const world = new JournalWorld(folders.fresh());
    trade(world, new ScriptedOrders(), 2);
    const target = folders.fresh();
    await backupData(world.dataDir, target, WITHOUT_KEY);
    await expect(restoreData(target, world.dataDir)).rejects.toThrow('is not empty');
    await world.close();
    alter(join(target, 'checkpoint', '0000000000000014', 'data.mdb'), (bytes) => bytes.fill(1, 9_000, 9_010));
    await expect(restoreData(target, folders.fresh())).rejects.toThrow('is damaged');
    rmSync(join(target, 'backup.json'));
    await expect(restoreData(target, folders.fresh())).rejects.toThrow('holds no complete backup');
  });
});
