/**
 * Runs functions at the end of a turn of the event loop, when it has read from its sockets. What one of them adds runs
 * in the same turn: creates that begin here wake the journal thread without another turn.
 */
export class TurnEnd {
  #waiting: (() => void)[] = [];

  /**
   * Runs `run` once, after the functions that were added before it. An exception is not caught: it ends the process.
   */
  readonly add = (run: () => void): void => {
    if (this.#waiting.push(run) === 1) setImmediate(this.#runAll);
  };

  readonly #runAll = (): void => {
    // The list may grow meanwhile.
    for (const run of this.#waiting) run();
    this.#waiting = [];
  };
}
