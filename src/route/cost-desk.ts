import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import {
  COST_ANSWER_MS_MAX,
  COST_HEAP_MEGABYTES_MAX,
  COST_NICENESS,
  COST_REQUESTS_WAITING_MAX,
  COST_REQUESTS_WAITING_PER_ACCOUNT_MAX,
  COST_THREADS_MAX,
} from '../model/limits.js';
import { FairQueue } from '../model/fair-queue.js';
import type { AccountId } from '../model/ids.js';
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

type CostAnswer = (result: OrRejection<string | null>) => void;

interface Asked {
  readonly question: CostQuestion;
  readonly answer: CostAnswer;
  readonly giveUp: AbortController;
  readonly atMs: number;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Has execution costs reckoned by threads of their own, which read the journal and answer JSON: neither the main thread
 * nor a shard takes part. They begin with the first question, for many services are never asked one. Accounts are served
 * in turn.
 */
export class CostDesk {
  readonly #parts: CostDeskParts;
  #threads: Piscina<CostQuestion, string | null> | null = null;
  /** The questions that wait or are under way, the oldest first. */
  readonly #asked = new Set<Asked>();
  readonly #waiting = new FairQueue<AccountId, Asked>();
  readonly #waitingCounts = new Map<AccountId, number>();
  #runningCount = 0;
  readonly #answerMsMax: number;
  #isClosed = false;

  constructor(parts: CostDeskParts) {
    this.#parts = parts;
    this.#answerMsMax = parts.answerMsMax ?? COST_ANSWER_MS_MAX;
  }

  /**
   * Answers once, later: the report's JSON text. null: there is no such order any more. SYSTEM_BUSY when too many
   * questions wait, of the account or in all.
   */
  ask(question: CostQuestion, answer: CostAnswer): void {
    if (this.#isClosed) return answer(reject('SYSTEM_BUSY', SHUTTING_DOWN));
    const { account } = question;
    const ofAccount = this.#waitingCounts.get(account) ?? 0;
    if (this.#asked.size - this.#runningCount >= COST_REQUESTS_WAITING_MAX) {
      return answer(reject('SYSTEM_BUSY', `${COST_REQUESTS_WAITING_MAX} reports of execution cost are waited for`));
    }
    if (ofAccount >= COST_REQUESTS_WAITING_PER_ACCOUNT_MAX) {
      const message = `${COST_REQUESTS_WAITING_PER_ACCOUNT_MAX} reports of execution cost of the account are waited for`;
      return answer(reject('SYSTEM_BUSY', message));
    }
    const giveUp = new AbortController();
    const asked: Asked = { question, answer, giveUp, atMs: performance.now(), timer: undefined };
    // Ends the thread when it still works on this question; the pool starts another one.
    asked.timer = setTimeout(() => this.#giveUp(asked), this.#answerMsMax);
    this.#asked.add(asked);
    this.#waiting.add(account, asked);
    this.#waitingCounts.set(account, ofAccount + 1);
    this.#runNext();
  }

  /** How long the oldest question has waited for its answer, in milliseconds; 0: none waits. */
  get oldestWaitMs(): number {
    const [oldest] = this.#asked;
    return oldest === undefined ? 0 : performance.now() - oldest.atMs;
  }

  /** Ends the threads. Questions that are under way are answered SYSTEM_BUSY; nothing is logged, for nothing failed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (let asked = this.#waiting.take(); asked !== undefined; asked = this.#waiting.take()) {
      this.#settle(asked, reject('SYSTEM_BUSY', SHUTTING_DOWN));
    }
    await this.#threads?.destroy();
  }

  /** Hands the threads what they can work on now: a question of each account in turn. */
  #runNext(): void {
    while (this.#runningCount < COST_THREADS_MAX && !this.#isClosed) {
      const asked = this.#waiting.take();
      if (asked === undefined) return;
      this.#noteTaken(asked);
      this.#runningCount += 1;
      const { question, giveUp } = asked;
      const end = (result: OrRejection<string | null>): void => {
        this.#runningCount -= 1;
        this.#settle(asked, result);
        this.#runNext();
      };
      (this.#threads ??= this.#start()).run(question, { signal: giveUp.signal }).then(end, (error: unknown) => {
        end(this.#failure(error, question, giveUp.signal.aborted));
      });
    }
  }

  #giveUp(asked: Asked): void {
    const { account } = asked.question;
    asked.giveUp.abort();
    if (!this.#waiting.has(account, asked)) return;
    this.#waiting.remove(account, asked);
    this.#noteTaken(asked);
    this.#settle(asked, this.#late());
  }

  #noteTaken({ question: { account } }: Asked): void {
    const left = (this.#waitingCounts.get(account) ?? 0) - 1;
    if (left > 0) this.#waitingCounts.set(account, left);
    else this.#waitingCounts.delete(account);
  }

  #settle(asked: Asked, result: OrRejection<string | null>): void {
    clearTimeout(asked.timer);
    this.#asked.delete(asked);
    asked.answer(result);
  }

  #late(): OrRejection<never> {
    return reject('SYSTEM_BUSY', `the report was not ready within ${this.#answerMsMax / 1000} s`);
  }

  #failure(error: unknown, question: CostQuestion, isLate: boolean): OrRejection<never> {
    if (this.#isClosed) return reject('SYSTEM_BUSY', SHUTTING_DOWN);
    if (isLate) {
      const seconds = this.#answerMsMax / 1000;
      this.#parts.log.error(
        { question, seconds },
        'a report of execution cost took too long: its thread is terminated',
      );
      return this.#late();
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
