import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backupData, restoreData } from '../../src/journal/backup.js';
import { readQuarantined } from '../../src/journal/state/stored-orders.js';
import { verifyJournal } from '../../src/journal/verification.js';
import { foldEnvelope } from '../../src/order/evolve.js';
import { openIdentity, openRestored } from '../../src/runtime/identity.js';
import { BACKUP_FORMATS, DATA_FORMATS, OtherFormat, recordFormats } from '../../src/storage/data-format.js';
import { ForgetfulDisk } from '../journal/forgetful-disk.js';
import { sluice } from '../cli/command-line.js';
import { alter, Folders, recover, segmentFile } from '../journal/journal-world.js';

const ROOT = join(import.meta.dirname, '../..');
const PEER = join(ROOT, 'dist/test/journal/large-book-peer.js');
const { identity, journal, state, venue } = DATA_FORMATS;
const OURS = `identity ${identity}, journal ${journal}, state ${state}, venue ${venue}`;
const TEST_MS_MAX = 120_000;

const folders = new Folders();
afterAll(() => folders.removeAll());

/** A data directory of a killed service after retention. Made once for all tests. */
let made = '';

beforeAll(() => {
  made = folders.fresh();
  const { signal, stderr } = spawnSync(process.execPath, [PEER, 'make', made, '40'], { encoding: 'utf8' });
  if (signal !== 'SIGKILL') throw new Error(stderr);
}, TEST_MS_MAX);

function agedData(): string {
  const dataDir = folders.fresh();
  cpSync(made, dataDir, { recursive: true });
  return dataDir;
}

/** Every file with its bytes, mode and time of change, and every folder. */
function contentOf(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[]).sort().map((name) => {
    const { mode, mtimeMs } = statSync(join(folder, name));
    const bytes = statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name)).toString('base64') : '';
    return `${name} ${mode} ${mtimeMs} ${bytes}`;
  });
}

function record(dataDir: string, change: object): void {
  writeFileSync(join(dataDir, 'format.json'), JSON.stringify({ ...DATA_FORMATS, ...change }));
}

/** The name of each case, the format in its message, and its change of the directory. */
const CASES: readonly (readonly [string, string, (dataDir: string) => void])[] = [
  ['an older journal', `journal ${journal - 1},`, (dataDir) => record(dataDir, { journal: journal - 1 })],
  ['a newer journal', `journal ${journal + 1},`, (dataDir) => record(dataDir, { journal: journal + 1 })],
  ['an older state', `state ${state - 1},`, (dataDir) => record(dataDir, { state: state - 1 })],
  ['a newer state', `state ${state + 1},`, (dataDir) => record(dataDir, { state: state + 1 })],
  ['an older identity store', `identity ${identity - 1},`, (dataDir) => record(dataDir, { identity: identity - 1 })],
  ['a newer identity store', `identity ${identity + 1},`, (dataDir) => record(dataDir, { identity: identity + 1 })],
  ['an older venue store', `venue ${venue - 1};`, (dataDir) => record(dataDir, { venue: venue - 1 })],
  ['a newer venue store', `venue ${venue + 1};`, (dataDir) => record(dataDir, { venue: venue + 1 })],
  ['a kind that this release does not know', 'cluster 1,', (dataDir) => record(dataDir, { cluster: 1 })],
  ['a number that is none', 'an unreadable record', (dataDir) => record(dataDir, { state: 'two' })],
  ['a record that is cut short', 'an unreadable record', (dataDir) => writeFileSync(join(dataDir, 'format.json'), '{')],
  ['no record', 'no record of its formats (format.json)', (dataDir) => rmSync(join(dataDir, 'format.json'))],
  [
    'a segment of a newer journal',
    `journal ${journal + 1},`,
    (dataDir) =>
      alter(segmentFile(dataDir, 2), (bytes) => {
        bytes.write('SLUICEJ\n', 0, 'latin1');
        bytes.writeUInt32LE(journal + 1, 8);
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

function run(program: string, args: readonly string[], dataDir: string): { status: number | null; text: string } {
  const env = { ...process.env, SLUICE_DATA_DIR: dataDir, SLUICE_PORT: '0' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', env });
  return { status, text: stdout + stderr };
}

describe('a data directory of another format is refused and stays as it is', () => {
  test.each(CASES)('%s', { timeout: TEST_MS_MAX }, async (_name, found, change) => {
    const dataDir = agedData();
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
      await expect(refusal).rejects.toThrow(`this release reads ${OURS}.`);
    }
    expect(contentOf(dataDir)).toEqual(before);
    expect(readdirSync(join(target, '..'))).toEqual([]);
  });

  test('is refused by the service and by every operator command', { timeout: TEST_MS_MAX }, async () => {
    const dataDir = agedData();
    await openIdentity(dataDir).close();
    record(dataDir, { state: state + 1 });
    const before = contentOf(dataDir);
    const found = `has the formats identity ${identity}, journal ${journal}, state ${state + 1}, venue ${venue}`;
    const service = run(join(ROOT, 'dist/service/src/main.js'), [], dataDir);
    expect(service.text).toContain(`${found}; this release reads ${OURS}`);
    expect(service.status).toBe(1);
    for (const command of COMMANDS) {
      const { status, out, error } = await sluice(command, { SLUICE_DATA_DIR: dataDir });
      expect(out + error, command.join(' ')).toContain(`${found}; this release reads ${OURS}`);
      expect(status, command.join(' ')).not.toBe(0);
    }
    const processes = [COMMANDS[0]!, ['journal', 'verify'], ['backup', join(folders.fresh(), 'copy')]];
    for (const command of processes) {
      const { status, text } = run(join(ROOT, 'dist/service/src/cli/main.js'), command, dataDir);
      expect(text, command.join(' ')).toContain(`${found}; this release reads ${OURS}`);
      expect(status, command.join(' ')).not.toBe(0);
    }
    expect(contentOf(dataDir)).toEqual(before);
  });

  test('is refused by a build that reads another format of the state', { timeout: TEST_MS_MAX }, () => {
    const dataDir = agedData();
    const release = folders.fresh();
    cpSync(join(ROOT, 'dist/src'), join(release, 'dist/src'), { recursive: true });
    mkdirSync(join(release, 'dist/workers'));
    for (const name of ['node_modules', 'package.json']) symlinkSync(join(ROOT, name), join(release, name));
    const module = join(release, 'dist/src/storage/data-format.js');
    const code = readFileSync(module, 'utf8');
    expect(code).toContain(`state: ${state},`);
    writeFileSync(module, code.replace(`state: ${state},`, `state: ${state + 1},`));
    const before = contentOf(dataDir);
    const { status, text } = run(join(release, 'dist/src/main.js'), [], dataDir);
    const theirs = `identity ${identity}, journal ${journal}, state ${state + 1}, venue ${venue}`;
    expect(text).toContain(`has the formats ${OURS}; this release reads ${theirs}`);
    expect(status).toBe(1);
    expect(contentOf(dataDir)).toEqual(before);
  });
});

describe('a backup of another format is refused and stays as it is', () => {
  test.each<[string, (source: string) => void]>([
    ['an older backup', (source) => record(source, { backup: BACKUP_FORMATS.backup - 1 })],
    ['a newer backup', (source) => record(source, { backup: BACKUP_FORMATS.backup + 1 })],
    ['a newer journal', (source) => record(source, { ...BACKUP_FORMATS, journal: journal + 1 })],
    ['a data directory', (source) => record(source, {})],
    ['no record', (source) => rmSync(join(source, 'format.json'))],
  ])('%s', { timeout: TEST_MS_MAX }, async (_name, change) => {
    const [source, target] = [folders.fresh(), folders.fresh()];
    await backupData(agedData(), source, { withMasterKey: false });
    change(source);
    const before = contentOf(source);
    await expect(restoreData(source, target)).rejects.toThrow(OtherFormat);
    const { status, text } = run(join(ROOT, 'dist/service/src/cli/main.js'), ['restore', source, '--yes'], target);
    expect(text).toContain(`this release reads backup ${BACKUP_FORMATS.backup}, ${OURS}`);
    expect(status).not.toBe(0);
    expect([contentOf(source), readdirSync(target)]).toEqual([before, []]);
  });
});

describe('the record of formats', () => {
  test('is written before anything else, by the service and by the first key', async () => {
    const [served, keyed] = [folders.fresh(), folders.fresh()];
    await recover(served).close();
    await openIdentity(keyed).close();
    for (const dataDir of [served, keyed]) {
      expect(JSON.parse(readFileSync(join(dataDir, 'format.json'), 'utf8'))).toEqual(DATA_FORMATS);
    }
  });

  test('may be missing in a directory that has no data yet', async () => {
    const dataDir = folders.fresh();
    mkdirSync(join(dataDir, 'lost+found'));
    writeFileSync(join(dataDir, 'master.key'), '00'.repeat(32));
    writeFileSync(join(dataDir, 'format.json.17.draft'), '{"jour');
    await openIdentity(dataDir).close();
    expect(JSON.parse(readFileSync(join(dataDir, 'format.json'), 'utf8'))).toEqual(DATA_FORMATS);
  });

  test.each([0, 1, 2, 3, 4, 5])('does not stop a start after a power loss at its change %i', async (changes) => {
    const [dataDir, image] = [folders.fresh(), folders.fresh()];
    const disk = new ForgetfulDisk(dataDir);
    disk.failAfter(changes);
    expect(() => {
      recordFormats(dataDir, disk);
      disk.sync(dataDir);
    }).toThrow('the power has failed');
    disk.image(image, (limit) => (changes * 7) % limit);
    disk.end();
    await recover(image).close();
    expect(JSON.parse(readFileSync(join(image, 'format.json'), 'utf8'))).toEqual(DATA_FORMATS);
  });

  test('is equal in a restored directory and in a data directory', async () => {
    const [source, target] = [folders.fresh(), folders.fresh()];
    await backupData(agedData(), source, { withMasterKey: false });
    expect(JSON.parse(readFileSync(join(source, 'format.json'), 'utf8'))).toEqual(BACKUP_FORMATS);
    await restoreData(source, target);
    expect(JSON.parse(readFileSync(join(target, 'format.json'), 'utf8'))).toEqual(DATA_FORMATS);
  });
});
