import * as lmdb from 'lmdb';
import type { RangeOptions, RootDatabase, Transaction } from 'lmdb';
import type { Table } from './state-tables.js';

interface NativeTransaction extends Transaction {
  readonly address: number;
}

const { nativeAddon } = lmdb as unknown as { nativeAddon: { resetTxn(address: number): void } };

/**
 * Reads for a thread whose event loop never turns. lmdb-js gives a snapshot back in a timer, and sets one for every
 * new snapshot: in a shard these would never fire, pile up, and pin the pages of the first read for ever. So the shard
 * reads with a transaction of its own, which takes the newest snapshot with the next read after it was reset.
 */
export class ThreadSnapshot {
  readonly #transaction: NativeTransaction;

  constructor(root: RootDatabase<Buffer, Buffer>) {
    this.#transaction = root.useReadTransaction() as NativeTransaction;
    // Detaches it from the environment's own handling: it stays ours until `close`.
    root.resetReadTxn();
    this.#release();
  }

  get(table: Table, key: Buffer): Buffer | undefined {
    const value = table.get(key, { transaction: this.#transaction });
    this.#release();
    return value;
  }

  /** All of them, or those of a range. */
  keys(table: Table, range: RangeOptions = {}): Buffer[] {
    const keys = [...table.getKeys({ ...range, transaction: this.#transaction })];
    this.#release();
    return keys;
  }

  close(): void {
    this.#transaction.done();
  }

  #release(): void {
    nativeAddon.resetTxn(this.#transaction.address);
  }
}
