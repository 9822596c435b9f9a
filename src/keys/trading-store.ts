import type { CancelAllAfterTimer } from '../domain/command.js';
import type { ChildSettlement } from '../domain/child-settlement.js';
import { type AccountId, childClientId, type OrderId } from '../domain/ids.js';
import type { ReconciliationReport, RestoreRecord } from '../domain/restore.js';
import type { SessionRecord } from '../domain/session.js';
import type { KeyTable } from './database.js';

const RESTORE = 'restore';
const REPORT = 'report';

/** State of an unfinished restore, on disk for the service and for the operator's commands. */
export class TradingStore {
  readonly #table: KeyTable;

  constructor(table: KeyTable) {
    this.#table = table;
  }

  /** The last restore of this directory, also when its halt has ended; null: it was never restored. */
  restore(): RestoreRecord | null {
    return this.#read<RestoreRecord>(RESTORE);
  }

  /** Progress of the reconciliation in the current or last run of the service; null: it has not begun. */
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

  /** Stores the number of child numbers to skip, once it is known. On disk when it returns. */
  keepChildRoom(childRoom: number): void {
    this.#change((record) => ({ ...record, childRoom }));
  }

  /** Ends the halt of one account or of all. On disk when it returns. */
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

/** Rows by key. */
class StoredRows<Key extends string, Row extends object> {
  readonly #table: KeyTable;

  constructor(table: KeyTable) {
    this.#table = table;
  }

  *load(): Iterable<readonly [Key, Row]> {
    for (const { key, value } of this.#table.getRange()) yield [key as Key, decode<Row>(value)];
  }

  /** null: removes the row. Calls back once it is on disk, in the order of the calls. */
  put(key: Key, row: Row | null, onDisk: () => void): void {
    const written = row === null ? this.#table.remove(key) : this.#table.put(key, encode(row));
    void written.then(() => onDisk());
  }
}

/** The cancel-all-after timers of accounts. */
export class CancelAllAfterTimers extends StoredRows<AccountId, CancelAllAfterTimer> {}

/** The sessions with cancel_on_disconnect, by session id. */
export class SessionRecords extends StoredRows<string, SessionRecord> {}

/**
 * Settlements of children that an operator requested and that are not carried out yet. The latest one of a child
 * counts.
 */
export class ChildSettlements {
  readonly #table: KeyTable;

  constructor(table: KeyTable) {
    this.#table = table;
  }

  /** On disk when it returns. */
  ask(settlement: ChildSettlement): void {
    this.#table.putSync(childClientId(settlement.orderId, settlement.child), encode(settlement));
  }

  /** Requests that are not carried out yet. */
  pending(): readonly ChildSettlement[] {
    this.#table.resetReadTxn();
    return [...this.#table.getRange()].map(({ value }) => decode<ChildSettlement>(value));
  }

  /** Removes a request: it is carried out, or there is nothing to settle. A later request of the same child stays. */
  settle(settlement: ChildSettlement): void {
    const key = childClientId(settlement.orderId, settlement.child);
    const settled = encode(settlement);
    void this.#table.transaction(() => {
      if (this.#table.get(key)?.equals(settled) === true) void this.#table.remove(key);
    });
  }
}

/** Releases of quarantined orders that an operator requested and that are not carried out yet. */
export class QuarantineReleases {
  readonly #table: KeyTable;

  constructor(table: KeyTable) {
    this.#table = table;
  }

  /** On disk when it returns. A second request changes nothing. */
  ask(orderId: OrderId, nowMs: number): void {
    this.#table.transactionSync(() => {
      const key = String(orderId);
      if (this.#table.get(key) === undefined) this.#table.putSync(key, Buffer.from(String(nowMs)));
    });
  }

  /** Requests that are not carried out yet. */
  pending(): readonly OrderId[] {
    this.#table.resetReadTxn();
    return [...this.#table.getKeys()].map((key) => Number(key) as OrderId);
  }

  /** Removes a request: the release is carried out, or there is nothing to release. */
  settle(orderId: OrderId): void {
    void this.#table.remove(String(orderId));
  }
}
