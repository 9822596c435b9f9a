import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { monotonicMs, ServiceClock } from '../src/clock.js';
import { ClockFile } from '../src/journal/clock-record.js';
import { Keeper } from '../src/journal/index.js';
import { CLOCK_RECORD_MS, KEEPER_ROUND_MS } from '../src/model/limits.js';
import type { KeeperWorkerData, WorkerNotice } from '../src/route/worker-data.js';
import { storeClock } from '../src/service-clock.js';

const data = workerData as KeeperWorkerData;
const log = pino({ level: data.logLevel, base: { thread: 'keeper' } }, pino.destination({ sync: true }));

function tell(notice: WorkerNotice): void {
  parentPort?.postMessage(notice);
}

const keeper = new Keeper({ dataDir: data.dataDir, shared: data.journal, log });
const clock = new ServiceClock(data.clock);
const clockFile = new ClockFile(data.dataDir);
let clockStoredAtMs = monotonicMs();

function keepClock(): void {
  if (monotonicMs() - clockStoredAtMs < CLOCK_RECORD_MS) return;
  clockStoredAtMs = monotonicMs();
  try {
    storeClock(clockFile, clock);
  } catch (error) {
    log.warn({ err: error }, 'the clocks cannot be stored');
  }
}

const ending = new AbortController();
// The only message is the one that asks it to end, between two rounds.
parentPort?.once('message', () => ending.abort());
tell({ kind: 'ready', openParents: 0 });
while (!ending.signal.aborted) {
  await keeper.tend(monotonicMs());
  keepClock();
  await delay(KEEPER_ROUND_MS, undefined, { signal: ending.signal }).catch(() => undefined);
}
await keeper.close();
parentPort?.close();
