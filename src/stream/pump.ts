import { REPLAY_STEPS_PER_TURN_MAX } from '../model/limits.js';
import type { Timers } from './port.js';

/** Work that is done in bounded steps. */
export interface PumpTask {
  /** One step; true when there is more to do at once. */
  step(): boolean;
  /** A step failed: there will be no other. */
  abort(): void;
}

/** Does the reading of the journal a little in each turn of the loop, task after task, so that nobody waits for a long replay. */
export class Pump {
  readonly #timers: Timers;
  readonly #onFault: (error: unknown) => void;
  readonly #tasks = new Set<PumpTask>();
  #isScheduled = false;

  constructor(timers: Timers, onFault: (error: unknown) => void) {
    this.#timers = timers;
    this.#onFault = onFault;
  }

  /** A task that already waits is not added twice. */
  add(task: PumpTask): void {
    this.#tasks.add(task);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#tasks.size === 0) return;
    this.#isScheduled = true;
    this.#timers.soon(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    let steps = 0;
    for (const task of this.#tasks) {
      if (steps === REPLAY_STEPS_PER_TURN_MAX) break;
      steps += 1;
      this.#tasks.delete(task);
      if (this.#step(task)) this.#tasks.add(task);
    }
    this.#schedule();
  }

  #step(task: PumpTask): boolean {
    try {
      return task.step();
    } catch (error) {
      this.#onFault(error);
      task.abort();
      return false;
    }
  }
}
