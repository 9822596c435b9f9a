import { FairQueue } from '../domain/queues.js';
import { REPLAY_STEPS_PER_TURN_MAX, REPLAY_TURN_MS_MAX } from '../domain/limits/clients.js';
import type { Timers } from './port.js';

/** Work in bounded steps. */
export interface PumpTask {
  /** The account of the work. Accounts are served in turn. */
  readonly owner: string;
  /** One step; true when there is more work. It ends early, after at least one frame, when `hasTime` is false. */
  step(hasTime: () => boolean): boolean;
  /** A step failed; no other step follows. */
  abort(): void;
}

/**
 * Reads the journal for at most REPLAY_TURN_MS_MAX in each turn of the event loop: account after account, and within an
 * account task after task. A long replay delays other work of the thread by one turn at most.
 */
export class Pump {
  readonly #timers: Timers;
  readonly #onFault: (error: unknown) => void;
  readonly #tasks = new FairQueue<string, PumpTask>();
  #isScheduled = false;

  constructor(timers: Timers, onFault: (error: unknown) => void) {
    this.#timers = timers;
    this.#onFault = onFault;
  }

  /** A task that already waits is not added twice. */
  add(task: PumpTask): void {
    this.#tasks.add(task.owner, task);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#tasks.isEmpty) return;
    this.#isScheduled = true;
    this.#timers.soon(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    const endMs = this.#timers.nowMs() + REPLAY_TURN_MS_MAX;
    const hasTime = (): boolean => this.#timers.nowMs() < endMs;
    for (let steps = 0; steps < REPLAY_STEPS_PER_TURN_MAX && hasTime(); steps += 1) {
      const task = this.#tasks.take();
      if (task === undefined) break;
      if (this.#step(task, hasTime)) this.#tasks.add(task.owner, task);
    }
    this.#schedule();
  }

  #step(task: PumpTask, hasTime: () => boolean): boolean {
    try {
      return task.step(hasTime);
    } catch (error) {
      this.#onFault(error);
      task.abort();
      return false;
    }
  }
}
