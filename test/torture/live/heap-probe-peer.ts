import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { threadId } from 'node:worker_threads';

/**
 * Loaded into a service with `--import` and `--expose-gc`: each thread with an event loop appends its heap after a
 * collection to the file HEAP_PROBE, one line `<thread> <bytes>` at a time. The other threads never await.
 */
const EVERY_MS = 5_000;

async function probe(file: string): Promise<void> {
  for (;;) {
    await wait(EVERY_MS, undefined, { ref: false });
    globalThis.gc?.();
    appendFileSync(file, `${threadId} ${process.memoryUsage().heapUsed}\n`);
  }
}

const file = process.env['HEAP_PROBE'];
if (file !== undefined) void probe(file);
