import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import {
  COST_ANSWER_MS_MAX,
  COST_HEAP_MEGABYTES_MAX,
  COST_NICENESS,
  COST_REQUESTS_WAITING_MAX,
  COST_THREADS_MAX,
} from '../model/limits.js';
import { reject, type OrRejection } from '../model/rejection.js';
import type { CostQuestion } from './cost-question.js';
import type { AnalystWorkerData } from './worker-data.js';

const SHUTTING_DOWN = 'the service is shutting down';

export interface CostDeskParts {
  /** The compiled thread. */
  readonly entry: URL;
  readonly data: AnalystWorkerData;
  /** COST_ANSWER_MS_MAX unless given. */
  readonly answerMsMax?: number;
  readonly log: { error(context: object, message: string): void };
}

/**
 * Has execution costs reckoned by threads of their own, which read the journal and answer JSON: neither the main thread
 * nor a shard takes part. They begin with the first question, for many services are never asked one.
 */
export class CostDesk {
  readonly #parts: CostDeskParts;
  #threads: Piscina<CostQuestion, string | null> | null = null;
  /** The questions under way, the oldest first. */
  readonly #asked = new Set<{ readonly atMs: number }>();
  readonly #answerMsMax: number;
  #isClosed = false;

  constructor(parts: CostDeskParts) {
    this.#parts = parts;
    this.#answerMsMax = parts.answerMsMax ?? COST_ANSWER_MS_MAX;
  }

  /** Answers once, later: the report's JSON text. null: there is no such order any more. */
  ask(question: CostQuestion, answer: (result: OrRejection<string | null>) => void): void {
    if (this.#isClosed) return answer(reject('SYSTEM_BUSY', SHUTTING_DOWN));
    const threads = (this.#threads ??= this.#start());
    if (threads.queueSize >= COST_REQUESTS_WAITING_MAX) {
      return answer(reject('SYSTEM_BUSY', `${COST_REQUESTS_WAITING_MAX} reports of execution cost are waited for`));
    }
    const giveUp = new AbortController();
    // Ends the thread when it still works on this question; the pool starts another one.
    const timer = setTimeout(() => giveUp.abort(), this.#answerMsMax);
    const asked = { atMs: performance.now() };
    this.#asked.add(asked);
    const settle = (result: OrRejection<string | null>): void => {
      clearTimeout(timer);
      this.#asked.delete(asked);
      answer(result);
    };
    threads.run(question, { signal: giveUp.signal }).then(settle, (error: unknown) => {
      settle(this.#failure(error, question, giveUp.signal.aborted));
    });
  }

  /** How long the oldest question has waited for its answer, in milliseconds; 0: none waits. */
  get oldestWaitMs(): number {
    const [oldest] = this.#asked;
    return oldest === undefined ? 0 : performance.now() - oldest.atMs;
  }

  /** Ends the threads. Questions that are under way are answered SYSTEM_BUSY; nothing is logged, for nothing failed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#threads?.destroy();
  }

  #failure(error: unknown, question: CostQuestion, isLate: boolean): OrRejection<never> {
    if (this.#isClosed) return reject('SYSTEM_BUSY', SHUTTING_DOWN);
    if (isLate) {
      const seconds = this.#answerMsMax / 1000;
      this.#parts.log.error(
        { question, seconds },
        'a report of execution cost took too long: its thread is terminated',
      );
      return reject('SYSTEM_BUSY', `the report was not ready within ${seconds} s`);
    }
    this.#parts.log.error({ err: error, question }, 'a report of execution cost failed');
    return reject('SYSTEM_ERROR', 'the service failed to make this report; its log says why');
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
