import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { upgradeData } from '../../../src/journal/format/data-upgrade.js';
import { SegmentFolder } from '../../../src/journal/segments.js';
import { journalFolder } from '../../../src/storage/data-directory.js';
import { OtherFormat } from '../../../src/storage/data-format.js';
import type { Disk } from '../../../src/storage/disk.js';
import { openIdentity } from '../../../src/runtime/identity.js';
import { countChanges, losePower } from '../forgetful-disk.js';
import { dataFolders } from '../data-folders.js';
import { dump, recover, silentLog } from '../journal-world.js';
import { runs, spread } from '../../runs.js';
import { makeAgedData, problemsOf, Release } from './aged-data.js';
import { DyingDisk, failingOnce } from './dying-disk.js';
import { VERSION_1, VERSION_2 } from './releases.js';

const ORDERS_COUNT = 60;
/** Power losses at each change. */
const POWER_LOSSES_COUNT = runs(1, 2);
/** Changes of the upgrade that a sample tries, of about 50. */
const SAMPLE_COUNT = 6;

const folders = dataFolders();
/** Data of version 1. Made once for all steps. */
let made = '';
const madeIn = dataFolders();

/** Does the work for each change of an upgrade, or for a sample of them. */
async function eachOf(
  changesCount: number,
  work: (change: number) => Promise<void>,
  sampleCount = SAMPLE_COUNT,
): Promise<void> {
  const changes = Array.from({ length: changesCount }, (_, change) => change);
  for (const change of spread(changes, sampleCount)) {
    // oxlint-disable-next-line no-await-in-loop
    await work(change);
    // All steps together would fill a disk in memory.
    folders.removeAll();
  }
}

/** The rows of version 1, and of version 2 after an undisturbed upgrade. */
let rows1: readonly string[] = [];
let rows2: readonly string[] = [];
/** The used segments of the journal, which no upgrade changes. */
let segments: readonly string[] = [];
let changesCount = 0;

beforeAll(async () => {
  made = madeIn.fresh();
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
  return folders.copyOf(made);
}

function upgrade(dataDir: string, disk: Disk): void {
  upgradeData({ dataDir, log: silentLog, format: VERSION_2, bootId: 'boot-1', disk });
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
  const image = folders.copyOf(dataDir);
  if (recordOf(image).format === 1) {
    await recover(image, { format: VERSION_1, bootId }).close();
    expect(dump(image), at).toEqual(rows1);
    return;
  }
  const before = namesAndBytes(image);
  expect(() => recover(image, { format: VERSION_1, bootId }), at).toThrow(OtherFormat);
  expect(namesAndBytes(image), at).toEqual(before);
}

/** The files that a power loss leaves which interrupts the upgrade of a copy after these changes. */
function lossDuring(source: string, changes: number, seed: number): string {
  const image = folders.fresh();
  losePower(folders.copyOf(source), image, upgrade, { changes, seed });
  return image;
}

describe('an upgrade that is interrupted', () => {
  test('changes the rows', () => {
    expect(rows2).not.toEqual(rows1);
    expect(rows2).toHaveLength(rows1.length);
    expect(changesCount).toBeGreaterThan(20);
  });

  test('by a kill before any of its changes is finished by the next start', async () => {
    const records = new Set<string>();
    await eachOf(changesCount, async (death) => {
      const dataDir = version1();
      expect(() => upgrade(dataDir, new DyingDisk(death).disk)).toThrow('the process died');
      records.add(JSON.stringify(recordOf(dataDir)));
      await expectOldOrNew(dataDir, 'boot-1', `change ${death}`);
      await expectComplete(dataDir, 'boot-1', `change ${death}`);
    });
    expect([...records]).toEqual(['{"format":1}', '{"format":2,"from":1}', '{"format":2}']);
  });

  test('by two kills is finished by the next start', async () => {
    await eachOf(changesCount, async (death) => {
      const dataDir = version1();
      expect(() => upgrade(dataDir, new DyingDisk(death).disk)).toThrow('the process died');
      succeeds(() => upgrade(dataDir, new DyingDisk((death * 7) % changesCount).disk));
      await expectComplete(dataDir, 'boot-1', `change ${death}`);
    });
  });

  test('by an error of the disk leaves no copy behind, and the next start finishes it', async () => {
    await eachOf(changesCount, async (failure) => {
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
      await expectOldOrNew(dataDir, 'boot-1', `change ${failure}`);
      await expectComplete(dataDir, 'boot-1', `change ${failure}`);
    });
  });

  test('by a power loss before any of its changes is finished by the next start', async () => {
    await eachOf(countChanges(version1(), upgrade), async (change) => {
      for (let loss = 0; loss < POWER_LOSSES_COUNT; loss++) {
        const image = lossDuring(made, change, change + loss * 977);
        // oxlint-disable-next-line no-await-in-loop
        await expectOldOrNew(image, 'boot-2', `change ${change}, loss ${loss}`);
        // oxlint-disable-next-line no-await-in-loop
        await expectComplete(image, 'boot-2', `change ${change}, loss ${loss}`);
      }
    });
  });
});

describe('an upgrade of data of a killed service', () => {
  test('that a power loss interrupts is finished, and the state is built from a checkpoint', async () => {
    const dataDir = version1();
    const killed = recover(dataDir, { format: VERSION_1 });
    const image = madeIn.copyOf(folders.crashImage(dataDir));
    await killed.close();
    const step = async (change: number): Promise<void> => {
      const lost = lossDuring(image, change, change);
      const release = new Release(lost, VERSION_2, { bootId: 'boot-2' });
      expect(release.world.main.report.origin, `change ${change}`).toBe('checkpoint');
      await release.close();
      expect(recordOf(lost)).toEqual({ format: 2 });
      expect(dump(lost), `change ${change}`).toEqual(expect.arrayContaining([...rows2]));
      expect(await problemsOf(lost, VERSION_2), `change ${change}`).toEqual([]);
    };
    // Each step replays and verifies the journal, so a sample has few.
    await eachOf(countChanges(folders.copyOf(image), upgrade), step, 3);
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
