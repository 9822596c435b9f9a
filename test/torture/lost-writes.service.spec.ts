import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LosingDisk } from './lost-writes.js';
import { Random } from './random.js';

const SEEDS = 8;
/** Folders with the same program, which may lose different data. */
const FOLDERS_COUNT = 12;

const FOLDERS = Array.from({ length: FOLDERS_COUNT }, (_, index) => `folder-${index}`);

interface Disk {
  readonly dataDir: string;
  /** Runs a program in each folder, as `dir`, with node:fs as `fs`, then simulates a power loss. */
  run(program: string, seed: number): void;
}

function newDisk(): Disk {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-losing-disk-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const dataDir = join(folder, 'data');
  const disk = new LosingDisk(dataDir, join(folder, 'disk'));
  return {
    dataDir,
    run(program, seed) {
      rmSync(dataDir, { recursive: true, force: true });
      for (const folderName of FOLDERS) {
        mkdirSync(join(dataDir, folderName), { recursive: true });
        writeFileSync(join(dataDir, folderName, 'there'), 'a'.repeat(10_000));
      }
      const text = `const fs = require('node:fs');
        for (const name of ${JSON.stringify(FOLDERS)}) { const dir = process.argv[1] + '/' + name; ${program} }`;
      const env = { ...process.env, ...disk.begin() };
      const ended = spawnSync(process.execPath, ['-e', text, dataDir], { env, encoding: 'utf8' });
      expect([ended.status, ended.stderr]).toEqual([0, '']);
      disk.losePower(new Random(seed));
    },
  };
}

/** Returns what a program leaves in a folder, over many folders and seeds. */
function outcomes(program: string, look: (folder: string) => unknown): Set<unknown> {
  const disk = newDisk();
  const seen = new Set<unknown>();
  for (let seed = 0; seed < SEEDS; seed += 1) {
    disk.run(program, seed);
    for (const folder of FOLDERS) seen.add(look(join(disk.dataDir, folder)));
  }
  return seen;
}

const read = (name: string) => (folder: string) =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : 'absent';
const SYNC_FOLDER = `const folder = fs.openSync(dir, 'r'); fs.fsyncSync(folder);`;

const CLAIM = join(import.meta.dirname, '../../dist/src/storage/process-claim.js');

describe('the claim on a data directory', () => {
  it('can be taken again after a power loss', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-losing-claim-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const dataDir = join(folder, 'data');
    const disk = new LosingDisk(dataDir, join(folder, 'disk'));
    const take = `import(process.argv[1]).then(({ ProcessClaim }) => {
      ProcessClaim.take(process.argv[2]); process.kill(process.pid, 'SIGKILL'); });`;
    for (let seed = 0; seed < 8; seed += 1) {
      rmSync(dataDir, { recursive: true, force: true });
      mkdirSync(dataDir);
      for (const life of [1, 2]) {
        const env = { ...process.env, ...disk.begin() };
        const ended = spawnSync(process.execPath, ['-e', take, CLAIM, dataDir], { env, encoding: 'utf8' });
        expect([seed, life, ended.signal, ended.stderr]).toEqual([seed, life, 'SIGKILL', '']);
        disk.losePower(new Random(seed));
      }
    }
  });
});

describe('a simulated disk that loses unsynced data', () => {
  it('keeps or loses unsynced bytes, or keeps a part of them', () => {
    const program = `const file = fs.openSync(dir + '/there', 'r+'); fs.writeSync(file, 'b'.repeat(10_000), 0);`;
    const seen = outcomes(program, read('there'));
    expect(seen).toContain('a'.repeat(10_000));
    expect(seen).toContain('b'.repeat(10_000));
    expect(seen.size).toBeGreaterThan(2);
  });

  it('keeps synced bytes, and loses later ones', () => {
    const program = `const file = fs.openSync(dir + '/there', 'r+');
      fs.writeSync(file, 'b'.repeat(10_000), 0); fs.fdatasyncSync(file); fs.writeSync(file, 'c', 0);`;
    const rest = 'b'.repeat(9_999);
    expect(outcomes(program, read('there'))).toEqual(new Set([`b${rest}`, `c${rest}`]));
  });

  it('keeps a write to a file that is opened for synced writes', () => {
    const program = `const plain = fs.openSync(dir + '/there', 'r+'); fs.writeSync(plain, 'x'.repeat(10_000), 0);
      const synced = fs.openSync(dir + '/there', fs.constants.O_RDWR | fs.constants.O_DSYNC);
      fs.writeSync(synced, 'durable', 100);`;
    const seen = outcomes(program, (folder) => read('there')(folder).slice(100, 107));
    expect(seen).toEqual(new Set(['durable']));
  });

  it('loses a new file whose folder was not synced, although its bytes were', () => {
    const program = `const file = fs.openSync(dir + '/new', 'w'); fs.writeSync(file, 'b'); fs.fsyncSync(file);`;
    expect(outcomes(program, read('new'))).toEqual(new Set(['absent', 'b']));
    expect(outcomes(`${program} ${SYNC_FOLDER}`, read('new'))).toEqual(new Set(['b']));
  });

  it('reverts a rename and a removal when the folder was not synced', () => {
    const replace = `const file = fs.openSync(dir + '/draft', 'w'); fs.writeSync(file, 'new'); fs.fsyncSync(file);
      ${SYNC_FOLDER} fs.renameSync(dir + '/draft', dir + '/there');`;
    expect(outcomes(replace, read('there'))).toEqual(new Set(['a'.repeat(10_000), 'new']));
    expect(outcomes(`${replace} fs.fsyncSync(folder);`, read('there'))).toEqual(new Set(['new']));
    const remove = `fs.unlinkSync(dir + '/there');`;
    expect(outcomes(remove, read('there'))).toEqual(new Set(['absent', 'a'.repeat(10_000)]));
    expect(outcomes(`${remove} ${SYNC_FOLDER}`, read('there'))).toEqual(new Set(['absent']));
  });
});
