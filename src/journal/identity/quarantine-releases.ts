import type { OrderId } from '../../model/ids.js';
import type { Table } from './database.js';

/** Releases of quarantined orders that an operator asked for and that are not carried out yet. */
export class QuarantineReleases {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** On disk when it returns. Asked twice: nothing changes. */
  ask(orderId: OrderId, nowMs: number): void {
    this.#table.transactionSync(() => {
      const key = String(orderId);
      if (this.#table.get(key) === undefined) this.#table.putSync(key, Buffer.from(String(nowMs)));
    });
  }

  /** Those asked for by any process. */
  pending(): readonly OrderId[] {
    this.#table.resetReadTxn();
    return [...this.#table.getKeys()].map((key) => Number(key) as OrderId);
  }

  /** The release is carried out, or there is nothing to release. */
  settle(orderId: OrderId): void {
    void this.#table.remove(String(orderId));
  }
}
