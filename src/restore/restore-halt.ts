import type { AccountId } from '../domain/ids.js';
import type { InstrumentCatalogue } from '../domain/instrument.js';
import { VENUES } from '../domain/exchange.js';
import { EXCHANGE_CLOCK_GAP_MS_MAX, RECONCILE_CHECK_MS } from '../domain/limits/trading.js';
import { childRoomOf, type ReconciliationReport, type RestoreMark, type RestoreRecord } from '../domain/restore.js';
import type { Clock, EpochMs } from '../domain/time.js';
import type { TradingGate } from '../intake/trading-gate.js';
import type { StateReader } from '../journal/port.js';
import type { TradingStore } from '../keys/trading-store.js';
import { Reconciliation, type ReconciliationParts } from './reconciliation.js';

interface RestoreLog {
  info(message: string): void;
  info(context: object, message: string): void;
}

export interface RestoreHaltParts {
  readonly store: TradingStore;
  readonly main: {
    readonly trading: Pick<TradingGate, 'halt' | 'lift'>;
    readonly venues: ReconciliationParts['venueClient'];
    readonly orders: ReconciliationParts['gateway'];
  };
  readonly reader: StateReader;
  readonly catalogue: InstrumentCatalogue;
  /** Accounts that have a key. */
  readonly accounts: () => readonly AccountId[];
  /** Service time and its speed. */
  readonly clock: Clock;
  readonly speed: number;
  readonly isReady: () => boolean;
  readonly realNowMs: () => number;
  readonly monotonicMs: () => number;
  readonly log: RestoreLog;
}

/** Halts trading of a service on a restored directory, from its start until the operator resumes trading. */
export class RestoreHalt {
  readonly #parts: RestoreHaltParts;
  readonly #timer: NodeJS.Timeout | undefined;
  /** null: no restore halts trading. */
  #record: RestoreRecord | null;
  #reconciliation: Reconciliation | null = null;
  #report: ReconciliationReport | null = null;
  #written = '';

  /** Halts trading before any thread starts. */
  constructor(parts: RestoreHaltParts) {
    this.#parts = parts;
    const record = parts.store.restore();
    this.#record = record?.isHalted === true ? this.#withChildRoom(record) : null;
    if (this.#record === null) return;
    this.#halt(this.#record, 'its orders are being reconciled with the exchanges');
    this.#write({ ...NOTHING, epoch: this.#record.epoch, atMs: parts.realNowMs() });
    this.#timer = setInterval(() => this.#onTimer(), RECONCILE_CHECK_MS);
  }

  /** The restore, for the start of shards. null: nothing needs reconciliation. */
  get mark(): RestoreMark | null {
    return this.#record === null ? null : { epoch: this.#record.epoch, exempt: this.#record.exempt };
  }

  /** null: nothing needs reconciliation. */
  get report(): ReconciliationReport | null {
    return this.#record === null ? null : this.#report;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Applies what an operator has changed. Returns the record while trading is halted. */
  apply(): RestoreRecord | null {
    const { store, main, log } = this.#parts;
    const before = this.#record;
    const record = store.restore();
    if (before === null || record === null) return null;
    if (!record.isHalted) {
      log.info('trading is resumed');
      this.#record = null;
      clearInterval(this.#timer);
      main.trading.lift('RESTORED');
      return null;
    }
    this.#record = record;
    if (record.exempt.length !== before.exempt.length) this.#halt(record, this.#message());
    return record;
  }

  #onTimer(): void {
    const { log, isReady } = this.#parts;
    const record = this.apply();
    if (record === null || this.#report?.isComplete === true || !isReady()) return;
    this.#reconciliation ??= this.#begin(record);
    this.#reconciliation.step();
    this.#write(this.#reconciliation.report());
    if (!this.#report!.isComplete) return;
    const { adoptedCount, orphanCount } = this.#report!;
    log.info({ adoptedCount, orphanCount }, 'every order is reconciled with its exchanges: trading may be resumed');
    this.#halt(record, this.#message());
  }

  #message(): string {
    return this.#report?.isComplete === true
      ? 'every order is reconciled, and the operator has not resumed trading yet'
      : 'its orders are being reconciled with the exchanges';
  }

  #begin(record: RestoreRecord): Reconciliation {
    const { main, reader, catalogue, accounts, realNowMs, monotonicMs } = this.#parts;
    const names = new Set([...accounts(), ...reader.renewed().accountsWithOpenOrders()]);
    for (const name of record.exempt) names.delete(name);
    return new Reconciliation({
      epoch: record.epoch,
      childRoom: record.childRoom ?? 0,
      sinceMs: Math.max(0, record.backupServiceMs - EXCHANGE_CLOCK_GAP_MS_MAX) as EpochMs,
      accounts: [...names],
      venues: VENUES,
      catalogue,
      reader,
      venueClient: main.venues,
      gateway: main.orders,
      realNowMs,
      monotonicMs,
    });
  }

  #halt({ backupAtMs, epoch, exempt }: RestoreRecord, what: string): void {
    const message = `the data was restored from a backup of ${new Date(backupAtMs).toISOString()}; ${what}`;
    this.#parts.main.trading.halt({ reason: 'RESTORED', sinceMs: epoch, message, exempt });
  }

  /** Computes the child room once, so that a later start does not skip more numbers. */
  #withChildRoom(record: RestoreRecord): RestoreRecord {
    if (record.childRoom !== null) return record;
    const { store, clock, speed } = this.#parts;
    const { epoch, backupAtMs, backupServiceMs } = record;
    const lostMs = backupServiceMs === 0 ? 0 : clock.nowMs() - backupServiceMs;
    const childRoom = childRoomOf(Math.max(lostMs, (epoch - backupAtMs) * speed));
    store.keepChildRoom(childRoom);
    return { ...record, childRoom };
  }

  /** Writes only changes, because each write is synced. */
  #write(report: ReconciliationReport): void {
    this.#report = report;
    const text = JSON.stringify({ ...report, atMs: 0 });
    if (text === this.#written) return;
    this.#written = text;
    this.#parts.store.writeReport(report);
  }
}

const NOTHING = {
  isComplete: false,
  accounts: [],
  adoptedCount: 0,
  orphanCount: 0,
  openOrphanCount: 0,
  orphans: [],
};
