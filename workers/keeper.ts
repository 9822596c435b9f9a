import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { monotonicMs, ServiceClock } from '../src/runtime/clock.js';
import { notify } from '../src/runtime/worker.js';
import { threadLog } from '../src/runtime/log.js';
import { ClockFile } from '../src/storage/clock-record.js';
import { DiskReserve } from '../src/storage/disk-reserve.js';
import { Keeper } from '../src/journal/keeper.js';
import { BEAT_MS_MAX, CLOCK_RECORD_MS, KEEPER_ROUND_MS } from '../src/domain/limits/process.js';
import { BEAT_SLOTS, type KeeperWorkerData, ThreadBeats } from '../src/wire/worker-data.js';
import { storeClock } from '../src/runtime/service-time.js';

const data = workerData as KeeperWorkerData;
const log = threadLog(data.logLevel, data.log, { thread: 'keeper' });

const keeper = new Keeper({ dataDir: data.dataDir, shared: data.journal, log });
const clock = new ServiceClock(data.clock);
const clockFile = new ClockFile(data.dataDir);
const startedAtMs = monotonicMs();
let clockStoredAtMs = startedAtMs;

const reserve = new DiskReserve(data.dataDir);

/** Removes the reserve when the disk is full, and creates it again when the service may trade. */
function keepReserve(): void {
  try {
    if (reserve.releaseWhenFull()) log.warn('the disk is full: its reserve is released');
    else if (monotonicMs() - startedAtMs > CLOCK_RECORD_MS) reserve.restoreWhenRoomy(data.diskHaltBytes);
  } catch (error) {
    log.warn({ err: error }, 'the reserve of the disk cannot be kept');
  }
}

function keepClock(): void {
  if (monotonicMs() - clockStoredAtMs < CLOCK_RECORD_MS) return;
  clockStoredAtMs = monotonicMs();
  try {
    storeClock(clockFile, clock);
  } catch (error) {
    log.warn({ err: error }, 'the clocks cannot be stored');
  }
}

const beats = new ThreadBeats(data.beats);
// A round may wait for the disk. The heartbeat only shows that the thread returns to its event loop.
const beating = setInterval(() => beats.beat(BEAT_SLOTS.keeper), BEAT_MS_MAX);
const ending = new AbortController();
// The only message requests the end of the thread, between two rounds.
parentPort?.once('message', () => ending.abort());
notify({ kind: 'ready', openParents: 0 });

async function run(): Promise<void> {
  while (!ending.signal.aborted) {
    await keeper.runRound(monotonicMs());
    keepClock();
    keepReserve();
    await delay(KEEPER_ROUND_MS, undefined, { signal: ending.signal }).catch(() => undefined);
  }
  clearInterval(beating);
  await keeper.close();
  parentPort?.close();
}

// No top-level await: the build makes a CommonJS script of this module.
void run();
