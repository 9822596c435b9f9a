import type { WorkerOptions } from 'node:worker_threads';

const fs = process.getBuiltinModule('node:fs');
const nodeModule = process.getBuiltinModule('node:module');
const path = process.getBuiltinModule('node:path');
const threads = process.getBuiltinModule('node:worker_threads');

/**
 * Loaded before a measured service (`node --require`). Names the threads, so that a reader of /proc can tell them apart:
 * a new thread inherits the name of the thread that starts it. Threads of V8 and of Node start earlier and keep the name
 * `node`.
 */
const MAIN = 'main';
const POOL = 'libuv-pool';

function setName(name: string): void {
  fs.writeFileSync('/proc/thread-self/comm', name);
}

class NamedWorker extends threads.Worker {
  constructor(file: string | URL, options: WorkerOptions = {}) {
    setName(options.name ?? path.parse(String(file)).name);
    super(file, options);
    setName(MAIN);
  }
}

if (threads.isMainThread) {
  setName(POOL);
  // The first asynchronous call starts the pool.
  fs.stat('/', () => undefined);
  setName(MAIN);
  Object.assign(threads, { Worker: NamedWorker });
  nodeModule.syncBuiltinESMExports();
}
