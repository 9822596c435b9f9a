import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** A fake compiler: records each run, takes a short time, and fails when a source contains the word for it. */
const COMPILER = `
  const { appendFileSync, existsSync, mkdirSync } = require('node:fs');
  if (process.argv.at(-1) === '.') appendFileSync('runs', 'run;');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  process.exit(existsSync('src/broken.ts') ? 2 : 0);`;

/** A fake of the program that joins modules. */
const JOINER = `
  import { mkdirSync, writeFileSync } from 'node:fs';
  mkdirSync('dist/service', { recursive: true });
  writeFileSync('dist/service/joined', '');`;

const LONG_AGO = new Date('2020-01-01T00:00:00Z');

let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'sluice-build-'));
  put('node_modules/typescript/bin/tsc', COMPILER);
  put('src/cli/join-modules.js', JOINER);
  put('node_modules/uplot/dist/uPlot.min.css', '');
  put('src/main.ts', '');
  put('src/wire/generated/codec.js', 'export {};');
  put('package.json', '{"type":"module"}');
  put('node_modules/typescript/package.json', '{"type":"commonjs"}');
  cpSync(join(import.meta.dirname, '../../src/cli/build.js'), join(project, 'src/cli/build.js'));
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

function put(path: string, text: string): void {
  mkdirSync(join(project, dirname(path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

/** Sets all file times as if the last build had followed the last edit, long ago. */
function age(): void {
  for (const name of readdirSync(project, { recursive: true, encoding: 'utf8' })) {
    utimesSync(join(project, name), LONG_AGO, LONG_AGO);
  }
  const later = new Date(LONG_AGO.getTime() + 1000);
  utimesSync(join(project, 'dist/.built'), later, later);
}

function build(...args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, ['src/cli/build.js', ...args], { cwd: project, stdio: 'ignore' });
  return new Promise((resolve) => child.once('exit', resolve));
}

const runs = (): number => readFileSync(join(project, 'runs'), 'utf8').split(';').length - 1;

describe('the build', () => {
  it('compiles once, copies static files, and does nothing on a second run', async () => {
    expect(await build('--if-needed')).toBe(0);
    expect(await build('--if-needed')).toBe(0);
    expect(runs()).toBe(1);
    expect(readFileSync(join(project, 'dist/src/wire/generated/codec.js'), 'utf8')).toBe('export {};');
    expect(existsSync(join(project, 'dist/service/joined'))).toBe(true);
  });

  it('compiles again after a source was changed, added or removed', async () => {
    const changes = [
      () => put('src/main.ts', 'changed'),
      () => put('src/other.ts', ''),
      () => rmSync(join(project, 'src/other.ts')),
    ];
    await build('--if-needed');
    for (const [index, change] of changes.entries()) {
      age();
      await build('--if-needed');
      expect(runs()).toBe(index + 1);
      change();
      expect(await build('--if-needed')).toBe(0);
      expect(runs()).toBe(index + 2);
    }
  });

  it('runs once when several programs start together', async () => {
    const statuses = await Promise.all(Array.from({ length: 4 }, () => build('--if-needed')));
    expect(statuses).toEqual([0, 0, 0, 0]);
    expect(runs()).toBe(1);
  });

  it('ignores the lock of a killed build', async () => {
    put('dist/.building', '999999999');
    expect(await build('--if-needed')).toBe(0);
    expect(runs()).toBe(1);
  });

  it('returns the status of a failed compiler and leaves no stamp', async () => {
    put('src/broken.ts', '');
    expect(await build('--if-needed')).toBe(2);
    rmSync(join(project, 'src/broken.ts'));
    expect(await build('--if-needed')).toBe(0);
    expect(runs()).toBe(2);
  });

  it('only copies and stamps without --if-needed', async () => {
    expect(await build()).toBe(0);
    expect(await build('--if-needed')).toBe(0);
    expect(() => runs()).toThrow();
  });
});
