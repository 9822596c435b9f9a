import type { KeyTable } from '../../src/keys/database.js';

/** Callbacks of writes that are on disk. They run in a later turn of the loop. */
type Later = (run: () => void) => void;

/** A table of the identity store in memory. It outlives every simulated process. */
export class MemoryTable {
  readonly #rows: Map<string, Buffer>;
  readonly #later: Later;

  /** `rows` outlive the process that writes them. */
  constructor(later: Later, rows: Map<string, Buffer>) {
    this.#later = later;
    this.#rows = rows;
  }

  /** The part of an LMDB table that the stores use. */
  get table(): KeyTable {
    const written = (write: () => void) => {
      write();
      // oxlint-disable-next-line unicorn/no-thenable -- a promise would resolve outside the simulated time
      return { then: (done: () => void) => this.#later(done) };
    };
    const table = {
      get: (key: string) => this.#rows.get(key),
      getRange: () =>
        [...this.#rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([key, value]) => ({ key, value })),
      getKeys: () => this.#rows.keys(),
      put: (key: string, value: Buffer) => written(() => this.#rows.set(key, value)),
      remove: (key: string) => written(() => this.#rows.delete(key)),
      putSync: (key: string, value: Buffer) => void this.#rows.set(key, value),
      removeSync: (key: string) => this.#rows.delete(key),
      transactionSync: <Result>(run: () => Result) => run(),
      transaction: (run: () => void) => written(run),
      resetReadTxn: () => undefined,
    };
    return table as unknown as KeyTable;
  }
}
