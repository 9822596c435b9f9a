import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { getEnvironmentData, isMainThread, setEnvironmentData, threadId } from 'node:worker_threads';

/**
 * Loaded before the service (`node --import`). On SIGUSR2 each thread collects its garbage, and the main thread writes
 * the used heap of all threads together, in bytes, to the file BENCH_HEAP_FILE. A thread that blocks on a bell
 * collects before it blocks again.
 */
const NAME = 'sluice-bench-heap';
const THREADS_MAX = 64;
/** Every thread wakes at least once a second. */
const WAIT_MS = 3_000;
const file = process.env['BENCH_HEAP_FILE'];

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

if (file !== undefined) {
  // Word 0 counts the requests. Each thread has a word with its used heap in KiB.
  const shared = isMainThread ? new SharedArrayBuffer(4 * THREADS_MAX) : getEnvironmentData(NAME);
  const words = new Int32Array(shared as unknown as SharedArrayBuffer);
  const report = (): void => {
    collect();
    Atomics.store(words, 1 + threadId, process.memoryUsage().heapUsed >> 10);
  };
  if (isMainThread) {
    setEnvironmentData(NAME, shared);
    process.on('SIGUSR2', () => {
      words.fill(0, 1);
      Atomics.add(words, 0, 1);
      setTimeout(() => {
        report();
        const kib = words.subarray(1).reduce((sum, word) => sum + word, 0);
        writeFileSync(file, String(kib * 1024));
      }, WAIT_MS);
    });
  } else {
    let seen = 0;
    const wait = Atomics.wait.bind(Atomics) as (...args: readonly unknown[]) => 'ok';
    Atomics.wait = (...args: readonly unknown[]) => {
      const asked = Atomics.load(words, 0);
      if (asked !== seen) {
        seen = asked;
        report();
      }
      return wait(...args);
    };
  }
}
