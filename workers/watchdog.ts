import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { monotonicMs } from '../src/clock.js';
import { BEAT_MS_MAX, MAIN_SILENCE_MS_MAX, THREAD_SILENCE_MS_WARNING } from '../src/model/limits.js';
import { SilenceMeter } from '../src/route/silence-meter.js';
import type { WatchdogWorkerData, WorkerNotice } from '../src/route/worker-data.js';
import { BEAT_SLOTS, ThreadBeats } from '../src/wire/thread-beats.js';

const data = workerData as WatchdogWorkerData;
const log = pino({ level: data.logLevel, base: { thread: 'watchdog' } }, pino.destination({ sync: true }));

/** Watches the main thread, which watches all others. A service whose main thread hangs can only be ended from here. */
function run(): void {
  const control = new Int32Array(data.control);
  const beats = new ThreadBeats(data.beats);
  const meter = new SilenceMeter();
  let isReported = false;
  parentPort?.postMessage({ kind: 'ready', openParents: 0 } satisfies WorkerNotice);
  while (Atomics.load(control, 0) === 0) {
    Atomics.wait(control, 0, 0, BEAT_MS_MAX);
    beats.beat(BEAT_SLOTS.watchdog);
    const silenceMs = meter.look(beats.read(BEAT_SLOTS.main), monotonicMs());
    const isSilent = silenceMs >= THREAD_SILENCE_MS_WARNING;
    if (isSilent && !isReported) log.error({ silenceMs: Math.round(silenceMs) }, 'the main thread does not move');
    if (!isSilent && isReported) log.info('the main thread moves again');
    isReported = isSilent;
    if (silenceMs < MAIN_SILENCE_MS_MAX) continue;
    const reason = `the main thread has made no turn for ${Math.round(silenceMs / 1000)} s`;
    log.fatal({ reason }, 'the service kills itself: its main thread is lost');
    process.kill(process.pid, 'SIGKILL');
  }
}

run();
