/**
 * Loaded into every thread of a service before its own code (node --import), it lets a test end a worker thread at a
 * chosen point: while a file of the right name exists in $MORTAL_THREADS. The product has no door for this.
 *
 *   <thread>.throw   the thread's next wait throws: a bug of ours; with an event loop: its next timer
 *   <thread>.exit    the thread's next wait ends it, without a word
 *   <thread>.lose    the thread ends in its disk sync
 *   <thread>.hang    the thread hangs, as long as the file is there; also main, keeper and watchdog
 *   <thread>.hold    a starting thread waits before its own code
 */
import fs, { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { isMainThread, workerData } from 'node:worker_threads';

type Wait = typeof Atomics.wait;

const LOOK_EVERY_MS = 10;
const orders = process.env['MORTAL_THREADS'] ?? '';

function isOrdered(what: string): boolean {
  return existsSync(join(orders, `${threadName()}.${what}`));
}

function threadName(): string {
  if (isMainThread) return 'main';
  const { shard, memory } = workerData as { readonly shard?: number; readonly memory?: { readonly venue?: string } };
  // The thread of a real exchange, as the log names it.
  if (typeof memory?.venue === 'string') return `live-${memory.venue}`;
  return shard === undefined ? basename(process.argv[1] ?? '', '.js') : `shard-${shard}`;
}

function mortalWait(wait: Wait): Wait {
  return ((cells: Int32Array, index: number, value: number, timeoutMs = Infinity) => {
    const endMs = performance.now() + timeoutMs;
    for (;;) {
      die();
      hang(wait);
      const leftMs = Math.max(0, endMs - performance.now());
      const result = wait(cells, index, value, Math.min(leftMs, LOOK_EVERY_MS));
      if (result !== 'timed-out' || leftMs <= LOOK_EVERY_MS) return result;
    }
  }) as Wait;
}

const pause = new Int32Array(new SharedArrayBuffer(4));

function die(): void {
  if (isOrdered('throw')) throw new Error('the test makes this thread throw');
  if (isOrdered('exit')) process.exit(1);
}

/**
 * Comes back when the order is taken away: never, for a thread that is ended before. <thread>.hangs says that it hangs.
 */
function hang(wait: Wait): void {
  if (!isOrdered('hang')) return;
  fs.writeFileSync(join(orders, `${threadName()}.hangs`), '');
  while (isOrdered('hang')) wait(pause, 0, 0, LOOK_EVERY_MS);
}

const { wait: systemWait } = Atomics;
// For threads with an event loop.
setInterval(() => {
  if (!isMainThread) die();
  hang(systemWait);
}, LOOK_EVERY_MS).unref();
if (!isMainThread) {
  const { wait } = Atomics;
  while (isOrdered('hold')) wait(pause, 0, 0, LOOK_EVERY_MS);
  Atomics.wait = mortalWait(wait);
  const { fdatasyncSync } = fs;
  fs.fdatasyncSync = (file) => (isOrdered('lose') ? process.exit(1) : fdatasyncSync(file));
  syncBuiltinESMExports();
}
