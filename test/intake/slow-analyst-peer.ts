import { setTimeout } from 'node:timers/promises';
import { Piscina } from 'piscina';
import type { CostRequest } from '../../src/domain/query.js';
import type { AnalystWorkerData } from '../../src/wire/worker-data.js';

const LOAD_MS = 300;

/** Loads slowly, then writes 1 to the memory of the journal. Hangs on every question. */
await setTimeout(LOAD_MS);
new Int32Array((Piscina.workerData as AnalystWorkerData).journal.words)[0] = 1;

export default function answer(_question: CostRequest): string {
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
