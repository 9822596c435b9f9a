import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { monotonicMs, ServiceClock } from '../src/clock.js';
import { ClockFile } from '../src/journal/clock-record.js';
import { DiskReserve } from '../src/journal/disk-space.js';
import { Keeper } from '../src/journal/index.js';
import { BEAT_MS_MAX, CLOCK_RECORD_MS, KEEPER_ROUND_MS } from '../src/model/limits.js';
import type { KeeperWorkerData, WorkerNotice } from '../src/route/worker-data.js';
import { storeClock } from '../src/service-clock.js';
import { BEAT_SLOTS, ThreadBeats } from '../src/wire/thread-beats.js';

const data = workerData as KeeperWorkerData;
const log = pino({ level: data.logLevel, base: { thread: 'keeper' } }, pino.destination({ sync: true }));

function tell(notice: WorkerNotice): void {
  parentPort?.postMessage(notice);
}

const keeper = new Keeper({ dataDir: data.dataDir, shared: data.journal, log });
const clock = new ServiceClock(data.clock);
const clockFile = new ClockFile(data.dataDir);
const startedAtMs = monotonicMs();
let clockStoredAtMs = startedAtMs;

const reserve = new DiskReserve(data.dataDir);

/** Gives the reserve up as soon as the disk is full, and makes it again when the service may trade. */
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
// Its rounds wait for the disk: what is watched is whether the thread still comes back to its loop.
const beating = setInterval(() => beats.beat(BEAT_SLOTS.keeper), BEAT_MS_MAX);
const ending = new AbortController();
// The only message is the one that asks it to end, between two rounds.
parentPort?.once('message', () => ending.abort());
tell({ kind: 'ready', openParents: 0 });
while (!ending.signal.aborted) {
  await keeper.tend(monotonicMs());
  keepClock();
  keepReserve();
  await delay(KEEPER_ROUND_MS, undefined, { signal: ending.signal }).catch(() => undefined);
}
clearInterval(beating);
await keeper.close();
parentPort?.close();
