import { readFileSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded before the service (`node --import`). On SIGUSR2 it writes two figures of the main thread since the last
 * signal to the file BENCH_LOOP_FILE, in ms: the longest delay of the event loop, and the most processor time
 * between two ticks of a timer. Other processes do not increase the second figure. It is an upper bound of the longest
 * piece of work.
 */
const RESOLUTION_MS = 1;
const TICK_MS = 2;
const NS_PER_MS = 1e6;
const file = process.env['BENCH_LOOP_FILE'];

/** Processor time of the main thread so far, in ms. */
function mainThreadMs(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / NS_PER_MS;
}

if (isMainThread && file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let [usedMs, usedMostMs] = [mainThreadMs(), 0];
  setInterval(() => {
    const nowMs = mainThreadMs();
    usedMostMs = Math.max(usedMostMs, nowMs - usedMs);
    usedMs = nowMs;
  }, TICK_MS).unref();
  process.on('SIGUSR2', () => {
    const delayMs = Math.max(0, delay.max / NS_PER_MS - RESOLUTION_MS);
    writeFileSync(file, JSON.stringify({ delayMs, usedMostMs }));
    delay.reset();
    usedMostMs = 0;
  });
}
