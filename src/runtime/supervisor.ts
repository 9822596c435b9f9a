import { type ResourceLimits, Worker } from 'node:worker_threads';
import { WORKER_DEATHS_MAX, WORKER_DEATHS_WINDOW_MS } from '../domain/limits/process.js';
import type { WorkerNotice } from '../wire/worker-data.js';

/** Notifications about workers, by name. */
export interface SupervisorEvents {
  /** The thread has started and has recovered its orders. */
  onReady(name: string, openParents: number): void;
  /** The thread has ended without a request. It is started again unless `onFatal` follows. */
  onDown(name: string, reason: string): void;
  /** The process must stop: a restart cannot repair the failure, or too many threads have died. */
  onFatal(name: string, reason: string): void;
}

export interface WorkerPlan {
  readonly name: string;
  readonly entry: URL;
  /** Called at every start, so that a restart gets new memory. */
  readonly data: () => unknown;
  /** Called when the thread has died. False: the process must stop. Default: true. */
  readonly isRestartable?: () => boolean;
  /** Bounds of its memory. A thread that needs more dies, and is started again. Default: none. */
  readonly resourceLimits?: ResourceLimits;
}

interface Watched {
  readonly plan: WorkerPlan;
  worker: Worker;
  isEnding: boolean;
  /** The reason of its end, if known. */
  reason: string;
}

/** Starts the worker threads, and restarts one that dies. Gives up when threads die too often. */
export class Supervisor {
  readonly #events: SupervisorEvents;
  readonly #nowRealMs: () => number;
  readonly #workers = new Map<string, Watched>();
  readonly #deathsAtMs: number[] = [];

  constructor(events: SupervisorEvents, nowRealMs: () => number) {
    this.#events = events;
    this.#nowRealMs = nowRealMs;
  }

  start(plan: WorkerPlan): void {
    const worker = new Worker(plan.entry, {
      workerData: plan.data(),
      name: plan.name,
      ...(plan.resourceLimits !== undefined && { resourceLimits: plan.resourceLimits }),
    });
    const watched: Watched = { plan, worker, isEnding: false, reason: 'it ended' };
    this.#workers.set(plan.name, watched);
    worker.on('message', (notice: WorkerNotice) => {
      if (notice.kind === 'ready') return this.#events.onReady(plan.name, notice.openParents);
      watched.reason = notice.reason;
      if (notice.isFatal) this.#events.onFatal(plan.name, notice.reason);
    });
    worker.on('error', (error) => {
      watched.reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    });
    worker.on('exit', () => {
      if (!watched.isEnding) this.#onDeath(watched);
    });
  }

  /** Marks the named worker's end as expected. Resolves when its thread has ended. */
  expectEnd(name: string): Promise<void> {
    const watched = this.#workers.get(name);
    if (watched === undefined) return Promise.resolve();
    watched.isEnding = true;
    this.#workers.delete(name);
    return new Promise((resolve) => {
      if (watched.worker.threadId === -1) resolve();
      else watched.worker.once('exit', () => resolve());
    });
  }

  /** Terminates a thread that hangs anywhere. It is started again. */
  terminate(name: string, reason: string): void {
    const watched = this.#workers.get(name);
    if (watched === undefined) return;
    watched.reason = reason;
    void watched.worker.terminate();
  }

  /** Requests the end of a thread with an event loop by a message. Resolves when it has ended. */
  end(name: string): Promise<void> {
    this.#workers.get(name)?.worker.postMessage('end');
    return this.expectEnd(name);
  }

  #onDeath({ plan, reason }: Watched): void {
    this.#workers.delete(plan.name);
    this.#events.onDown(plan.name, reason);
    if (plan.isRestartable?.() === false) return this.#events.onFatal(plan.name, reason);
    const nowMs = this.#nowRealMs();
    this.#deathsAtMs.push(nowMs);
    while ((this.#deathsAtMs[0] ?? nowMs) < nowMs - WORKER_DEATHS_WINDOW_MS) this.#deathsAtMs.shift();
    if (this.#deathsAtMs.length > WORKER_DEATHS_MAX) {
      const deaths = `${this.#deathsAtMs.length} workers died within ${WORKER_DEATHS_WINDOW_MS / 1000} s`;
      this.#events.onFatal(plan.name, `${deaths}; the last one: ${reason}`);
      return;
    }
    this.start(plan);
  }
}
