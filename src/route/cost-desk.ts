import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import {
  COST_HEAP_MEGABYTES_MAX,
  COST_NICENESS,
  COST_REQUESTS_WAITING_MAX,
  COST_THREADS_MAX,
} from '../model/limits.js';
import { reject, type OrRejection } from '../model/rejection.js';
import type { CostQuestion } from './cost-question.js';
import type { AnalystWorkerData } from './worker-data.js';

export interface CostDeskParts {
  /** The compiled thread. */
  readonly entry: URL;
  readonly data: AnalystWorkerData;
  readonly log: { error(context: object, message: string): void };
}

/**
 * Has execution costs reckoned by threads of their own, which read the journal and answer JSON: neither the main thread
 * nor a shard takes part. They begin with the first question, for many services are never asked one.
 */
export class CostDesk {
  readonly #parts: CostDeskParts;
  #threads: Piscina<CostQuestion, string | null> | null = null;
  #isClosed = false;

  constructor(parts: CostDeskParts) {
    this.#parts = parts;
  }

  /** Answers once, later: the report's JSON text. null: there is no such order any more. */
  ask(question: CostQuestion, answer: (result: OrRejection<string | null>) => void): void {
    if (this.#isClosed) return answer(reject('SYSTEM_BUSY', 'the service is shutting down'));
    const threads = (this.#threads ??= this.#start());
    if (threads.queueSize >= COST_REQUESTS_WAITING_MAX) {
      return answer(reject('SYSTEM_BUSY', `${COST_REQUESTS_WAITING_MAX} reports of execution cost are waited for`));
    }
    threads.run(question).then(answer, (error: unknown) => {
      this.#parts.log.error({ err: error, question }, 'a report of execution cost failed');
      answer(reject('SYSTEM_ERROR', 'the service failed to make this report; its log says why'));
    });
  }

  /** Ends the threads; what they still reckon is answered as failed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#threads?.destroy();
  }

  #start(): Piscina<CostQuestion, string | null> {
    const { entry, data } = this.#parts;
    return new Piscina({
      filename: fileURLToPath(entry),
      workerData: data,
      minThreads: 1,
      maxThreads: COST_THREADS_MAX,
      // A thread that has opened the journal keeps it: a short life would open it again and again.
      idleTimeout: Infinity,
      maxQueue: COST_REQUESTS_WAITING_MAX,
      // Otherwise an idle thread blocks, and LMDB could not give its snapshot back.
      atomics: 'disabled',
      niceIncrement: COST_NICENESS,
      resourceLimits: { maxOldGenerationSizeMb: COST_HEAP_MEGABYTES_MAX },
    });
  }
}
