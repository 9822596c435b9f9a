import { Worker } from 'node:worker_threads';
import { READ_PAGE_MS_MAX } from '../model/limits.js';
import type { ReadHost, ReadPage, ReadQuestion } from './read-question.js';
import type { ReaderAnswer, ReaderCommand, ReaderWorkerData } from './worker-data.js';

export interface ReadThreadParts {
  /** The compiled thread. */
  readonly entry: URL;
  readonly data: ReaderWorkerData;
  readonly log: { error(context: object, message: string): void };
}

type PageAnswer = (page: ReadPage | null) => void;

/** A thread that lives, and the pages that are asked of it, in the order in which they come back. */
interface Life {
  readonly worker: Worker;
  readonly asked: PageAnswer[];
  watch: NodeJS.Timeout | null;
}

/**
 * Reads answers in a thread of its own, which begins with the first one. When it dies, or takes longer than
 * READ_PAGE_MS_MAX for a page, its jobs fail, and the next question begins another one.
 */
export class ReadThread implements ReadHost {
  readonly #parts: ReadThreadParts;
  #life: Life | null = null;
  #isClosed = false;

  constructor(parts: ReadThreadParts) {
    this.#parts = parts;
  }

  page(job: number, question: ReadQuestion | null, answer: PageAnswer): void {
    if (this.#isClosed || (this.#life === null && question === null)) return queueMicrotask(() => answer(null));
    const life = (this.#life ??= this.#start());
    life.asked.push(answer);
    this.#watch(life);
    this.#post(life, { kind: 'page', job, question });
  }

  drop(job: number): void {
    if (this.#life !== null) this.#post(this.#life, { kind: 'drop', job });
  }

  /** Ends the thread; the jobs that are left fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const life = this.#life;
    if (life === null) return;
    const ended = new Promise<void>((resolve) => life.worker.once('exit', () => resolve()));
    this.#post(life, { kind: 'end' });
    await ended;
  }

  #post({ worker }: Life, command: ReaderCommand): void {
    worker.postMessage(command);
  }

  #start(): Life {
    const { entry, data, log } = this.#parts;
    const worker = new Worker(entry, { workerData: data });
    const life: Life = { worker, asked: [], watch: null };
    worker.on('message', ({ page }: ReaderAnswer) => {
      const answer = life.asked.shift();
      this.#watch(life);
      answer?.(page);
    });
    worker.on('error', (error) => log.error({ err: error, thread: 'reader' }, 'thread died'));
    worker.once('exit', () => this.#onExit(life));
    return life;
  }

  /** One watch for the page that comes next. */
  #watch(life: Life): void {
    if (life.watch !== null) clearTimeout(life.watch);
    life.watch = life.asked.length === 0 ? null : setTimeout(() => this.#onSilence(life), READ_PAGE_MS_MAX);
  }

  #onSilence({ worker }: Life): void {
    this.#parts.log.error({ thread: 'reader' }, `no page within ${READ_PAGE_MS_MAX} ms: the thread is ended`);
    void worker.terminate();
  }

  #onExit(life: Life): void {
    if (this.#life === life) this.#life = null;
    if (life.watch !== null) clearTimeout(life.watch);
    for (const answer of life.asked.splice(0)) answer(null);
  }
}
