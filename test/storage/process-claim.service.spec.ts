import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { ClaimedFolder, ProcessClaim } from '../../src/storage/process-claim.js';
import { CLAIM_WAIT_MS_MAX } from '../../src/domain/limits/process.js';
import { Folders } from '../journal/journal-world.js';
import { mustRun, UNSHARE } from '../operate/packages.js';

const COMPILED = join(import.meta.dirname, '../../dist/src/storage/process-claim.js');

const folders = new Folders();
afterAll(() => folders.removeAll());

/** Makes a process and its children see process ids of their own. */
const OWN_PIDS = [UNSHARE, '--pid', '--fork', '--mount-proc', '--kill-child'] as const;
const MAY_UNSHARE = mustRun(
  'the test of claims across PID namespaces',
  UNSHARE,
  () => spawnSync(OWN_PIDS[0], [...OWN_PIDS.slice(1), 'true']).status === 0,
);

/** Starts a process that claims the folder and ends itself after `lifeMs`. Resolves with its pid. */
async function heldElsewhere(dataDir: string, lifeMs: number, prefix: readonly string[] = []): Promise<number> {
  const script = `
    import { ProcessClaim } from ${JSON.stringify(COMPILED)};
    ProcessClaim.take(${JSON.stringify(dataDir)});
    process.stdout.write('held');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${lifeMs});`;
  const [program, ...args] = [...prefix, process.execPath, '--input-type=module', '-e', script];
  const holder = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  const isEnded = once(holder, 'close').then(([status]) => {
    throw new Error(`the process that claims the folder ended with status ${status}`);
  });
  await Promise.race([once(holder.stdout, 'data'), isEnded]);
  return holder.pid as number;
}

function millisecondsOf(act: () => void): number {
  const startMs = performance.now();
  act();
  return performance.now() - startMs;
}

test('refuses a folder that another process serves, and names that process', async () => {
  const dataDir = folders.fresh();
  const pid = await heldElsewhere(dataDir, 60_000);
  let refusal: unknown;
  const waitedMs = millisecondsOf(() => {
    try {
      ProcessClaim.take(dataDir);
    } catch (error) {
      refusal = error;
    }
  });
  expect(refusal).toBeInstanceOf(ClaimedFolder);
  expect(String(refusal)).toContain(`${dataDir} is in use by the running process ${pid} on `);
  expect(waitedMs).toBeGreaterThanOrEqual(CLAIM_WAIT_MS_MAX);
});

test('reports a folder as held only while a process serves it', async () => {
  const dataDir = folders.fresh();
  expect(ProcessClaim.isHeld(dataDir)).toBe(false);
  const pid = await heldElsewhere(dataDir, 60_000);
  expect(ProcessClaim.isHeld(dataDir)).toBe(true);
  process.kill(pid, 'SIGKILL');
  ProcessClaim.take(dataDir).release();
  expect(ProcessClaim.isHeld(dataDir)).toBe(false);
});

test('waits for a process that ends meanwhile; a zombie holds no claim', async () => {
  const dataDir = folders.fresh();
  await heldElsewhere(dataDir, 300);
  // This thread waits, so the ended process stays a zombie.
  const waitedMs = millisecondsOf(() => ProcessClaim.take(dataDir).release());
  expect(waitedMs).toBeGreaterThan(100);
  expect(waitedMs).toBeLessThan(CLAIM_WAIT_MS_MAX);
});

test.runIf(MAY_UNSHARE)('a folder is refused while a process of another PID namespace serves it', async () => {
  const dataDir = folders.fresh();
  await heldElsewhere(dataDir, 60_000, OWN_PIDS);
  expect(() => ProcessClaim.take(dataDir)).toThrow(ClaimedFolder);
});

test('a folder is free after its process was killed, also in another PID namespace', async () => {
  const dataDir = folders.fresh();
  await heldElsewhere(dataDir, 0, MAY_UNSHARE ? OWN_PIDS : []);
  ProcessClaim.take(dataDir).release();
});

test('a claim of the same process is refused while the first one lasts', () => {
  const dataDir = folders.fresh();
  const claim = ProcessClaim.take(dataDir);
  expect(() => ProcessClaim.take(dataDir)).toThrow(ClaimedFolder);
  claim.release();
  ProcessClaim.take(dataDir).release();
});
