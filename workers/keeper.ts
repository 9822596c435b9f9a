import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { monotonicMs } from '../src/clock.js';
import { Keeper } from '../src/journal/index.js';
import { KEEPER_ROUND_MS } from '../src/model/limits.js';
import type { KeeperWorkerData, WorkerNotice } from '../src/route/worker-data.js';

const data = workerData as KeeperWorkerData;
const log = pino({ level: data.logLevel, base: { thread: 'keeper' } }, pino.destination({ sync: true }));

function tell(notice: WorkerNotice): void {
  parentPort?.postMessage(notice);
}

const keeper = new Keeper({ dataDir: data.dataDir, shared: data.journal, log });
const ending = new AbortController();
// The only message is the one that asks it to end, between two rounds.
parentPort?.once('message', () => ending.abort());
tell({ kind: 'ready', openParents: 0 });
while (!ending.signal.aborted) {
  await keeper.tend(monotonicMs());
  await delay(KEEPER_ROUND_MS, undefined, { signal: ending.signal }).catch(() => undefined);
}
await keeper.close();
parentPort?.close();
