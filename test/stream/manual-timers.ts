import type { Timers } from '../../src/stream/port.js';

/** Time that moves when the test says so. */
export class ManualTimers implements Timers {
  #nowMs = 0;
  #waiting: { readonly atMs: number; readonly run: () => void }[] = [];
  #soon: (() => void)[] = [];

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): void {
    this.#waiting.push({ atMs: this.#nowMs + delayMs, run });
  }

  soon(run: () => void): void {
    this.#soon.push(run);
  }

  every(): () => void {
    return () => {};
  }

  /** Lets time pass; what is due runs. */
  pass(spanMs: number): void {
    this.#nowMs += spanMs;
    const due = this.#waiting.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#waiting = this.#waiting.filter(({ atMs }) => atMs > this.#nowMs);
    for (const { run } of due) run();
  }

  /** One turn of the loop; false when there was nothing to do. */
  turn(): boolean {
    const due = this.#soon;
    this.#soon = [];
    for (const run of due) run();
    return due.length > 0;
  }

  /** Turns and time until nothing is left to do. */
  settle(): void {
    for (let rounds = 0; rounds < 10_000; rounds += 1) {
      if (this.turn()) continue;
      if (this.#waiting.length === 0) return;
      this.pass(1);
    }
    throw new Error('the timers never come to rest');
  }
}
