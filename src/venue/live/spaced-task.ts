import type { EpochMs } from '../../domain/time.js';

/** A task that many events ask for and that runs at most once in a gap. Each request is followed by a run. */
export class SpacedTask {
  readonly #run: () => unknown;
  readonly #gapMs: number;
  readonly #nowMs: () => EpochMs;
  #timer: NodeJS.Timeout | null = null;
  #ranAtMs = -Infinity;
  #isClosed = false;

  /** `gapMs`: least time between the starts of two runs. */
  constructor(run: () => unknown, gapMs: number, nowMs: () => EpochMs) {
    this.#run = run;
    this.#gapMs = gapMs;
    this.#nowMs = nowMs;
  }

  /** Runs the task soon: at once, or when the gap has passed. */
  soon(): void {
    const waitMs = this.#ranAtMs + this.#gapMs - this.#nowMs();
    if (this.#isClosed || (this.#timer !== null && waitMs > 0)) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#start(), Math.min(Math.max(0, waitMs), this.#gapMs));
  }

  /** The task has begun in another way. */
  began(): void {
    this.#ranAtMs = this.#nowMs();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #start(): void {
    this.#timer = null;
    this.began();
    this.#run();
  }
}
