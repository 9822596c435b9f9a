import type { AccountId } from '../../model/ids.js';
import type { ReconciliationReport, RestoreRecord } from '../../model/restore.js';
import type { Table } from './database.js';

const RESTORE = 'restore';
const REPORT = 'report';

/** What a restore has left to be done, on disk for the service and the operator's commands alike. */
export class TradingStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  /** The last restore of this directory, whether its halt has ended or not; null: it was never restored. */
  restore(): RestoreRecord | null {
    return this.#read<RestoreRecord>(RESTORE);
  }

  /** How far the reconciliation is, by the service that runs or ran last; null: none has begun. */
  report(): ReconciliationReport | null {
    return this.#read<ReconciliationReport>(REPORT);
  }

  /** Marks the directory as restored. On disk when it returns. */
  begin(record: RestoreRecord): void {
    this.#table.transactionSync(() => {
      this.#table.putSync(RESTORE, encode(record));
      this.#table.removeSync(REPORT);
    });
  }

  /** Keeps the service time from which child numbers are reckoned, once it is known. On disk when it returns. */
  keepChildRoom(childRoom: number): void {
    this.#change((record) => ({ ...record, childRoom }));
  }

  /** Ends the halt, of one account or of all. On disk when it returns. */
  resume(account: AccountId | null): void {
    this.#change((record) =>
      account === null
        ? { ...record, isHalted: false }
        : { ...record, exempt: [...record.exempt.filter((one) => one !== account), account] },
    );
  }

  writeReport(report: ReconciliationReport): void {
    this.#table.putSync(REPORT, encode(report));
  }

  #change(change: (record: RestoreRecord) => RestoreRecord): void {
    this.#table.transactionSync(() => {
      const bytes = this.#table.get(RESTORE);
      if (bytes !== undefined) this.#table.putSync(RESTORE, encode(change(decode(bytes))));
    });
  }

  #read<Row>(key: string): Row | null {
    this.#table.resetReadTxn();
    const bytes = this.#table.get(key);
    return bytes === undefined ? null : decode<Row>(bytes);
  }
}

function encode(row: object): Buffer {
  return Buffer.from(JSON.stringify(row));
}

function decode<Row>(bytes: Buffer): Row {
  return JSON.parse(bytes.toString()) as Row;
}
