/**
 * Finishes a build: copies files that the compiler does not emit (the generated codec, static files), joins the modules of
 * each program, and stamps the output. With --if-needed it also compiles, unless the stamp is newer than every source.
 * Plain JavaScript, because it runs before the compiler.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, linkSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const DIST = join(ROOT, 'dist');
/** The installed package has the output only. */
const A_SOURCE = join(ROOT, 'src/main.ts');
const STAMP = join(DIST, '.built');
const LOCK = join(DIST, '.building');
const SOURCES = ['src', 'workers', 'bench', 'test', 'proto', 'package.json', 'tsconfig.json'];
/** Folders with files to copy, and the pattern of their names. */
const COPIED = [
  ['src/wire/generated', /\.js$/],
  ['src/http/docs-page', /\.(html|css|js)$/],
  ['src/client', /\.js$/],
  ['src/console', /\.(html|css|svg)$/],
  ['src/http/auth', /\.json$/],
];
/** Styles of the charts of the console. */
const CHART_STYLES = 'node_modules/uplot/dist/uPlot.min.css';
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
const JOINER = join(ROOT, 'src/cli/join-modules.js');
/** Code for browsers has its own project, because it uses the types of the DOM. */
const PROJECTS = ['.', 'src/console'];
const LOCK_POLL_MS = 100;

/** Compiles when the output is missing or older than a source. Returns the exit status: 0, or the compiler's. */
export function buildIfNeeded() {
  if (isFresh()) return 0;
  mkdirSync(DIST, { recursive: true });
  // Another process may have built during the wait for the lock.
  return underLock(() => (isFresh() ? 0 : compile()));
}

function compile() {
  if (modifiedMs(COMPILER) === 0) {
    process.stderr.write('the packages are not installed; run: npm ci\n');
    return 1;
  }
  process.stderr.write('building…\n');
  const startedAt = new Date();
  for (const project of PROJECTS) {
    const status = run(COMPILER, '-p', project);
    if (status !== 0) return status;
  }
  return finish(startedAt);
}

/** Runs a Node program with its output on standard error. Returns its exit status. */
function run(...args) {
  const stdio = ['ignore', process.stderr.fd, process.stderr.fd];
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio }).status ?? 1;
}

/**
 * Copies, joins and stamps. Returns the exit status. The stamp has the start time of the build, so that later edits count
 * as newer.
 */
function finish(startedAt) {
  for (const [folder, ending] of COPIED) {
    mkdirSync(join(DIST, folder), { recursive: true });
    for (const name of namesIn(join(ROOT, folder))) {
      if (ending.test(name)) cpSync(join(ROOT, folder, name), join(DIST, folder, name));
    }
  }
  cpSync(join(ROOT, CHART_STYLES), join(DIST, 'src/console/chart.css'));
  const status = run(JOINER);
  if (status !== 0) return status;
  writeFileSync(STAMP, '');
  utimesSync(STAMP, startedAt, startedAt);
  return 0;
}

function isFresh() {
  if (modifiedMs(A_SOURCE) === 0) return true;
  const builtMs = modifiedMs(STAMP);
  return builtMs > 0 && SOURCES.every((source) => newestMs(join(ROOT, source)) <= builtMs);
}

/** Time of the latest change below a path. The time of a folder covers removed files. */
function newestMs(path) {
  const names = namesIn(path);
  return names.reduce((newest, name) => Math.max(newest, newestMs(join(path, name))), modifiedMs(path));
}

function namesIn(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(path) : [];
}

function modifiedMs(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Allows one build at a time. Other programs wait for it. */
function underLock(work) {
  while (!takeLock()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
  try {
    return work();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

/** Creates the lock with the id of this process by a hard link, so that a lock always names its holder. */
function takeLock() {
  const draft = `${LOCK}.${process.pid}`;
  writeFileSync(draft, String(process.pid));
  try {
    linkSync(draft, LOCK);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (isAbandoned()) rmSync(LOCK, { force: true });
    return false;
  } finally {
    rmSync(draft);
  }
}

/** True when the process of the lock has ended: its build was killed. */
function isAbandoned() {
  try {
    process.kill(Number(readFileSync(LOCK, 'utf8')), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

if (realpathSync(process.argv[1] ?? '.') === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--if-needed')) process.exitCode = buildIfNeeded();
  else process.exitCode = finish(new Date());
}
