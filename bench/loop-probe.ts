import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before the service (`node --import`). On SIGUSR2 writes the longest delay of the main event loop since the last
 * one, in milliseconds, to the file that SLUICE_BENCH_LOOP_FILE names.
 */
const RESOLUTION_MS = 1;
const NS_PER_MS = 1e6;
const file = process.env['SLUICE_BENCH_LOOP_FILE'];

if (isMainThread && file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  process.on('SIGUSR2', () => {
    writeFileSync(file, String(Math.max(0, delay.max / NS_PER_MS - RESOLUTION_MS)));
    delay.reset();
  });
}
