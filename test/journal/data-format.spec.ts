import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backupData, restoreData } from '../../src/journal/backup.js';
import { OtherFormat } from '../../src/journal/data-format.js';
import { openIdentity } from '../../src/journal/identity/index.js';
import { alter, Folders, recover, segmentFile } from './journal-world.js';

const ROOT = join(import.meta.dirname, '../..');
const PEER = join(ROOT, 'dist/test/journal/large-book-peer.js');
const OURS = 'this release reads journal 1, state 1, identity 1, venue 1';
const TEST_MS_MAX = 120_000;

const folders = new Folders();
afterAll(() => folders.removeAll());

/** Made once: a data directory whose oldest segments retention has removed, as a killed service leaves it. */
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

function alterJson(path: string, change: object): void {
  writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as object), ...change }));
}

function setStateSchema(dataDir: string, schema: number): void {
  alterJson(join(dataDir, 'state/stamp.json'), { schema });
  for (const name of readdirSync(join(dataDir, 'checkpoint'))) {
    alterJson(join(dataDir, 'checkpoint', name, 'manifest.json'), { schema });
  }
}

describe('a data directory of another format', () => {
  test.each<[string, string, (dataDir: string) => void]>([
    ['an older state', 'journal 1, state 0,', (dataDir) => setStateSchema(dataDir, 0)],
    ['a newer state', 'journal 1, state 2,', (dataDir) => setStateSchema(dataDir, 2)],
    ['a newer journal', 'journal 2,', (dataDir) => alterJson(join(dataDir, 'format.json'), { journal: 2 })],
    ['a newer identity store', 'identity 2,', (dataDir) => alterJson(join(dataDir, 'format.json'), { identity: 2 })],
    ['an older venue store', 'venue 0;', (dataDir) => alterJson(join(dataDir, 'format.json'), { venue: 0 })],
    [
      'a newer segment',
      'journal 2,',
      (dataDir) =>
        alter(segmentFile(dataDir, 2), (bytes) => {
          bytes.write('SLUICEJ\n', 0, 'latin1');
          bytes.writeUInt32LE(2, 8);
        }),
    ],
  ])('is refused and stays as it is: %s', { timeout: TEST_MS_MAX }, async (_name, found, change) => {
    const dataDir = agedData();
    change(dataDir);
    const before = contentOf(dataDir);
    for (const start of [() => openIdentity(dataDir), () => recover(dataDir)]) {
      expect(start).toThrow(OtherFormat);
      expect(start).toThrow(found);
      expect(start).toThrow(OURS);
    }
    const target = join(folders.fresh(), 'copy');
    await expect(backupData(dataDir, target, { withMasterKey: false })).rejects.toThrow(OtherFormat);
    writeFileSync(join(dataDir, 'backup.json'), '{"lastSeq":0,"takenAtMs":0,"copy":"PAGES"}');
    await expect(restoreData(dataDir, target)).rejects.toThrow(OtherFormat);
    expect(contentOf(dataDir).filter((entry) => !entry.startsWith('backup.json'))).toEqual(before);
  });

  test('is refused by a build with another state schema before it touches anything', { timeout: TEST_MS_MAX }, () => {
    const dataDir = agedData();
    const release = folders.fresh();
    cpSync(join(ROOT, 'dist/src'), join(release, 'dist/src'), { recursive: true });
    mkdirSync(join(release, 'dist/workers'));
    for (const name of ['node_modules', 'package.json']) symlinkSync(join(ROOT, name), join(release, name));
    const module = join(release, 'dist/src/journal/state-tables.js');
    const code = readFileSync(module, 'utf8');
    expect(code).toContain('STATE_SCHEMA = 1;');
    writeFileSync(module, code.replace('STATE_SCHEMA = 1;', 'STATE_SCHEMA = 2;'));
    const before = contentOf(dataDir);
    const { status, stderr } = spawnSync(process.execPath, [join(release, 'dist/src/main.js')], {
      encoding: 'utf8',
      env: { ...process.env, SLUICE_DATA_DIR: dataDir, SLUICE_PORT: '0' },
    });
    expect(stderr).toContain(
      'has the formats journal 1, state 1, identity 1, venue 1; this release reads journal 1, state 2',
    );
    expect(status).toBe(1);
    expect(contentOf(dataDir)).toEqual(before);
  });
});

test('a data directory records its formats and is accepted without the record', async () => {
  const dataDir = folders.fresh();
  await recover(dataDir).close();
  const path = join(dataDir, 'format.json');
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ journal: 1, identity: 1, venue: 1 });
});
