import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import { ReadJobs } from '../src/http/read/read-jobs.js';
import { openJournalReader } from '../src/journal/index.js';
import { READ_NICENESS } from '../src/model/limits.js';
import type { ReadPage, ReadQuestion } from '../src/route/read-question.js';
import type { ReaderAnswer, ReaderCommand, ReaderWorkerData } from '../src/route/worker-data.js';

const { dataDir, logLevel, journal } = workerData as ReaderWorkerData;
const log = pino({ level: logLevel, base: { thread: 'reader' } }, pino.destination({ sync: true }));
const { reader, release, close } = openJournalReader({ dataDir, shared: journal });
const jobs = new ReadJobs(reader);

try {
  // On Linux this is the thread's own priority.
  setPriority(READ_NICENESS);
} catch (error) {
  log.warn({ err: error }, 'the thread keeps its priority');
}

/** A failed page ends its job alone. */
function pageOf(job: number, question: ReadQuestion | null): ReadPage | null {
  try {
    return jobs.page(job, question);
  } catch (error) {
    log.error({ err: error, kind: question?.kind }, 'an answer could not be read');
    return null;
  } finally {
    release();
  }
}

parentPort?.on('message', (command: ReaderCommand) => {
  switch (command.kind) {
    case 'page': {
      const page = pageOf(command.job, command.question);
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
