import { FairQueue } from '../model/fair-queue.js';
import { REPLAY_STEPS_PER_TURN_MAX, REPLAY_TURN_MS_MAX } from '../model/limits.js';
import type { Timers } from './port.js';

/** Work that is done in bounded steps. */
export interface PumpTask {
  /** The account that the work is done for: accounts are served in turn. */
  readonly owner: string;
  /** One step; true when there is more to do at once. It ends early, after one frame or more, when `hasTime` is false. */
  step(hasTime: () => boolean): boolean;
  /** A step failed: there will be no other. */
  abort(): void;
}

/**
 * Reads the journal a little in each turn of the loop: for REPLAY_TURN_MS_MAX, account after account, and within an
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
