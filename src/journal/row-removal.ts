import { RETENTION_BATCH_ROWS, RETENTION_PAUSE_MS } from '../model/limits.js';
import type { StateTables, Table } from './state-tables.js';

export interface RowAddress {
  readonly table: Table;
  readonly key: Buffer;
}

/** Removes rows in small transactions with a pause after each: the shards need the same lock for their turns. */
export class RowRemoval {
  readonly #root: StateTables['root'];

  constructor({ root }: StateTables) {
    this.#root = root;
  }

  async remove(rows: readonly RowAddress[]): Promise<void> {
    for (let from = 0; from < rows.length; from += RETENTION_BATCH_ROWS) {
      this.#root.transactionSync(() => {
        for (const { table, key } of rows.slice(from, from + RETENTION_BATCH_ROWS)) table.removeSync(key);
      });
      await new Promise((resolve) => {
        setTimeout(resolve, RETENTION_PAUSE_MS);
      });
    }
  }
}
