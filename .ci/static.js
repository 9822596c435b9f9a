/**
 * Runs the static checks side by side, as many at once as there are cores. Prints the name and the seconds of each, and
 * the output of those that failed. Exits with 1 when one failed.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { generateIfNeeded } from '../src/cli/generate-messages.js';

/** Scripts of package.json, the longest first. */
const CHECKS = ['lint:code', 'lint:format', 'deps', 'dead', 'dead:production', 'check:native'];

/** Runs one check. Resolves with true when it passed. */
function check(name) {
  const startedMs = performance.now();
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => {
      const seconds = ((performance.now() - startedMs) / 1000).toFixed(1).padStart(6);
      console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${seconds} s  ${name}`);
      if (status !== 0) console.log(Buffer.concat(chunks).toString());
      resolve(status === 0);
    });
  });
}

/** Takes checks until none is left. Returns the number of those that failed. */
async function work(waiting) {
  let failed = 0;
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    if (!(await check(name))) failed += 1;
  }
  return failed;
}

// Each check reads the generated messages.
await generateIfNeeded();
const waiting = [...CHECKS];
const failed = await Promise.all(Array.from({ length: availableParallelism() }, () => work(waiting)));
process.exitCode = failed.some((count) => count > 0) ? 1 : 0;
