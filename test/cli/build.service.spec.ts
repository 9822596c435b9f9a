import { spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/**
 * A fake of the program that joins modules: records each run and takes a short time. It fails while there is a file
 * `unjoinable`, and changes a source while there is a file `edit`.
 */
const JOINER = `
  import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
  appendFileSync('runs', 'run;');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  if (existsSync('edit')) writeFileSync('src/main.ts', readFileSync('edit'));
  if (existsSync('unjoinable')) process.exit(2);
  mkdirSync('dist/service', { recursive: true });
  writeFileSync('dist/service/joined', '');
  mkdirSync('dist/src/console', { recursive: true });
  writeFileSync('dist/src/console/page.js', '');`;

const ROOT = join(import.meta.dirname, '../..');
const LONG_AGO = new Date('2020-01-01T00:00:00Z');

let project: string;

beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'sluice-build-'));
  put('src/cli/join-modules.js', JOINER);
  put('node_modules/uplot/dist/uPlot.min.css', '');
  put('src/main.ts', 'export const main: number = 1;');
  put('src/wire/generated/codec.js', 'export {};');
  put('package.json', '{"type":"module"}');
  for (const name of ['rolldown', 'protobufjs-cli']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  }
  for (const name of ['build.js', 'emit-modules.js', 'generate-messages.js']) {
    cpSync(join(ROOT, 'src/cli', name), join(project, 'src/cli', name));
  }
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

function put(path: string, text: string): void {
  mkdirSync(join(project, dirname(path)), { recursive: true });
  writeFileSync(join(project, path), text);
}

const read = (path: string): string => readFileSync(join(project, path), 'utf8');
const has = (path: string): boolean => existsSync(join(project, path));

/** Sets all file times as if the last build had followed the last edit, long ago. */
function age(): void {
  for (const name of ['package.json', 'src', 'test', 'dist', 'node_modules/uplot'].flatMap(pathsIn)) {
    utimesSync(join(project, name), LONG_AGO, LONG_AGO);
  }
  const later = new Date(LONG_AGO.getTime() + 1000);
  utimesSync(join(project, 'dist/.built'), later, later);
}

/** A file or folder of the project and all that is in it. */
function pathsIn(name: string): string[] {
  if (!has(name)) return [];
  if (statSync(join(project, name)).isFile()) return [name];
  return [name, ...readdirSync(join(project, name)).flatMap((inner) => pathsIn(join(name, inner)))];
}

interface Ended {
  readonly status: number | null;
  readonly progress: string;
}

async function run(...args: string[]): Promise<Ended> {
  const stdio: StdioOptions = ['ignore', 'ignore', 'pipe'];
  const child = spawn(process.execPath, ['src/cli/build.js', ...args], { cwd: project, stdio });
  let progress = '';
  child.stderr?.on('data', (chunk: Buffer) => (progress += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, progress };
}

async function build(...args: string[]): Promise<number | null> {
  const { status } = await run(...args);
  return status;
}

const runs = (): number => read('runs').split(';').length - 1;

describe('the build', () => {
  it('makes modules and programs once, copies static files, and does nothing on a second run', async () => {
    expect(await build('--if-needed')).toBe(0);
    expect(await build('--if-needed')).toBe(0);
    expect(runs()).toBe(1);
    expect(read('dist/src/main.js')).toMatch(/^export const main = 1;\n/);
    expect(read('dist/src/wire/generated/codec.js')).toBe('export {};');
    expect(has('dist/service/joined')).toBe(true);
  });

  it('builds again after a source was changed, added or removed', async () => {
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
      expect(has('dist/src/other.js')).toBe(has('src/other.ts'));
    }
    expect(read('dist/src/main.js')).toMatch(/^changed;\n/);
  });

  it('generates the messages where they are missing or older than their sources, and once only', async () => {
    const messages = 'dist/src/wire/generated/messages.js';
    put('proto/order.proto', 'syntax = "proto3"; message Order { double price = 1; }');
    expect((await run('--if-needed')).progress).toMatch(/^building: messages … /);
    expect(read(messages)).toContain('message.price = ');
    expect((await run('--if-needed')).progress).toBe('');
    put('proto/order.proto', 'syntax = "proto3"; message Order { double size = 1; }');
    expect(await build('--if-needed')).toBe(0);
    expect(read(messages)).toContain('message.size = ');
    expect(pathsIn('src/wire/generated').map((path) => path.replace(/^.*\//, ''))).toEqual([
      'generated',
      'codec.js',
      'messages.js',
    ]);
    put('proto/order.proto', 'syntax = "proto3"; message Order { int64 size = 1; }');
    const { status, progress } = await run('--if-needed');
    expect(status).toBe(1);
    expect(progress).toContain('a .proto has a 64-bit integer');
    expect((await run('--if-needed')).status).toBe(1);
  });

  it('leaves the types of the messages to the static checks, which need them', async () => {
    put('proto/order.proto', 'syntax = "proto3"; message Order { double price = 1; }');
    expect(await build('--if-needed')).toBe(0);
    expect(has('src/wire/generated/messages.d.ts')).toBe(false);
    const types = spawn(process.execPath, ['src/cli/generate-messages.js'], { cwd: project, stdio: 'ignore' });
    expect(await once(types, 'close')).toEqual([0, null]);
    expect(read('src/wire/generated/messages.d.ts')).toContain('price?: number;');
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

  it('names the file and the line of a syntax error, fails and leaves no stamp', async () => {
    await build('--if-needed');
    put('src/broken.ts', 'export const good = 1;\nexport const bad = ;');
    const { status, progress } = await run('--if-needed');
    expect(status).toBe(1);
    expect(progress).toContain('src/broken.ts:2:20');
    expect(has('dist/.built')).toBe(false);
    expect(runs()).toBe(1);
    rmSync(join(project, 'src/broken.ts'));
    expect(await build('--if-needed')).toBe(0);
    expect(runs()).toBe(2);
  });

  it('returns the status of a failed join, leaves no stamp and joins again', async () => {
    put('unjoinable', '');
    expect(await build('--if-needed')).toBe(2);
    expect(has('dist/.built')).toBe(false);
    rmSync(join(project, 'unjoinable'));
    expect(await build('--if-needed')).toBe(0);
    expect(runs()).toBe(2);
  });

  it('builds again after a source was changed during the build', async () => {
    put('edit', 'export const main = 2;');
    expect(await build('--if-needed')).toBe(0);
    rmSync(join(project, 'edit'));
    expect(await build('--if-needed')).toBe(0);
    expect(runs()).toBe(2);
    expect(read('dist/src/main.js')).toMatch(/^export const main = 2;\n/);
  });

  it('makes everything without --if-needed', async () => {
    expect(await build('--if-needed')).toBe(0);
    put('dist/src/main.js', 'spoilt');
    age();
    expect(await build()).toBe(0);
    expect(read('dist/src/main.js')).toMatch(/^export const main = 1;\n/);
    expect(runs()).toBe(2);
  });

  it('prints its progress, and nothing when there is nothing to do', async () => {
    const { progress } = await run('--if-needed');
    expect(progress).toMatch(/^building: modules … 3 in \d+\.\d s\nbuilding: programs … \d+\.\d s\n$/);
    expect(await run('--if-needed')).toEqual({ status: 0, progress: '' });
  });

  it('builds nothing in an installed package, which has no sources', async () => {
    rmSync(join(project, 'src/main.ts'));
    expect(await run('--if-needed')).toEqual({ status: 0, progress: '' });
    expect(has('dist')).toBe(false);
  });
});

describe('the modules of the build', () => {
  it('have no types, the JSX of the console and the kind of their source', async () => {
    put('src/console/panel.tsx', "import type { A } from './a.js';\nexport const panel = (a: A) => <b>{a.text}</b>;");
    put('bench/preload.cts', "import type { A } from './a.js';\nconst preloaded: A = __filename;");
    put('src/wire/declared.d.ts', 'export type A = string;');
    await build('--if-needed');
    const panel = read('dist/src/console/panel.js');
    expect(panel).toContain('from "preact/jsx-runtime"');
    expect(panel).not.toContain('./a.js');
    expect(read('dist/bench/preload.cjs')).toMatch(/^"use strict"; const preloaded = __filename;\n\/\/# /);
    expect(pathsIn('dist/src/wire').filter((path) => path.includes('declared'))).toEqual([]);
  });

  it('are written only for a changed source, and the programs joined only for a changed part of them', async () => {
    put('test/peer.ts', '');
    await build('--if-needed');
    put('dist/src/main.js', 'kept');
    age();
    put('test/peer.ts', 'changed');
    expect((await run('--if-needed')).progress).toMatch(/^building: modules … 1 in \d+\.\d s\n$/);
    expect(read('dist/test/peer.js')).toMatch(/^changed;\n/);
    expect(read('dist/src/main.js')).toBe('kept');
    expect(runs()).toBe(1);
  });

  it('follow an older file in the place of a newer one', async () => {
    put('older', 'older');
    utimesSync(join(project, 'older'), LONG_AGO, LONG_AGO);
    await build('--if-needed');
    renameSync(join(project, 'older'), join(project, 'src/main.ts'));
    await build('--if-needed');
    expect(read('dist/src/main.js')).toMatch(/^older;\n/);
  });

  it('are made again after a change of a tool or of the packages', async () => {
    await build('--if-needed');
    for (const [index, tool] of ['package.json', 'src/cli/emit-modules.js', 'src/cli/join-modules.js'].entries()) {
      put('dist/src/main.js', 'old');
      age();
      put(tool, read(tool));
      expect(await build('--if-needed')).toBe(0);
      expect(read('dist/src/main.js')).toMatch(/^export const main = 1;\n/);
      expect(runs()).toBe(index + 2);
    }
  });

  it('are removed with their source or its folder, and the page of the console stays', async () => {
    put('test/gone/peer.ts', '');
    put('src/wire/generated/old.js', '');
    await build('--if-needed');
    expect(pathsIn('dist/test')).toContain('dist/test/gone/peer.js.map');
    rmSync(join(project, 'test'), { recursive: true });
    rmSync(join(project, 'src/wire/generated/old.js'));
    await build('--if-needed');
    expect([...pathsIn('dist/test'), ...pathsIn('dist/src')].filter((path) => /peer|old/.test(path))).toEqual([]);
    expect(has('dist/src/console/page.js')).toBe(true);
  });
});
