import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runScript } from './quick-run.js';

const COMPARE = join(import.meta.dirname, '../../dist/bench/compare/compare.js');
/** The build and the benchmark of a small repository. The benchmark prints the number in its commit's file `speed`. */
const BUILD = `import { cpSync, mkdirSync } from 'node:fs';
mkdirSync('dist/bench', { recursive: true });
cpSync('bench.js', 'dist/bench/main.js');`;
const BENCH = `import { appendFileSync, readFileSync } from 'node:fs';
const speed = Number(readFileSync('speed', 'utf8'));
appendFileSync(process.env.RUNS, speed + ' ' + process.argv.slice(2).join(' ') + '\\n');
if (process.env.HANGS) setInterval(() => {}, 1000);
for (const name of ['small', 'large']) {
  console.log(JSON.stringify({ bench: 'b', case: name, metric: 'p50', value: speed, unit: 'us', rounds: 1 }));
}
console.log(JSON.stringify({ bench: 'b', case: 'small', metric: 'failures', value: 0, unit: '1', rounds: 1 }));`;

let folder: string;
let repository: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-compare-test-'));
  repository = join(folder, 'repository');
  mkdirSync(join(repository, 'src/cli'), { recursive: true });
  mkdirSync(join(folder, 'tmp'));
  env = { ...process.env, RUNS: join(folder, 'runs'), TMPDIR: join(folder, 'tmp') };
  git('init', '--quiet');
  put('src/cli/build.js', BUILD);
  put('bench.js', BENCH);
  put('package.json', '{"type":"module"}');
  put('.gitignore', 'dist');
  commit('100', 'v1');
  commit('110', 'v2');
  put('speed', '121');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
  return execFileSync('git', [...identity, ...args], { cwd: repository, encoding: 'utf8' });
}

function put(name: string, text: string): void {
  writeFileSync(join(repository, name), text);
}

function commit(speed: string, tag: string): void {
  put('speed', speed);
  git('add', '.');
  git('commit', '--quiet', '--message', tag);
  git('tag', tag);
}

function compare(...args: string[]): string {
  return execFileSync(process.execPath, [COMPARE, ...args], { cwd: repository, env, encoding: 'utf8', stdio: 'pipe' });
}

const runs = (): string[] => readFileSync(join(folder, 'runs'), 'utf8').trimEnd().split('\n');

function expectNoTraces(): void {
  expect(git('worktree', 'list').trimEnd().split('\n')).toHaveLength(1);
  expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
}

describe('npm run bench:compare', () => {
  it('builds two commits, runs them in the order A B, B A and prints the ratio of each case', () => {
    const lines = compare('v1', 'v2', '--bench', 'b', '--rounds', '3', '--quick', '--json').trimEnd().split('\n');
    expect(runs()).toEqual(['100', '110', '110', '100', '100', '110'].map((speed) => `${speed} b --json --quick`));
    const [first] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines).toHaveLength(2);
    expect(first).toMatchObject({ bench: 'b', case: 'small', metric: 'p50', unit: 'us', a: 100, b: 110, n: 3 });
    expect(first?.['ratio']).toBeCloseTo(1.1, 10);
    expectNoTraces();
  });

  it('compares a commit with the working tree and filters cases', () => {
    const out = compare('v2', '--bench', 'b', '--rounds', '1', '--case', 'large');
    expect(out).toMatch(/B = working tree/);
    expect(out).toMatch(/^large +p50 +110 +121 us +1\.100 +n=1$/m);
    expect(out).not.toContain('small');
    expectNoTraces();
  });

  it('rejects unknown commits and wrong arguments', () => {
    expect(() => compare('v3')).toThrow(/v3 is not a commit/);
    expect(() => compare()).toThrow(/give one or two commits/);
    expect(() => compare('v1', '--rounds', '0')).toThrow(/--rounds 0/);
    expectNoTraces();
  });

  it('ends the benchmark and removes its worktrees when it is interrupted', async () => {
    const child = spawn(process.execPath, [COMPARE, 'v1', 'v2', '--bench', 'b'], {
      cwd: repository,
      env: { ...env, HANGS: '1' },
      stdio: 'ignore',
    });
    await expect.poll(() => existsSync(join(folder, 'runs'))).toBe(true);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expectNoTraces();
  });

  it('runs a benchmark of this repository', async () => {
    const out = await runScript('compare/compare.js', ['.', '.', '--bench', 'matching', '--rounds', '1', '--quick']);
    expect(out).toMatch(/^levels=100 +throughput .* n=1$/m);
  });
});
