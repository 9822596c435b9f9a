import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lastBackupAtMs, venueFolder } from '../../src/storage/data-directory.js';
import { BackupFailure, backupData, restoreData } from '../../src/journal/backup.js';
import { openIdentity } from '../../src/runtime/identity.js';
import { LmdbVenueStore } from '../../src/sim/store/lmdb-store.js';
import { verifyJournal } from '../../src/journal/verification.js';
import type { AccountId } from '../../src/domain/ids.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { instrumentAt, type OrderFields, SimulatedExchange } from '../sim/simulated-exchange.js';
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

/** Files of a data directory that a backup must not contain, some with secrets. */
const STRAYS = ['demo-key.json', 'demo-key.json.new', `master.key.${'ab'.repeat(8)}`, 'notes', 'venue/notes', 'core'];

/** The file names in the table of the documentation, with `*` for the varying part of a name. */
const DOCUMENTED = documentedFiles();

function documentedFiles(): readonly string[] {
  const text = readFileSync(join(import.meta.dirname, '../../src/docs/operating.md'), 'utf8');
  const [, after = ''] = text.split('A backup contains these files and no other');
  const rows = after.split('\n\n')[1]?.split('\n').slice(2) ?? [];
  return rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`DIR\/([^`]+)`/g)].map(([, name = '']) => name));
}

function matches(pattern: string, file: string): boolean {
  return new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}$`).test(file);
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .flatMap((entry) => (entry.isFile() ? [relative(folder, join(entry.parentPath, entry.name))] : []))
    .sort();
}

/** A data directory with every kind of file, and with strays. */
async function filledDirectory(): Promise<string> {
  const world = new JournalWorld(folders.fresh());
  const { dataDir } = world;
  trade(world, new ScriptedOrders(), 3);
  const identity = openIdentity(dataDir);
  identity.keys.createKey({ account: 'demo', permissions: ['trade'], kind: 'HMAC' }, 0);
  new LmdbVenueStore(join(dataDir, 'venue')).close();
  mkdirSync(join(dataDir, 'signatures'));
  const files = ['clock', 'signatures/0000000001.log', 'audit.log', `audit-${'1'.repeat(17)}-4711.log`];
  for (const name of [...files, ...STRAYS]) writeFileSync(join(dataDir, name), 'text');
  await identity.close();
  await world.close();
  return dataDir;
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

  test('contains the first turns of a directory, which its state does not have yet', async () => {
    const world = new JournalWorld(folders.fresh());
    const orders = new ScriptedOrders();
    orders.completeOrder();
    const { events, touched } = orders.take();
    world.shard.commit(events, touched, () => undefined);
    world.threads.write();
    const target = folders.fresh();
    await backupData(world.dataDir, target, WITHOUT_KEY);
    world.threads.settle();
    await world.close();
    const restored = folders.fresh();
    await restoreData(target, restored);
    const again = new JournalWorld(restored);
    expect(again.main.report).toMatchObject({ origin: 'nothing', lastSeq: events.length });
    expect(dump(restored)).toEqual(dump(world.dataDir));
    await again.close();
  });

  test('holds the other parts too: the API keys without the key that seals them', async () => {
    const world = new JournalWorld(folders.fresh());
    trade(world, new ScriptedOrders(), 1);
    const identity = openIdentity(world.dataDir);
    identity.keys.createKey({ account: 'demo', permissions: ['trade'], kind: 'HMAC' }, 0);
    new LmdbVenueStore(join(world.dataDir, 'venue')).close();
    const [target, withKey] = [folders.fresh(), folders.fresh()];
    await backupData(world.dataDir, target, WITHOUT_KEY);
    await backupData(world.dataDir, withKey, WITH_KEY);
    await identity.close();
    await world.close();
    expect(existsSync(join(target, 'master.key'))).toBe(false);
    expect(existsSync(join(target, 'venue', 'data.mdb'))).toBe(true);
    const restored = folders.fresh();
    await restoreData(withKey, restored);
    const again = openIdentity(restored);
    expect(again.keys.list()).toHaveLength(1);
    await again.close();
  });

  test('contains exactly the documented files', async () => {
    const dataDir = await filledDirectory();
    const target = folders.fresh();
    await backupData(dataDir, target, WITH_KEY);
    const files = filesIn(target);
    expect(files.filter((file) => !DOCUMENTED.some((pattern) => matches(pattern, file)))).toEqual([]);
    expect(DOCUMENTED.filter((pattern) => !files.some((file) => matches(pattern, file)))).toEqual([]);
    // The same parts come back, and nothing that an earlier release copied too.
    for (const name of STRAYS) writeFileSync(join(target, name), 'secret');
    const restored = folders.fresh();
    await restoreData(target, restored);
    const restoredFiles = filesIn(restored).filter((file) => file !== 'restore-unfinished');
    expect(restoredFiles).toEqual(files.filter((file) => file !== 'backup.json'));
  });

  test('holds the orders and balances of the simulated exchanges as one moment, also while they trade', async () => {
    const world = new JournalWorld(folders.fresh());
    trade(world, new ScriptedOrders(), 1);
    const options = { instrument: instrumentAt('BINANCE', 'BTC/USDT'), isAlone: true };
    const store = new LmdbVenueStore(venueFolder(world.dataDir));
    const exchange = new SimulatedExchange({ ...options, store });
    const begun = exchange.balance('BTC').total;
    const placed: OrderFields[] = [];
    const take = (): void => {
      const fields = { type: 'MARKET', side: placed.length % 3 === 0 ? 'SELL' : 'BUY', quantity: 100 } as const;
      exchange.submit(fields);
      placed.push(fields);
      exchange.pass(100);
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
    store.close();
    await world.close();
    const restored = folders.fresh();
    await restoreData(target, restored);

    const copy = new LmdbVenueStore(venueFolder(restored));
    const again = new SimulatedExchange({ ...options, store: copy });
    const found = placed.flatMap((fields) => again.query(again.submission(fields)));
    const answers = found.flatMap((report) => (report.kind === 'StatusAnswered' ? [report.answer] : []));
    const known = answers.filter(({ state }) => state === 'FILLED').length;
    expect(known).toBeGreaterThanOrEqual(before);
    expect(answers.slice(known).every(({ state }) => state === 'UNKNOWN')).toBe(true);
    // The balance is that of the same moment: each order has traded 0.001 BTC, and fees are paid in USDT.
    const lots = placed.slice(0, known).reduce((sum, { side }) => sum + (side === 'BUY' ? 100 : -100), 0);
    expect(again.balance('BTC').total - begun).toBe(BigInt(lots) * 10n ** 13n);
    copy.close();
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
