import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mustRun, SCRIPT } from '../operate/packages.js';
import { sluice } from './command-line.js';
import { ADD, SECRET, storedKey } from './stored-venue-key.js';

const PROGRAM = join(import.meta.dirname, '../../dist/service/src/cli/main.js');

let parent: string;
let dataDir: string;

beforeEach(async () => {
  parent = mkdtempSync(join(tmpdir(), 'sluice-venue-keys-'));
  dataDir = join(parent, 'data');
  const { status } = await sluice(['keys', 'create', '--account', 'desk'], { SLUICE_DATA_DIR: dataDir });
  expect(status).toBe(0);
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

function started(args: readonly string[]): { child: ChildProcess; written: () => string; ended: Promise<number> } {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: { ...process.env, SLUICE_DATA_DIR: dataDir } });
  let written = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (written += chunk.toString()));
  const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
  return { child, written: () => written, ended };
}

describe('the program', () => {
  it('takes a secret by a pipe, and shows it neither in its arguments nor in its environment and output', async () => {
    const { child, written, ended } = started([...ADD, '--secret-stdin', '--json']);
    child.stdin?.write(SECRET.slice(0, 30));
    const shown = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${child.pid}/${name}`, 'latin1'));
    expect(shown[0]).toContain('--secret-stdin');
    child.stdin?.end(SECRET.slice(30));
    expect([await ended, written()]).toEqual([0, expect.stringContaining('"state":"ACTIVE"')]);
    for (const text of [...shown, written()]) expect(text).not.toContain(SECRET.slice(0, 30));
    expect(await storedKey(dataDir)).toEqual([SECRET, undefined]);
  });

  it('refuses endless input', async () => {
    const { child, written, ended } = started([...ADD, '--secret-stdin']);
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(Buffer.alloc(1024 * 1024, SECRET));
    const noted = /^sluice: no service runs on \S+data; [^\n]*\nsluice: the input is longer than 16640 bytes\n$/;
    expect([await ended, written()]).toEqual([2, expect.stringMatching(noted)]);
  });

  it.runIf(mustRun('the test of the prompt at a terminal', SCRIPT))('asks at a terminal without echo', async () => {
    const command = [process.execPath, PROGRAM, ...ADD].join(' ');
    const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], {
      env: { ...process.env, SLUICE_DATA_DIR: dataDir },
    });
    let shown = '';
    child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
    const ended = new Promise((resolve) => child.once('close', resolve));
    await expect.poll(() => shown).toContain('(not shown): ');
    child.stdin.write(`${SECRET}\r`);
    expect(await ended).toBe(0);
    expect(shown).toContain('added the key vmPU…Eh8A');
    expect(shown).not.toContain(SECRET.slice(0, 8));
    expect(await storedKey(dataDir)).toEqual([SECRET, undefined]);
  });
});
