import type { Venue } from './exchange.js';
import type { AccountId } from './ids.js';
import { CHILD_NUMBERS_BURST_COUNT, CHILD_NUMBERS_PER_SECOND } from './limits.js';

/** A restore of a data directory from a backup. */
export interface RestoreRecord {
  /** Above that of every earlier restore of this data: real time of the restore, epoch milliseconds. */
  readonly epoch: number;
  /** Real time of the backup, epoch milliseconds. */
  readonly backupAtMs: number;
  /**
   * Service time of the backup's last event. Of an earlier backup when the backup was made while the restore from that one
   * had not ended: the exchanges are asked for the changes since then.
   */
  readonly backupServiceMs: number;
  /** Numbers that each order's next children leave out; null before the first start. */
  readonly childRoom: number | null;
  readonly isHalted: boolean;
  /** Accounts whose halt has ended already. */
  readonly exempt: readonly AccountId[];
}

/** What a shard needs to know of a restore that is not over. */
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
  /** As the exchange had it last. */
  readonly state: 'OPEN' | 'FILLED' | 'CANCELLED';
}

/** What an account still waits for. */
export interface AccountReconciliation {
  readonly account: AccountId;
  readonly isComplete: boolean;
  readonly openOrders: number;
  /** Of these, how many are not reconciled yet. */
  readonly waitingOrders: number;
  /** Exchanges that have not told all, and why. */
  readonly waitingVenues: readonly { readonly venue: Venue; readonly why: string }[];
}

/** How far the reconciliation is. */
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
 * The record of a restore that begins. `before`: the record in the backup, null when its data was never restored.
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
 * How many child numbers of each leg a restore leaves out. A future that was lost, or that another restore of the same
 * backup begins, has used fewer since the backup. `elapsedServiceMs`: between backup and restore.
 */
export function childRoomOf(elapsedServiceMs: number): number {
  return CHILD_NUMBERS_BURST_COUNT + CHILD_NUMBERS_PER_SECOND * Math.ceil(Math.max(0, elapsedServiceMs) / 1000);
}
