/** Counts the calls that still wait for their answer, so that a shutdown can let them finish. */
export class OpenCalls {
  #count = 0;
  #onDrained: (() => void) | null = null;

  readonly opened = (): void => {
    this.#count += 1;
  };

  readonly over = (): void => {
    this.#count -= 1;
    if (this.#count === 0) this.#onDrained?.();
  };

  /** Resolves when no call is open, at the latest after `waitMs` of real time. */
  drained(waitMs: number): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.#onDrained = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
