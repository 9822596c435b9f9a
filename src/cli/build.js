/**
 * Builds the programs in dist: generates the messages (generate-messages.js), makes a module of each source
 * (emit-modules.js), joins the modules of each program (join-modules.js), and stamps the output. With --if-needed it
 * does nothing when the stamp is newer than every source, and otherwise only what the changes need. Does not check
 * types. Plain JavaScript, because it runs before anything is built.
 */
import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { isCodeCurrent, modifiedMs } from './generate-messages.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const DIST = join(ROOT, 'dist');
/** The installed package has the output only. */
const A_SOURCE = join(ROOT, 'src/main.ts');
const STAMP = join(DIST, '.built');
/** Removed by emit-modules.js when it changes a module of the joined programs. */
const JOINED = join(DIST, 'service/.joined');
const LOCK = join(DIST, '.building');
const SOURCES = ['src', 'workers', 'bench', 'test', 'proto', 'package.json'].map((name) => join(ROOT, name));
const GENERATOR = join(ROOT, 'src/cli/generate-messages.js');
const EMITTER = join(ROOT, 'src/cli/emit-modules.js');
const JOINER = join(ROOT, 'src/cli/join-modules.js');
/** After a change of one of these everything is made again: package.json has the versions of the packages. */
const TOOLS = [EMITTER, JOINER, join(ROOT, 'package.json')];
/** The package that both parts of the build load. */
const BUNDLER = join(ROOT, 'node_modules/rolldown/package.json');
const LOCK_POLL_MS = 100;

/** Builds when the output is missing or older than a source. Returns the exit status. */
export function buildIfNeeded() {
  if (isFresh()) return 0;
  // Another process may have built during the wait for the lock.
  return underLock(() => (isFresh() ? 0 : build(!isStampedAfter(TOOLS))));
}

/**
 * Makes what has changed, or everything. Returns the exit status. The stamp has the start time of the build, so that
 * later edits count as newer. A build that fails or is killed leaves no stamp: the next one makes everything.
 */
function build(isAll) {
  if (modifiedMs(BUNDLER) === 0) {
    process.stderr.write('the packages are not installed; run: npm ci\n');
    return 1;
  }
  if (!isCodeCurrent()) {
    const generated = step('messages', [GENERATOR, '--code']);
    if (generated !== 0) return generated;
  }
  const startedAt = new Date();
  rmSync(STAMP, { force: true });
  const emitted = step('modules', isAll ? [EMITTER, '--all'] : [EMITTER]);
  if (emitted !== 0) return emitted;
  if (modifiedMs(JOINED) === 0) {
    const joined = step('programs', [JOINER]);
    if (joined !== 0) return joined;
    writeFileSync(JOINED, '');
  }
  writeFileSync(STAMP, '');
  utimesSync(STAMP, startedAt, startedAt);
  return 0;
}

/** Runs a part of the build in a process of its own, with a line of progress. Returns its exit status. */
function step(name, args) {
  const startedMs = performance.now();
  process.stderr.write(`building: ${name} … `);
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const result = status === 0 ? `${stdout === '' ? '' : `${stdout} in `}${seconds} s` : 'failed';
  process.stderr.write(`${result}\n${stripVTControlCharacters(stderr)}`);
  return status ?? 1;
}

function isFresh() {
  return modifiedMs(A_SOURCE) === 0 || (isCodeCurrent() && isStampedAfter(SOURCES));
}

/** True when the last build began after the latest change below all paths. */
function isStampedAfter(paths) {
  const builtMs = modifiedMs(STAMP);
  return builtMs > 0 && paths.every((path) => newestMs(path) <= builtMs);
}

/** Time of the latest change below a path. The time of a folder covers removed files. */
function newestMs(path) {
  const names = namesIn(path);
  return names.reduce((newest, name) => Math.max(newest, newestMs(join(path, name))), modifiedMs(path));
}

function namesIn(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(path) : [];
}

/** Allows one build at a time. Other programs wait for it. */
function underLock(work) {
  mkdirSync(DIST, { recursive: true });
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
  process.exitCode = process.argv.includes('--if-needed') ? buildIfNeeded() : underLock(() => build(true));
}
