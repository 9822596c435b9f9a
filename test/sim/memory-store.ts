import type { VenueRow, VenueStore } from '../../src/venue/port.js';

/** A store in memory, for tests and simulations. */
export class MemoryVenueStore implements VenueStore {
  readonly #rows = new Map<string, Uint8Array>();

  get(key: string): Uint8Array | undefined {
    return this.#rows.get(key);
  }

  *range(prefix: string, after = ''): Generator<{ key: string; value: Uint8Array }> {
    const keys = [...this.#rows.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    for (const key of keys) yield { key, value: this.#rows.get(key)! };
  }

  commit(rows: readonly VenueRow[]): void {
    for (const { key, value } of rows) {
      if (value === null) this.#rows.delete(key);
      else this.#rows.set(key, value);
    }
  }

  /** Keeps the rows, so a test can reopen the store like a restarted process. */
  close(): void {}
}
