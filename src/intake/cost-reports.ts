import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import {
  COST_ANSWER_MS_MAX,
  COST_HEAP_MEGABYTES_MAX,
  COST_LOAD_MS_MAX,
  COST_NICENESS,
  COST_REQUESTS_WAITING_MAX,
  COST_REQUESTS_WAITING_PER_ACCOUNT_MAX,
  COST_THREADS_MAX,
} from '../domain/limits/clients.js';
import { CountByKey } from '../domain/count-by-key.js';
import type { AccountId } from '../domain/ids.js';
import { FairQueue } from '../domain/queues.js';
import { type OrRejection, reject, Rejected } from '../domain/rejection.js';
import type { CostRequest } from '../domain/query.js';
import type { AnalystWorkerData } from '../wire/worker-data.js';

const SHUTTING_DOWN = new Rejected({
  code: 'SYSTEM_BUSY',
  message: 'the service is shutting down',
  reason: 'SHUTTING_DOWN',
});

export interface CostReportsParts {
  /** The compiled thread entry. */
  readonly entry: URL;
  readonly data: AnalystWorkerData;
  /** Default: COST_ANSWER_MS_MAX. */
  readonly answerMsMax?: number;
  readonly log: { error(context: object, message: string): void };
}

type CostAnswer = (result: OrRejection<string | null>) => void;

interface Asked {
  readonly query: CostRequest;
  readonly answer: CostAnswer;
  readonly giveUp: AbortController;
  readonly atMs: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Computes execution costs in separate threads, which read the journal and answer with JSON. The main thread and the
 * shards do no work for it. The threads start with the first request, because many services never need them. Accounts
 * are served in turn.
 */
export class CostReports {
  readonly #parts: CostReportsParts;
  #threads: Piscina<CostRequest, string | null> | null = null;
  /** Threads that have loaded their modules. */
  readonly #loaded = new Set<unknown>();
  #onLoaded = (): void => undefined;
  /** Requests that wait or run, the oldest first. */
  readonly #asked = new Set<Asked>();
  readonly #waiting = new FairQueue<AccountId, Asked>();
  readonly #waitingCounts = new CountByKey<AccountId>();
  #runningCount = 0;
  readonly #answerMsMax: number;
  #isClosed = false;

  constructor(parts: CostReportsParts) {
    this.#parts = parts;
    this.#answerMsMax = parts.answerMsMax ?? COST_ANSWER_MS_MAX;
  }

  /**
   * Answers once, later, with the JSON text of the report. null: the order no longer exists. SYSTEM_BUSY when too many
   * requests wait, of the account or in total.
   */
  ask(query: CostRequest, answer: CostAnswer): void {
    if (this.#isClosed) return answer(SHUTTING_DOWN);
    const { account } = query;
    if (this.#asked.size - this.#runningCount >= COST_REQUESTS_WAITING_MAX) {
      return answer(reject('SYSTEM_BUSY', `${COST_REQUESTS_WAITING_MAX} reports of execution cost are waiting`));
    }
    if (this.#waitingCounts.of(account) >= COST_REQUESTS_WAITING_PER_ACCOUNT_MAX) {
      const message = `${COST_REQUESTS_WAITING_PER_ACCOUNT_MAX} reports of execution cost of the account are waiting`;
      return answer(reject('SYSTEM_BUSY', message));
    }
    const giveUp = new AbortController();
    const asked: Asked = { query, answer, giveUp, atMs: performance.now(), timer: undefined };
    // At the end of the time the thread is terminated if it still works on this request; the pool starts another one.
    asked.timer = setTimeout(() => this.#giveUp(asked), this.#answerMsMax);
    this.#asked.add(asked);
    this.#waiting.add(account, asked);
    this.#waitingCounts.add(account);
    this.#runNext();
  }

  /** Milliseconds since the oldest request without an answer; 0: there is none. */
  get oldestWaitMs(): number {
    const [oldest] = this.#asked;
    return oldest === undefined ? 0 : performance.now() - oldest.atMs;
  }

  /**
   * Answers open requests with SYSTEM_BUSY at once and logs nothing, because this is no failure. Then ends the threads.
   * Waits for a thread that still loads its modules: Node aborts the process when such a thread is terminated.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const asked of this.#asked) this.#settle(asked, SHUTTING_DOWN);
    if (this.#threads === null) return;
    await this.#untilLoaded(this.#threads);
    await this.#threads.destroy();
  }

  /** Resolves when every thread has loaded its modules, or after COST_LOAD_MS_MAX. */
  async #untilLoaded(pool: Piscina<CostRequest, string | null>): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, COST_LOAD_MS_MAX);
      this.#onLoaded = (): void => {
        if (this.#loaded.size < pool.threads.length) return;
        clearTimeout(timer);
        resolve();
      };
      this.#onLoaded();
    });
  }

  /** Gives the free threads their next requests: one of each account in turn. */
  #runNext(): void {
    while (this.#runningCount < COST_THREADS_MAX && !this.#isClosed) {
      const asked = this.#waiting.take();
      if (asked === undefined) return;
      this.#noteTaken(asked);
      this.#runningCount += 1;
      const { query, giveUp } = asked;
      const end = (result: OrRejection<string | null>): void => {
        this.#runningCount -= 1;
        this.#settle(asked, result);
        this.#runNext();
      };
      (this.#threads ??= this.#start()).run(query, { signal: giveUp.signal }).then(end, (error: unknown) => {
        end(this.#failure(error, query, giveUp.signal.aborted));
      });
    }
  }

  #giveUp(asked: Asked): void {
    const { account } = asked.query;
    asked.giveUp.abort();
    if (!this.#waiting.has(account, asked)) return;
    this.#waiting.remove(account, asked);
    this.#noteTaken(asked);
    this.#settle(asked, this.#late());
  }

  #noteTaken({ query: { account } }: Asked): void {
    this.#waitingCounts.add(account, -1);
  }

  /** Does nothing for a request that was answered when the service began to close. */
  #settle(asked: Asked, result: OrRejection<string | null>): void {
    clearTimeout(asked.timer);
    if (this.#asked.delete(asked)) asked.answer(result);
  }

  #late(): OrRejection<never> {
    return reject('SYSTEM_BUSY', `the report was not ready within ${this.#answerMsMax / 1000} s`);
  }

  #failure(error: unknown, query: CostRequest, isLate: boolean): OrRejection<never> {
    if (this.#isClosed) return SHUTTING_DOWN;
    if (isLate) {
      const seconds = this.#answerMsMax / 1000;
      this.#parts.log.error({ query, seconds }, 'a report of execution cost took too long: its thread is terminated');
      return this.#late();
    }
    this.#parts.log.error({ err: error, query }, 'a report of execution cost failed');
    return reject('SYSTEM_ERROR', 'the service failed to make this report; its log has the reason');
  }

  #start(): Piscina<CostRequest, string | null> {
    const { entry, data } = this.#parts;
    const pool = new Piscina<CostRequest, string | null>({
      filename: fileURLToPath(entry),
      workerData: data,
      // The pool reports when a thread has loaded, but not for the threads that it creates at once.
      minThreads: 0,
      maxThreads: COST_THREADS_MAX,
      // A thread keeps the journal open. A short life would open it again and again.
      idleTimeout: Infinity,
      maxQueue: COST_REQUESTS_WAITING_MAX,
      // Otherwise an idle thread blocks, and LMDB could not release its snapshot.
      atomics: 'disabled',
      niceIncrement: COST_NICENESS,
      resourceLimits: { maxOldGenerationSizeMb: COST_HEAP_MEGABYTES_MAX },
    });
    pool.on('workerCreate', (thread) => {
      this.#loaded.add(thread);
      this.#onLoaded();
    });
    pool.on('workerDestroy', (thread) => this.#loaded.delete(thread));
    // A thread may answer while it is terminated, which the pool reports as an error.
    pool.on('error', (error: unknown) => {
      if (!this.#isClosed) this.#parts.log.error({ err: error }, 'a thread of execution costs failed');
    });
    return pool;
  }
}
