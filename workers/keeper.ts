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
let isEnding = false;
// The only message is the one that asks it to end, between two rounds.
parentPort?.once('message', () => {
  isEnding = true;
});
tell({ kind: 'ready', openParents: 0 });
while (!isEnding) {
  await keeper.tend(monotonicMs());
  await new Promise((resolve) => {
    setTimeout(resolve, KEEPER_ROUND_MS);
  });
}
await keeper.close();
parentPort?.close();
