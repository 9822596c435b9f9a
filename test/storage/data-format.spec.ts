import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { backupData, restoreData } from '../../src/journal/backup.js';
import { readQuarantined } from '../../src/journal/state/stored-orders.js';
import { verifyJournal } from '../../src/journal/verification.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { openIdentity, openRestored } from '../../src/runtime/identity.js';
import { SegmentFolder } from '../../src/journal/segments.js';
import { journalFolder } from '../../src/storage/data-directory.js';
import { OtherFormat, recordFormat } from '../../src/storage/data-format.js';
import { ForgetfulDisk } from '../journal/forgetful-disk.js';
import { sluice } from '../cli/command-line.js';
import { dataFolders } from '../journal/data-folders.js';
import { alter, recover, segmentFile } from '../journal/journal-world.js';
import { contentOf } from './directory-content.js';
import { makeKilledData, NEWER, OURS, PRESENT, record, recorded } from './killed-data.js';

const UNREADABLE = 'an unreadable record of its format (format.json)';

const folders = dataFolders();

/** Made once for all tests. */
let made = '';

beforeAll(async () => {
  made = await makeKilledData(folders);
});

function killedData(): string {
  return folders.copyOf(made);
}

function firstSegment(dataDir: string): number {
  return SegmentFolder.at(journalFolder(dataDir)).numbers()[0]!;
}

/** The name of each case, the text in its message, and its change of the directory. */
const CASES: readonly (readonly [string, string, (dataDir: string) => void])[] = [
  ['a newer format', NEWER, (dataDir) => record(dataDir, { format: PRESENT + 1 })],
  ['an unfinished upgrade to a newer format', NEWER, (dataDir) => record(dataDir, { format: PRESENT + 1, from: 1 })],
  [
    'an unfinished upgrade to this format',
    `the upgrade of `,
    (dataDir) => record(dataDir, { format: PRESENT, from: 1 }),
  ],
  ['a record of another kind', UNREADABLE, (dataDir) => record(dataDir, { journal: 5 })],
  ['a number that is none', UNREADABLE, (dataDir) => record(dataDir, { format: 'two' })],
  ['a number below 1', UNREADABLE, (dataDir) => record(dataDir, { format: 0 })],
  ['a record that is cut short', UNREADABLE, (dataDir) => writeFileSync(join(dataDir, 'format.json'), '{')],
  ['no record', 'no record of its format (format.json)', (dataDir) => rmSync(join(dataDir, 'format.json'))],
  [
    'a segment of a newer journal',
    NEWER,
    (dataDir) =>
      alter(segmentFile(dataDir, firstSegment(dataDir)), (bytes) => {
        bytes.write('SLUICEJ\n', 0, 'latin1');
        bytes.writeUInt32LE(PRESENT + 1, 8);
      }),
  ],
];

/** Operator commands that open a data directory, with arguments that are otherwise good. */
const COMMANDS: readonly (readonly string[])[] = [
  ['keys', 'create', '--account', 'demo'],
  ['keys', 'list'],
  ['keys', 'revoke', 'a'.repeat(32)],
  ['keys', 'confirm', '--all'],
  ['kill-switch', 'status'],
  ['kill-switch', 'on', '--account', 'demo'],
  ['guardrails', 'show'],
  ['trading', 'status'],
  ['trading', 'resume'],
  ['quarantine', 'list'],
  ['quarantine', 'release', '65537'],
];

describe('a data directory of another format is refused and stays as it is', () => {
  test.each(CASES)('%s', async (_name, found, change) => {
    const dataDir = killedData();
    change(dataDir);
    const before = contentOf(dataDir);
    const target = join(folders.fresh(), 'copy');
    const programs: readonly (() => unknown)[] = [
      () => openIdentity(dataDir),
      () => openRestored(dataDir),
      () => recover(dataDir),
      () => verifyJournal(dataDir, foldEnvelope),
      () => readQuarantined(dataDir),
      () => backupData(dataDir, target, { withMasterKey: false }),
    ];
    for (const program of programs) {
      const refusal = (async () => program())();
      await expect(refusal).rejects.toThrow(OtherFormat);
      await expect(refusal).rejects.toThrow(found);
      await expect(refusal).rejects.toThrow('Nothing was changed.');
    }
    expect(contentOf(dataDir)).toEqual(before);
    expect(readdirSync(join(target, '..'))).toEqual([]);
  });

  test('is refused by every operator command', async () => {
    const dataDir = killedData();
    await openIdentity(dataDir).close();
    record(dataDir, { format: PRESENT + 1 });
    const before = contentOf(dataDir);
    for (const command of COMMANDS) {
      const { status, out, error } = await sluice(command, { SLUICE_DATA_DIR: dataDir });
      expect(out + error, command.join(' ')).toContain(NEWER);
      expect(status, command.join(' ')).not.toBe(0);
    }
    expect(contentOf(dataDir)).toEqual(before);
  });
});

describe('a backup of another format is refused and stays as it is', () => {
  test.each<[string, (source: string) => void]>([
    ['a newer backup', (source) => record(source, { format: PRESENT + 1 })],
    ['a record of another kind', (source) => record(source, { journal: 5 })],
    ['no record', (source) => rmSync(join(source, 'format.json'))],
  ])('%s', async (_name, change) => {
    const [source, target] = [folders.fresh(), folders.fresh()];
    await backupData(killedData(), source, { withMasterKey: false });
    change(source);
    const before = contentOf(source);
    const refusal = restoreData(source, target);
    await expect(refusal).rejects.toThrow(OtherFormat);
    await expect(refusal).rejects.toThrow(`this release reads ${OURS}. Nothing was changed.`);
    expect([contentOf(source), readdirSync(target)]).toEqual([before, []]);
  });
});

describe('the record of the format', () => {
  test('is written before anything else, by the service and by the first key', async () => {
    const [served, keyed] = [folders.fresh(), folders.fresh()];
    await recover(served).close();
    await openIdentity(keyed).close();
    for (const dataDir of [served, keyed]) {
      expect(recorded(dataDir)).toEqual({ format: PRESENT });
    }
  });

  test('may be missing in a directory that has no data yet', async () => {
    const dataDir = folders.fresh();
    mkdirSync(join(dataDir, 'lost+found'));
    writeFileSync(join(dataDir, 'master.key'), '00'.repeat(32));
    writeFileSync(join(dataDir, 'format.json.17.draft'), '{"jour');
    await openIdentity(dataDir).close();
    expect(recorded(dataDir)).toEqual({ format: PRESENT });
  });

  test.each([0, 1, 2, 3, 4, 5])('does not stop a start after a power loss at its change %i', async (changes) => {
    const [dataDir, image] = [folders.fresh(), folders.fresh()];
    const disk = new ForgetfulDisk(dataDir);
    disk.failAfter(changes);
    expect(() => {
      recordFormat(dataDir, disk);
      disk.sync(dataDir);
    }).toThrow('the power has failed');
    disk.image(image, (limit) => (changes * 7) % limit);
    disk.end();
    await recover(image).close();
    expect(recorded(image)).toEqual({ format: PRESENT });
  });

  test('is equal in a restored directory and in a data directory', async () => {
    const [source, target] = [folders.fresh(), folders.fresh()];
    await backupData(killedData(), source, { withMasterKey: false });
    expect(recorded(source)).toEqual({ format: PRESENT });
    await restoreData(source, target);
    expect(recorded(target)).toEqual({ format: PRESENT });
  });
});
