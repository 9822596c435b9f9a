import { Worker } from 'node:worker_threads';
import { READ_PAGE_MS_MAX } from '../domain/limits/clients.js';
import type { ReadHost, ReadPage, ReadRequest } from '../domain/query.js';
import type { ReaderAnswer, ReaderCommand, ReaderWorkerData } from '../wire/worker-data.js';

export interface ReadThreadParts {
  /** The compiled thread entry. */
  readonly entry: URL;
  readonly data: ReaderWorkerData;
  readonly log: { error(context: object, message: string): void };
}

type PageAnswer = (page: ReadPage | null) => void;

/** A running thread, and the requested pages in the order of their answers. */
interface RunningThread {
  readonly worker: Worker;
  readonly asked: PageAnswer[];
  watch: NodeJS.Timeout | null;
}

/**
 * Reads answers in a separate thread, which starts with the first one. When it dies, or takes longer than
 * READ_PAGE_MS_MAX for a page, its jobs fail, and the next request starts a new thread.
 */
export class ReadThread implements ReadHost {
  readonly #parts: ReadThreadParts;
  #running: RunningThread | null = null;
  #isClosed = false;

  constructor(parts: ReadThreadParts) {
    this.#parts = parts;
  }

  page(job: number, request: ReadRequest | null, answer: PageAnswer): void {
    if (this.#isClosed || (this.#running === null && request === null)) return queueMicrotask(() => answer(null));
    const running = (this.#running ??= this.#start());
    running.asked.push(answer);
    this.#watch(running);
    this.#post(running, { kind: 'page', job, request });
  }

  drop(job: number): void {
    if (this.#running !== null) this.#post(this.#running, { kind: 'drop', job });
  }

  /** Ends the thread. Remaining jobs fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const running = this.#running;
    if (running === null) return;
    const ended = new Promise<void>((resolve) => running.worker.once('exit', () => resolve()));
    this.#post(running, { kind: 'end' });
    await ended;
  }

  #post({ worker }: RunningThread, command: ReaderCommand): void {
    worker.postMessage(command);
  }

  #start(): RunningThread {
    const { entry, data, log } = this.#parts;
    const worker = new Worker(entry, { workerData: data });
    const running: RunningThread = { worker, asked: [], watch: null };
    worker.on('message', ({ page }: ReaderAnswer) => {
      const answer = running.asked.shift();
      this.#watch(running);
      answer?.(page);
    });
    worker.on('error', (error) => log.error({ err: error, thread: 'reader' }, 'thread died'));
    worker.once('exit', () => this.#onExit(running));
    return running;
  }

  /** Restarts the timeout for the next page. */
  #watch(running: RunningThread): void {
    if (running.watch !== null) clearTimeout(running.watch);
    running.watch = running.asked.length === 0 ? null : setTimeout(() => this.#onSilence(running), READ_PAGE_MS_MAX);
  }

  #onSilence({ worker }: RunningThread): void {
    this.#parts.log.error({ thread: 'reader' }, `no page within ${READ_PAGE_MS_MAX} ms; terminating the thread`);
    void worker.terminate();
  }

  #onExit(running: RunningThread): void {
    if (this.#running === running) this.#running = null;
    if (running.watch !== null) clearTimeout(running.watch);
    for (const answer of running.asked.splice(0)) answer(null);
  }
}
