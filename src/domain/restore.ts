import type { Venue } from './exchange.js';
import type { AccountId } from './ids.js';
import { CHILD_NUMBERS_BURST_COUNT, CHILD_NUMBERS_PER_SECOND } from './limits/trading.js';
/** A restore of a data directory from a backup. */
export interface RestoreRecord {
  /** Larger than that of every earlier restore of this data: real time of the restore, epoch milliseconds. */
  readonly epoch: number;
  /** Real time of the backup, epoch milliseconds. */
  readonly backupAtMs: number;
  /**
   * Service time of the backup's last event. The exchanges are asked for the changes since then. When the backup was
   * made during an unfinished restore, this is the time of the earlier backup.
   */
  readonly backupServiceMs: number;
  /** Child numbers that each order skips; null before the first start. */
  readonly childRoom: number | null;
  readonly isHalted: boolean;
  /** Accounts whose halt has ended. */
  readonly exempt: readonly AccountId[];
}

/** The part of an unfinished restore that a shard needs. */
export interface RestoreMark {
  readonly epoch: number;
  /** Accounts that are reconciled and trade again. */
  readonly exempt: readonly AccountId[];
}

/** An order at an exchange whose parent order the backup does not know. */
export interface Orphan {
  readonly account: AccountId;
  readonly venue: Venue;
  /** `<parent id>-<child number>` */
  readonly clientId: string;
  readonly symbol: string;
  readonly side: string;
  /** Decimal text in base units. */
  readonly quantity: string;
  readonly filled: string;
  /** The latest state at the exchange. */
  readonly state: 'OPEN' | 'FILLED' | 'CANCELLED';
}

/** Progress of the reconciliation of one account. */
export interface AccountReconciliation {
  readonly account: AccountId;
  readonly isComplete: boolean;
  readonly openOrders: number;
  /** The number of these that are not reconciled yet. */
  readonly waitingOrders: number;
  /** Exchanges with incomplete order lists, and the reason. */
  readonly waitingVenues: readonly { readonly venue: Venue; readonly why: string }[];
}

/** Progress of the reconciliation. */
export interface ReconciliationReport {
  readonly epoch: number;
  /** Real time, epoch milliseconds. */
  readonly atMs: number;
  readonly isComplete: boolean;
  readonly accounts: readonly AccountReconciliation[];
  readonly adoptedCount: number;
  readonly orphanCount: number;
  readonly openOrphanCount: number;
  /** At most ORPHANS_SHOWN_MAX of them. */
  readonly orphans: readonly Orphan[];
}

/**
 * The record of a new restore. `before`: the record in the backup; null: its data was never restored.
 * `backupServiceMs`: service time of the backup's last event.
 */
export function restoreRecord(
  before: RestoreRecord | null,
  { nowMs, backupAtMs, backupServiceMs }: { nowMs: number; backupAtMs: number; backupServiceMs: number },
): RestoreRecord {
  const epoch = Math.max(nowMs, (before?.epoch ?? 0) + 1);
  const unreconciledMs = before?.isHalted === true ? before.backupServiceMs : backupServiceMs;
  const sinceMs = Math.min(unreconciledMs, backupServiceMs);
  return { epoch, backupAtMs, backupServiceMs: sinceMs, childRoom: null, isHalted: true, exempt: [] };
}

/**
 * Number of child numbers that a restore skips in each leg. The lost continuation of the data, or another restore of
 * the same backup, has used fewer since the backup. `elapsedServiceMs`: between backup and restore.
 */
export function childRoomOf(elapsedServiceMs: number): number {
  return CHILD_NUMBERS_BURST_COUNT + CHILD_NUMBERS_PER_SECOND * Math.ceil(Math.max(0, elapsedServiceMs) / 1000);
}
