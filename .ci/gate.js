/**
 * The gate of a commit: installs the packages, then runs the static checks, the unit tests and the service tests. A
 * test file that fails runs once more, alone. It is flaky when it passes then. Three flaky files fail the gate, because
 * correct work must pass every time. The last line is `N passed, N failed`. Plain JavaScript: it runs before the
 * packages exist.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(import.meta.dirname, '..');
const FLAKY_FILES_MAX = 2;
const SLOWEST_COUNT = 10;
/** Longest text of a failure that is printed again in the summary. */
const FAILURE_CHARACTERS_MAX = 2_000;

/**
 * The result of one run of vitest. A run that failed without a failed test is not whole.
 *
 * @typedef {{ test: string, text: string }} Failure
 * @typedef {{ name: string, ms: number, passed: number, failures: Failure[], skipped: string[] }} TestFile
 * @typedef {{ files: TestFile[], isWhole: boolean }} Report
 */

/** Reads vitest's JSON. `hasEndedWell`: its exit status was 0. */
export function reportOf({ testResults }, root, hasEndedWell) {
  const files = testResults.map((file) => {
    const withStatus = (...wanted) => file.assertionResults.filter(({ status }) => wanted.includes(status));
    const failures = withStatus('failed').map((one) => ({ test: one.fullName, text: one.failureMessages.join('\n') }));
    // A file that fails while it loads has no failed test.
    if (file.status === 'failed' && failures.length === 0) failures.push({ test: '(the file)', text: file.message });
    const skipped = withStatus('pending', 'skipped', 'todo', 'disabled').map(({ fullName }) => fullName);
    const name = relative(root, file.name);
    return { name, ms: file.endTime - file.startTime, passed: withStatus('passed').length, failures, skipped };
  });
  return { files, isWhole: hasEndedWell || files.some(hasFailed) };
}

function hasFailed({ failures }) {
  return failures.length > 0;
}

/**
 * Runs a tier and repeats each file that failed, alone. `run(files)` runs all files of the tier when `files` is empty.
 * Returns each file's last result, and the first result of those that passed at the second run only.
 */
export function runTier(run, print) {
  const { files, isWhole } = run([]);
  const flaky = [];
  const last = files.map((file) => {
    if (!hasFailed(file)) return file;
    print(`again, alone: ${file.name}`);
    const again = run([file.name]);
    const [second] = again.files;
    if (!again.isWhole || second === undefined || hasFailed(second)) return file;
    flaky.push(file);
    for (const { test, text } of file.failures) {
      print(`FLAKY ${file.name} › ${test}\n${text.slice(0, FAILURE_CHARACTERS_MAX)}`);
    }
    return second;
  });
  return { files: last, flaky, isWhole };
}

/** The summary of all tiers, the closing counts and the verdict. */
export function conclusionOf(tiers) {
  const files = tiers.flatMap((tier) => tier.files);
  const flaky = tiers.flatMap((tier) => tier.flaky);
  const isUnsteady = flaky.length > FLAKY_FILES_MAX;
  const brokenCount = tiers.filter(({ isWhole }) => !isWhole).length;
  const slowest = files.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST_COUNT);
  const lines = [
    'slowest files:',
    ...slowest.map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`),
    ...files.flatMap(({ name, skipped }) => skipped.map((test) => `SKIPPED ${name} › ${test}`)),
    ...files.flatMap(({ name, failures }) => failures.map(({ test }) => `FAILED ${name} › ${test}`)),
    ...flaky.flatMap(({ name, failures }) => failures.map(({ test }) => `FLAKY ${name} › ${test}`)),
    ...(brokenCount > 0 ? [`${brokenCount} runs ended with an error outside of their tests`] : []),
    ...(isUnsteady ? [`${flaky.length} files are flaky; at most ${FLAKY_FILES_MAX} may be`] : []),
  ];
  const passed = files.reduce((sum, file) => sum + file.passed, 0);
  const failedCount = files.reduce((sum, { failures }) => sum + failures.length, 0);
  const failed = failedCount + brokenCount + (isUnsteady ? flaky.length : 0);
  return { lines, passed, failed, hasPassed: failed === 0 && passed > 0 };
}

function vitest(project, folder, files) {
  const output = join(folder, 'report.json');
  rmSync(output, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`];
  const status = run('npx', ['vitest', 'run', `--project=${project}*`, ...reporters, ...files]);
  try {
    return reportOf(JSON.parse(readFileSync(output, 'utf8')), ROOT, status === 0);
  } catch {
    return { files: [], isWhole: false };
  }
}

function run(command, args) {
  return spawnSync(command, args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] }).status ?? 1;
}

function main() {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-gate-'));
  const times = [];
  const timed = (name, work) => {
    const startMs = performance.now();
    console.log(`== ${name}; load ${loadavg()[0].toFixed(1)}`);
    const result = work();
    times.push(`${((performance.now() - startMs) / 1000).toFixed(0).padStart(7)} s  ${name}`);
    console.log(times.at(-1));
    return result;
  };
  const isDone = (name, ...command) => timed(name, () => run('npm', command)) === 0;
  const isReady =
    isDone('install', 'ci', '--no-fund', '--no-audit') &&
    isDone('static checks', 'run', 'check:static') &&
    isDone('build', 'run', 'build');
  const tiers = isReady
    ? ['unit', 'service'].map((tier) =>
        timed(`${tier} tests`, () => runTier((files) => vitest(tier, folder, files), console.log)),
      )
    : [];
  rmSync(folder, { recursive: true, force: true });
  const { lines, passed, failed, hasPassed } = conclusionOf(tiers);
  console.log(['times:', ...times, ...(isReady ? lines : [])].join('\n'));
  console.log(`${passed} passed, ${isReady ? failed : 1} failed`);
  process.exitCode = isReady && hasPassed ? 0 : 1;
}

if (realpathSync(process.argv[1] ?? '.') === fileURLToPath(import.meta.url)) main();
