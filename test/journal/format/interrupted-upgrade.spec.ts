import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { upgradeData } from '../../../src/journal/format/data-upgrade.js';
import { SegmentFolder } from '../../../src/journal/segments.js';
import { LmdbVenueStore } from '../../../src/sim/store/lmdb-store.js';
import { journalFolder, makeFolder, paperFolder } from '../../../src/storage/data-directory.js';
import { OtherFormat, recordFormat } from '../../../src/storage/data-format.js';
import { type Disk, nodeDisk } from '../../../src/storage/disk.js';
import { upgradeDirectory } from '../../../src/storage/format/directory-upgrade.js';
import { DataFormat } from '../../../src/storage/format/format-steps.js';
import { openIdentity } from '../../../src/runtime/identity.js';
import { ForgetfulDisk } from '../forgetful-disk.js';
import { dump, Folders, recover, silentLog } from '../journal-world.js';
import { makeAgedData, problemsOf, Release } from './aged-data.js';
import { DyingDisk, failingOnce } from './dying-disk.js';
import { VERSION_1, VERSION_2 } from './releases.js';

const ORDERS_COUNT = 60;
/** Power losses at each change. More by hand: UPGRADE_POWER_LOSSES=40. */
const POWER_LOSSES_COUNT = Number(process.env['UPGRADE_POWER_LOSSES'] ?? 2);

const folders = new Folders();
afterAll(() => folders.removeAll());

let made = '';
/** The rows of version 1, and of version 2 after an undisturbed upgrade. */
let rows1: readonly string[] = [];
let rows2: readonly string[] = [];
/** The used segments of the journal, which no upgrade changes. */
let segments: readonly string[] = [];
let changesCount = 0;

beforeAll(async () => {
  made = folders.fresh();
  await makeAgedData(made, ORDERS_COUNT);
  await openIdentity(made).close();
  rows1 = dump(version1());
  const counted = new DyingDisk();
  const dataDir = version1();
  upgrade(dataDir, counted.disk);
  rows2 = dump(dataDir);
  segments = usedSegments(dataDir);
  changesCount = counted.count;
  expect(await problemsOf(dataDir, VERSION_2)).toEqual([]);
});

function version1(): string {
  const dataDir = folders.fresh();
  cpSync(made, dataDir, { recursive: true });
  return dataDir;
}

function upgrade(dataDir: string, disk: Disk, bootId = 'boot-1'): void {
  upgradeData({ dataDir, log: silentLog, format: VERSION_2, bootId, disk });
}

function recordOf(dataDir: string): { readonly format: number; readonly from?: number } {
  return JSON.parse(readFileSync(join(dataDir, 'format.json'), 'utf8')) as { format: number };
}

function namesAndBytes(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
    })
    .sort();
}

/** Name and digest of each segment that has entries. */
function usedSegments(dataDir: string): string[] {
  const folder = SegmentFolder.at(journalFolder(dataDir));
  const used = folder.numbers().filter((number) => folder.header(number) !== null);
  return used.map((number) => `${number} ${createHash('sha256').update(folder.load(number)!.bytes).digest('hex')}`);
}

/** False when a kill or a power loss ended the work. */
function succeeds(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    expect(String(error)).toMatch(/the process died|the power has failed/);
    return false;
  }
}

/**
 * Finishes the upgrade as the next start does. State and journal must equal those of an undisturbed upgrade, which a
 * verification has replayed.
 */
async function expectComplete(dataDir: string, bootId: string, at: string): Promise<void> {
  const release = new Release(dataDir, VERSION_2, { bootId });
  expect(release.world.main.report, at).toMatchObject({ origin: 'state', replayedCount: 0 });
  await release.close();
  expect(dump(dataDir), at).toEqual(rows2);
  expect(recordOf(dataDir), at).toEqual({ format: 2 });
  expect(usedSegments(dataDir), at).toEqual(segments);
  const rest = (readdirSync(dataDir, { recursive: true }) as string[]).filter((name) =>
    /upgrade|\.new$|untrusted/.test(name),
  );
  expect(rest, at).toEqual([]);
}

/** A release of version 1 works with the old data, or refuses the new data without a change. */
async function expectOldOrNew(dataDir: string, bootId: string, at: string): Promise<void> {
  const image = folders.fresh();
  cpSync(dataDir, image, { recursive: true });
  if (recordOf(image).format === 1) {
    await recover(image, { format: VERSION_1, bootId }).close();
    expect(dump(image), at).toEqual(rows1);
    return;
  }
  const before = namesAndBytes(image);
  expect(() => recover(image, { format: VERSION_1, bootId }), at).toThrow(OtherFormat);
  expect(namesAndBytes(image), at).toEqual(before);
}

describe('an upgrade that is interrupted', () => {
  test('changes the rows', () => {
    expect(rows2).not.toEqual(rows1);
    expect(rows2).toHaveLength(rows1.length);
    expect(changesCount).toBeGreaterThan(20);
  });

  test('by a kill before any of its changes is finished by the next start', async () => {
    const records = new Set<string>();
    for (let death = 0; death < changesCount; death++) {
      const dataDir = version1();
      expect(() => upgrade(dataDir, new DyingDisk(death).disk)).toThrow('the process died');
      records.add(JSON.stringify(recordOf(dataDir)));
      // oxlint-disable-next-line no-await-in-loop
      await expectOldOrNew(dataDir, 'boot-1', `change ${death}`);
      // oxlint-disable-next-line no-await-in-loop
      await expectComplete(dataDir, 'boot-1', `change ${death}`);
    }
    expect([...records]).toEqual(['{"format":1}', '{"format":2,"from":1}', '{"format":2}']);
  });

  test('by two kills is finished by the next start', async () => {
    for (let death = 0; death < changesCount; death += 3) {
      const dataDir = version1();
      expect(() => upgrade(dataDir, new DyingDisk(death).disk)).toThrow('the process died');
      succeeds(() => upgrade(dataDir, new DyingDisk((death * 7) % changesCount).disk));
      // oxlint-disable-next-line no-await-in-loop
      await expectComplete(dataDir, 'boot-1', `change ${death}`);
    }
  });

  test('by an error of the disk leaves no copy behind, and the next start finishes it', async () => {
    for (let failure = 0; failure < changesCount; failure++) {
      const dataDir = version1();
      let message = '';
      try {
        upgrade(dataDir, failingOnce(failure));
      } catch (error) {
        message = String(error);
      }
      expect(message, `change ${failure}`).toContain('ENOSPC');
      if (recordOf(dataDir).format === 1) {
        expect(readdirSync(dataDir).filter((name) => name.endsWith('.upgrade'))).toEqual([]);
      }
      // oxlint-disable-next-line no-await-in-loop
      await expectOldOrNew(dataDir, 'boot-1', `change ${failure}`);
      // oxlint-disable-next-line no-await-in-loop
      await expectComplete(dataDir, 'boot-1', `change ${failure}`);
    }
  });

  test('by a power loss before any of its changes is finished by the next start', async () => {
    for (let change = 0; ; change++) {
      for (let loss = 0; loss < POWER_LOSSES_COUNT; loss++) {
        const [dataDir, image] = [version1(), folders.fresh()];
        const disk = new ForgetfulDisk(dataDir);
        disk.failAfter(change);
        if (succeeds(() => upgrade(dataDir, disk))) return;
        let draws = 0;
        disk.image(image, (limit) => (Math.imul((draws += 1) + loss * 977, 2654435761) >>> 7) % limit);
        disk.end();
        // oxlint-disable-next-line no-await-in-loop
        await expectOldOrNew(image, 'boot-2', `change ${change}, loss ${loss}`);
        // oxlint-disable-next-line no-await-in-loop
        await expectComplete(image, 'boot-2', `change ${change}, loss ${loss}`);
      }
    }
  });
});

describe('an upgrade of data of a killed service', () => {
  test('that a power loss interrupts is finished, and the state is built from a checkpoint', async () => {
    const dataDir = version1();
    const killed = recover(dataDir, { format: VERSION_1 });
    const image = folders.crashImage(dataDir);
    await killed.close();
    for (let change = 0; ; change += 2) {
      const [copy, lost] = [folders.fresh(), folders.fresh()];
      cpSync(image, copy, { recursive: true });
      const disk = new ForgetfulDisk(copy);
      disk.failAfter(change);
      if (succeeds(() => upgrade(copy, disk))) return;
      let draws = 0;
      disk.image(lost, (limit) => (Math.imul((draws += 1) + change, 2654435761) >>> 9) % limit);
      disk.end();
      const release = new Release(lost, VERSION_2, { bootId: 'boot-2' });
      expect(release.world.main.report.origin, `change ${change}`).toBe('checkpoint');
      // oxlint-disable-next-line no-await-in-loop
      await release.close();
      expect(recordOf(lost)).toEqual({ format: 2 });
      expect(dump(lost), `change ${change}`).toEqual(expect.arrayContaining([...rows2]));
      // oxlint-disable-next-line no-await-in-loop
      expect(await problemsOf(lost, VERSION_2), `change ${change}`).toEqual([]);
    }
  });
});

function storeOf(dataDir: string, wallet: string): LmdbVenueStore {
  return new LmdbVenueStore(join(paperFolder(dataDir), wallet));
}

describe('an upgrade of the stores of paper mode', () => {
  const WALLETS = ['binance-spot', 'binance-future'];
  const next = new DataFormat([
    { rows: { paper: (row) => [{ ...row, value: Buffer.concat([row.value, Buffer.from('+')]) }] } },
  ]);
  const upgradePaper = (dataDir: string, disk: Disk): void =>
    upgradeDirectory({ dataDir, format: next, disk, isStateTrusted: true });

  function paperData(): string {
    const dataDir = folders.fresh();
    recordFormat(dataDir, nodeDisk, 1);
    for (const wallet of WALLETS) {
      makeFolder(join(paperFolder(dataDir), wallet));
      const store = storeOf(dataDir, wallet);
      store.commit([{ key: 'market/BTC', value: Buffer.from(wallet) }]);
      store.close();
    }
    return dataDir;
  }

  test('lifts each of them, also when a kill or an error of the disk interrupts it', () => {
    const counted = new DyingDisk();
    upgradePaper(paperData(), counted.disk);
    expect(counted.count).toBeGreaterThan(20);
    for (let change = 0; change <= counted.count; change += 1) {
      for (const disk of [new DyingDisk(change).disk, failingOnce(change)]) {
        const dataDir = paperData();
        try {
          upgradePaper(dataDir, disk);
        } catch (error) {
          expect(String(error)).toMatch(/the process died|ENOSPC/);
        }
        upgradePaper(dataDir, nodeDisk);
        expect(recordOf(dataDir)).toEqual({ format: 2 });
        expect(readdirSync(paperFolder(dataDir)).toSorted()).toEqual(WALLETS.toSorted());
        for (const wallet of WALLETS) {
          const store = storeOf(dataDir, wallet);
          expect(Buffer.from(store.get('market/BTC')!).toString(), `change ${change}`).toBe(`${wallet}+`);
          store.close();
        }
      }
    }
  });
});

describe('starts that die while they read the state', () => {
  test('put the state aside after three times and build it from a checkpoint', async () => {
    const dataDir = version1();
    for (let start = 0; start < 3; start++) {
      // The copies begin after the count of the start is synced.
      expect(() => upgrade(dataDir, new DyingDisk(12).disk)).toThrow('the process died');
    }
    expect(recordOf(dataDir)).toEqual({ format: 1 });
    const release = new Release(dataDir, VERSION_2);
    expect(release.world.main.report.origin).toBe('checkpoint');
    await release.close();
    expect(await problemsOf(dataDir, VERSION_2)).toEqual([]);
    expect(dump(dataDir)).toEqual(expect.arrayContaining([...rows2]));
  });
});
