import { workerData } from 'node:worker_threads';
import { LogWriter } from '../src/runtime/log.js';
import { BlockingBell } from '../src/wire/bell.js';
import type { LogWriterWorkerData } from '../src/wire/worker-data.js';

const data = workerData as LogWriterWorkerData;
new LogWriter(data).run(new BlockingBell(data.bell));
