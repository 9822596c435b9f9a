import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backupData, restoreData } from '../../src/journal/backup.js';
import { openIdentity } from '../../src/runtime/identity.js';
import { Keeper } from '../../src/journal/keeper.js';
import { LmdbVenueStore } from '../../src/sim/store/lmdb-store.js';
import { dataFolders } from '../journal/data-folders.js';
import { JournalWorld, recover, silentLog } from '../journal/journal-world.js';
import { ScriptedOrders } from '../journal/scripted-orders.js';

const folders = dataFolders();
/** The usual mask of a shell, which leaves group and others the right to read. */
let formerMask = 0;
beforeAll(() => {
  formerMask = process.umask(0o022);
});
afterAll(() => {
  process.umask(formerMask);
});

/** Paths at and below a folder that group or others may access. */
function looseNames(folder: string): string[] {
  const names = ['', ...(readdirSync(folder, { recursive: true }) as string[])];
  return names.filter((name) => (lstatSync(join(folder, name)).mode & 0o077) !== 0);
}

async function usedData(): Promise<string> {
  const dataDir = join(folders.fresh(), 'data');
  const identity = openIdentity(dataDir);
  identity.keys.createKey({ account: 'demo', permissions: ['trade'], kind: 'HMAC' }, 0);
  const world = new JournalWorld(dataDir);
  new LmdbVenueStore(join(dataDir, 'venue')).close();
  const keeper = new Keeper({ dataDir, shared: world.main.shared, log: silentLog });
  const orders = new ScriptedOrders();
  for (let turn = 0; turn < 10; turn++) {
    orders.completeOrder();
    world.commit(orders);
  }
  await keeper.checkpoint();
  expect(looseNames(dataDir), 'while it is used').toEqual([]);
  await keeper.close();
  await world.close();
  await identity.close();
  return dataDir;
}

test('only the owner can read a used data directory, its backup and a directory restored from it', async () => {
  const dataDir = await usedData();
  expect(looseNames(dataDir)).toEqual([]);
  const [copy, restored] = [folders.fresh(), folders.fresh()];
  for (const folder of [copy, restored]) chmodSync(folder, 0o755);
  await backupData(dataDir, copy, { withMasterKey: true });
  expect(looseNames(copy)).toEqual([]);
  await restoreData(copy, restored);
  expect(looseNames(restored)).toEqual([]);
  await recover(restored).close();
  expect(looseNames(restored)).toEqual([]);
});

test('a start takes the rights of others from everything in the data directory', async () => {
  const dataDir = await usedData();
  mkdirSync(join(dataDir, 'notes'));
  for (const name of ['', ...(readdirSync(dataDir, { recursive: true }) as string[])]) {
    const path = join(dataDir, name);
    chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o644);
  }
  await recover(dataDir).close();
  expect(looseNames(dataDir)).toEqual([]);
});
