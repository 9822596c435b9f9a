import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { LmdbVenueStore } from '../../src/sim/store/lmdb-store.js';
import { makeFolder, venueFolder } from '../../src/storage/data-directory.js';
import { recordFormat } from '../../src/storage/data-format.js';
import type { Disk } from '../../src/storage/disk.js';
import { upgradeDirectory } from '../../src/storage/format/directory-upgrade.js';
import { DataFormat, type FormatStep } from '../../src/storage/format/format-steps.js';
import { dataFolders } from '../journal/data-folders.js';
import { countChanges, losePower } from '../journal/forgetful-disk.js';
import { DyingDisk, failingOnce } from '../journal/format/dying-disk.js';
import { unsyncedDisk } from '../journal/unsynced-disk.js';
import { runs, spread } from '../runs.js';
import { readRows } from './stored-bytes/raw-rows.js';

/** Changes at which a sample kills the process. */
const KILLS_COUNT = 10;
/** Power losses at each change. */
const LOSSES_COUNT = runs(2, 20);

const LENGTHENED: FormatStep = {
  rows: { venue: (row) => [{ ...row, value: Buffer.concat([row.value, Buffer.from('+')]) }] },
};
const NEXT = new DataFormat([LENGTHENED]);

/** Data of the first format, without orders. */
let made = '';
const madeIn = dataFolders();
const folders = dataFolders();

beforeAll(() => {
  made = madeIn.fresh();
  recordFormat(made, unsyncedDisk, 1);
  makeFolder(venueFolder(made));
  const store = new LmdbVenueStore(venueFolder(made));
  store.commit([{ key: 'market/BTC', value: Buffer.from('row') }]);
  store.close();
});

function upgrade(dataDir: string, disk: Disk = unsyncedDisk): void {
  upgradeDirectory({ dataDir, format: NEXT, disk, isStateTrusted: true });
}

function formatOf(dataDir: string): unknown {
  return JSON.parse(readFileSync(join(dataDir, 'format.json'), 'utf8'));
}

function changesOf(count: number, sampleCount: number): readonly number[] {
  const changes = Array.from({ length: count }, (_, change) => change);
  return spread(changes, sampleCount);
}

/** The row of the store. Read without the store's own code, which syncs at its end. */
async function rowsOf(dataDir: string): Promise<string[]> {
  const rows = await readRows(venueFolder(dataDir), false);
  return rows.flatMap(
    ([, , value]) =>
      Buffer.from(value, 'hex')
        .toString()
        .match(/^row.*/) ?? [],
  );
}

/** The data are as before, or the next start finishes the upgrade. */
async function expectOldOrNew(dataDir: string, at: string): Promise<void> {
  const { format } = formatOf(dataDir) as { format: number };
  if (format === 1) expect(await rowsOf(dataDir), at).toEqual(['row']);
  upgrade(dataDir);
  expect(formatOf(dataDir), at).toEqual({ format: 2 });
  expect(await rowsOf(dataDir), at).toEqual(['row+']);
  expect(readdirSync(dataDir).filter((name) => name.startsWith('venue'))).toEqual(['venue']);
  folders.removeAll();
}

describe('an upgrade of the store of simulated exchanges', () => {
  it('lifts its rows', () => {
    const dataDir = folders.copyOf(made);
    upgrade(dataDir);
    const store = new LmdbVenueStore(venueFolder(dataDir));
    expect(Buffer.from(store.get('market/BTC')!).toString()).toBe('row+');
    store.close();
  });

  it('is finished by the next start when a kill or an error of the disk interrupts it', async () => {
    const counted = new DyingDisk();
    upgrade(folders.copyOf(made), counted.disk);
    expect(counted.count).toBeGreaterThan(20);
    for (const change of changesOf(counted.count, KILLS_COUNT)) {
      for (const disk of [new DyingDisk(change).disk, failingOnce(change)]) {
        const dataDir = folders.copyOf(made);
        expect(() => upgrade(dataDir, disk)).toThrow(/the process died|ENOSPC/);
        // oxlint-disable-next-line no-await-in-loop
        await expectOldOrNew(dataDir, `change ${change}`);
      }
    }
  });

  it('is finished by the next start when a power loss interrupts it', async () => {
    // A sample too tries each change: a missing sync shows at one or two of them.
    const count = countChanges(folders.copyOf(made), upgrade);
    for (const change of changesOf(count, count)) {
      for (let loss = 0; loss < LOSSES_COUNT; loss += 1) {
        const image = folders.fresh();
        losePower(folders.copyOf(made), image, upgrade, { changes: change, seed: change + 1_000 * loss });
        // oxlint-disable-next-line no-await-in-loop
        await expectOldOrNew(image, `change ${change}, loss ${loss}`);
      }
    }
  });
});
