/**
 * Finishes a build: copies what the compiler does not emit (the generated codec, files that are served as they stand),
 * joins the modules of each program to a few files that start fast, and stamps the output.
 * With --if-needed it compiles as well, and does nothing at all when the stamp is newer than every source.
 * Plain JavaScript, because it runs before anything is compiled.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, linkSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.built');
const LOCK = join(DIST, '.building');
const SOURCES = ['src', 'workers', 'bench', 'test', 'proto', 'package.json', 'tsconfig.json'];
/** Folders with files for the output, and the endings of their names. */
const COPIED = [
  ['src/wire/generated', /\.js$/],
  ['src/http/docs-page', /\.(html|css|js)$/],
  ['src/client', /\.js$/],
  ['src/console', /\.(html|css|svg)$/],
  ['src/http/auth', /\.json$/],
];
const COMPILER = join(ROOT, 'node_modules/typescript/bin/tsc');
const JOINER = join(ROOT, 'src/cli/join-modules.js');
/** What runs in browsers knows other names than what runs here: it is compiled by itself. */
const PROJECTS = ['.', 'src/console'];
const LOCK_POLL_MS = 100;

/** Compiles when the output is missing or older than a source. Returns the exit status: 0, or the compiler's. */
export function buildIfNeeded() {
  if (isFresh()) return 0;
  mkdirSync(DIST, { recursive: true });
  // Another process may have built while this one waited for the lock.
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

/** Runs a program of Node to its end; its words go to standard error. Returns its exit status. */
function run(...args) {
  const stdio = ['ignore', process.stderr.fd, process.stderr.fd];
  return spawnSync(process.execPath, args, { cwd: ROOT, stdio }).status ?? 1;
}

/**
 * Returns the exit status: 0, or that of the program that joins. The stamp bears the time at which the build began, so
 * that what was edited meanwhile counts as newer.
 */
function finish(startedAt) {
  for (const [folder, ending] of COPIED) {
    mkdirSync(join(DIST, folder), { recursive: true });
    for (const name of namesIn(join(ROOT, folder))) {
      if (ending.test(name)) cpSync(join(ROOT, folder, name), join(DIST, folder, name));
    }
  }
  const status = run(JOINER);
  if (status !== 0) return status;
  writeFileSync(STAMP, '');
  utimesSync(STAMP, startedAt, startedAt);
  return 0;
}

function isFresh() {
  const builtMs = modifiedMs(STAMP);
  return builtMs > 0 && SOURCES.every((source) => newestMs(join(ROOT, source)) <= builtMs);
}

/** The latest change below a path; a folder's own time tells of files that were removed from it. */
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

/** One build at a time: programs that are started together wait for the first one's build. */
function underLock(work) {
  while (!takeLock()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_POLL_MS);
  try {
    return work();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

/** The lock names its holder from the moment it exists: it is written aside and linked to its place. */
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

/** A lock whose process is gone was left behind by a build that was killed. */
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
