import type { Timers } from '../../src/stream/port.js';

/** Timers whose time the test moves. */
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

  /** Advances the time and runs the due timers. */
  pass(spanMs: number): void {
    this.#nowMs += spanMs;
    const due = this.#waiting.filter(({ atMs }) => atMs <= this.#nowMs);
    this.#waiting = this.#waiting.filter(({ atMs }) => atMs > this.#nowMs);
    for (const { run } of due) run();
  }

  /** Runs one turn of the event loop; false when it had no work. */
  turn(): boolean {
    const due = this.#soon;
    this.#soon = [];
    for (const run of due) run();
    return due.length > 0;
  }

  /** Runs turns and timers until no work is left. */
  settle(): void {
    for (let rounds = 0; rounds < 10_000; rounds += 1) {
      if (this.turn()) continue;
      if (this.#waiting.length === 0) return;
      this.pass(1);
    }
    throw new Error('the timers never end');
  }
}
