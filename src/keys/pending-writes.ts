import type { Database } from 'lmdb';

/** The methods of a database that write asynchronously. */
type Writer = Pick<Database, 'transaction' | 'put' | 'remove'>;
type Write = (...args: unknown[]) => Promise<unknown>;

const ASYNCHRONOUS = ['transaction', 'put', 'remove'] as const;

/** Follows the asynchronous writes of databases, so that a process does not exit during one. */
export class PendingWrites {
  readonly #pending = new Set<Promise<unknown>>();

  constructor(databases: readonly Writer[]) {
    for (const database of databases) {
      for (const name of ASYNCHRONOUS) {
        const write = database[name].bind(database) as Write;
        database[name] = ((...args: unknown[]) => this.#noted(write(...args))) as never;
      }
    }
  }

  /**
   * Resolves when no asynchronous write is pending. null: none is. The thread that writes waits for the event loop of
   * this one, and Node joins it at an exit: an exit during such a write would never end.
   */
  settled(): Promise<void> | null {
    return this.#pending.size === 0 ? null : this.#allSettled();
  }

  async #allSettled(): Promise<void> {
    // A write may begin while others are waited for.
    // oxlint-disable-next-line no-await-in-loop
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  #noted(write: Promise<unknown>): Promise<unknown> {
    this.#pending.add(write);
    const forget = (): void => void this.#pending.delete(write);
    write.then(forget, forget);
    return write;
  }
}
