import type { AccountId } from '../../model/ids.js';
import type { Table } from './database.js';

/** When an account's orders are to be cancelled unless that is put off: real time, epoch milliseconds. */
export class CancelSwitches {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  *load(): Iterable<readonly [AccountId, number]> {
    for (const { key, value } of this.#table.getRange()) yield [key as AccountId, Number(value.toString())];
  }

  /** null: it is off. Calls back once that is on disk, in the order of the calls. */
  put(account: AccountId, triggerAtMs: number | null, onDisk: () => void): void {
    const written =
      triggerAtMs === null ? this.#table.remove(account) : this.#table.put(account, Buffer.from(String(triggerAtMs)));
    void written.then(() => onDisk());
  }
}
