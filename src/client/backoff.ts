const FIRST_MS = 100;
const LAST_MS = 5_000;

/** Doubling delays from 100 ms to 5 s, spread by chance so that clients do not come back in step. */
export class Backoff {
  #failures = 0;

  /** Milliseconds to wait before the next attempt. `chance` is in [0, 1). */
  nextMs(chance: number): number {
    const ceilingMs = Math.min(LAST_MS, FIRST_MS * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    return ceilingMs * (0.5 + chance / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}
