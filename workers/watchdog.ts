import { parentPort, workerData } from 'node:worker_threads';
import { monotonicMs } from '../src/runtime/clock.js';
import { threadLog } from '../src/runtime/log.js';
import { BEAT_MS_MAX } from '../src/domain/limits/process.js';
import { HeartbeatMonitor } from '../src/runtime/thread-watch.js';
import { BEAT_SLOTS, ThreadBeats, type WatchdogWorkerData, type WorkerNotice } from '../src/wire/worker-data.js';

const data = workerData as WatchdogWorkerData;
const log = threadLog(data.logLevel, data.log, { thread: 'watchdog' });

/**
 * Watches the main thread, which watches all others. If the main thread hangs, only this thread can end the process.
 */
function run(): void {
  const control = new Int32Array(data.control);
  const beats = new ThreadBeats(data.beats);
  const meter = new HeartbeatMonitor();
  let isReported = false;
  parentPort?.postMessage({ kind: 'ready', openParents: 0 } satisfies WorkerNotice);
  while (Atomics.load(control, 0) === 0) {
    Atomics.wait(control, 0, 0, BEAT_MS_MAX);
    beats.beat(BEAT_SLOTS.watchdog);
    const silenceMs = meter.update(beats.read(BEAT_SLOTS.main), monotonicMs());
    const isSilent = silenceMs >= data.mainSilence.warningMs;
    if (isSilent && !isReported) log.error({ silenceMs: Math.round(silenceMs) }, 'the main thread does not move');
    if (!isSilent && isReported) log.info('the main thread moves again');
    isReported = isSilent;
    if (silenceMs < data.mainSilence.maxMs) continue;
    const reason = `the main thread has made no turn for ${Math.round(silenceMs / 1000)} s`;
    log.fatal({ reason }, 'the service kills its own process: the main thread hangs');
    process.kill(process.pid, 'SIGKILL');
  }
}

run();
