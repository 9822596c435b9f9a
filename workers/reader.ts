import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { threadLog } from '../src/runtime/log.js';
import { ReadJobs } from '../src/intake/read-job.js';
import { openJournalReader } from '../src/journal/open-journal.js';
import { READ_NICENESS } from '../src/domain/limits/clients.js';
import type { ReadPage, ReadRequest } from '../src/domain/query.js';
import type { ReaderAnswer, ReaderCommand, ReaderWorkerData } from '../src/wire/worker-data.js';

const { dataDir, logLevel, log: logMemory, journal } = workerData as ReaderWorkerData;
const log = threadLog(logLevel, logMemory, { thread: 'reader' });
const { reader, release, close } = openJournalReader({ dataDir, shared: journal });
const jobs = new ReadJobs(reader);

try {
  // On Linux this sets the priority of this thread alone.
  setPriority(READ_NICENESS);
} catch (error) {
  log.warn({ err: error }, 'the priority of the thread could not be lowered');
}

/** Returns the page, or null when it failed. A failure ends only its own job. */
function pageOf(job: number, request: ReadRequest | null): ReadPage | null {
  try {
    return jobs.page(job, request);
  } catch (error) {
    log.error({ err: error, kind: request?.kind }, 'an answer could not be read');
    return null;
  } finally {
    release();
  }
}

parentPort?.on('message', (command: ReaderCommand) => {
  switch (command.kind) {
    case 'page': {
      const page = pageOf(command.job, command.request);
      const answer: ReaderAnswer = { page };
      return parentPort?.postMessage(answer, page === null ? [] : [page.bytes.buffer as ArrayBuffer]);
    }
    case 'drop':
      return jobs.drop(command.job);
    case 'end':
      jobs.dropAll();
      parentPort?.close();
      return void close();
  }
});
