import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { ClaimedFolder, ProcessClaim } from '../../src/journal/process-claim.js';
import { CLAIM_WAIT_MS_MAX } from '../../src/model/limits.js';
import { Folders } from './journal-world.js';

const COMPILED = join(import.meta.dirname, '../../dist/src/journal/process-claim.js');

const folders = new Folders();
afterAll(() => folders.removeAll());

/** Resolves with the pid of another process once that holds the folder; it kills itself after so many milliseconds. */
async function heldElsewhere(dataDir: string, lifeMs: number): Promise<number> {
  const script = `
    import { ProcessClaim } from ${JSON.stringify(COMPILED)};
    ProcessClaim.take(${JSON.stringify(dataDir)});
    process.stdout.write('held');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${lifeMs});`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script]);
  onTestFinished(() => void holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  return holder.pid as number;
}

function millisecondsOf(act: () => void): number {
  const startMs = performance.now();
  act();
  return performance.now() - startMs;
}

test('a folder is refused while another process serves it, and told of', async () => {
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
  expect(String(refusal)).toContain(`${dataDir} is in use by the running process ${pid}`);
  expect(waitedMs).toBeGreaterThanOrEqual(CLAIM_WAIT_MS_MAX);
});

test('a process that ends meanwhile is waited for; as a zombie it holds nothing', async () => {
  const dataDir = folders.fresh();
  await heldElsewhere(dataDir, 300);
  // Nobody takes note of its end while this thread waits, so it stays a zombie.
  const waitedMs = millisecondsOf(() => ProcessClaim.take(dataDir).release());
  expect(waitedMs).toBeGreaterThan(100);
  expect(waitedMs).toBeLessThan(CLAIM_WAIT_MS_MAX);
});

test('a released folder is free at once', () => {
  const dataDir = folders.fresh();
  ProcessClaim.take(dataDir).release();
  expect(millisecondsOf(() => ProcessClaim.take(dataDir).release())).toBeLessThan(CLAIM_WAIT_MS_MAX / 2);
});
