import { openRestored, type StoredRiskLimits, type StoredKillSwitch, type ListedKey } from '../../runtime/identity.js';
import { backupTakenAtMs, restoreData } from '../../journal/backup.js';
import { renewClock } from '../../storage/clock-record.js';
import { markFinished } from '../../storage/data-directory.js';
import { readBackupOrders } from '../../journal/state/stored-orders.js';
import { ORDER_HISTORY_DAYS, ORDER_HISTORY_MS } from '../../domain/limits/trading.js';
import { restoreRecord } from '../../domain/restore.js';
import type { SessionRecord } from '../../domain/session.js';
import { audit, operatorName } from '../../admin/admin-site.js';
import { describeRiskLimits } from '../../admin/risk-limit-operations.js';
import { currentOperator } from '../../storage/audit-log.js';

export const KEY_CHOICES = ['suspend', 'keep', 'revoke-all'] as const;
export const KILL_SWITCH_CHOICES = ['keep', 'engage-all'] as const;
export const TIMER_CHOICES = ['drop', 'keep'] as const;

/** Decisions about contents of the backup that may be out of date. */
export interface RestoreChoices {
  /** suspend: the service refuses each key until the operator confirms it. */
  readonly keys: (typeof KEY_CHOICES)[number];
  /** engage-all: also engages the kill switch of the whole service. */
  readonly killSwitches: (typeof KILL_SWITCH_CHOICES)[number];
  /**
   * Cancel-all-after timers and sessions with cancel_on_disconnect. A kept timer whose time has passed fires at the
   * start; the orders of a kept session are cancelled after the start unless it is resumed.
   */
  readonly timers: (typeof TIMER_CHOICES)[number];
}

/** Keeps keys revoked after the backup out of use, and lets no old timer or session cancel orders. */
export const SAFE_CHOICES: RestoreChoices = { keys: 'suspend', killSwitches: 'keep', timers: 'drop' };

/** Contents of a backup that may be out of date. Times are real time, epoch milliseconds. */
export interface RestoreSummary {
  readonly backupAtMs: number;
  readonly ageMs: number;
  /** Keys that are not revoked in the backup. */
  readonly keys: readonly ListedKey[];
  readonly riskLimits: readonly { readonly account: string; readonly apiKey: string | null; readonly rules: object }[];
  readonly killSwitches: readonly { readonly account: string | null; readonly engagedAtMs: number }[];
  readonly timers: readonly { readonly account: string; readonly triggerAtMs: number }[];
  /** Sessions with cancel_on_disconnect. */
  readonly sessions: readonly { readonly account: string; readonly count: number }[];
  readonly openOrders: readonly { readonly account: string; readonly count: number }[];
}

/**
 * Copies a backup to an empty or absent data directory and lists its contents. No service starts on the directory
 * before `finishRestore`. Rejects with an error whose message is for the operator.
 */
export async function restoreBackup(source: string, dataDir: string): Promise<RestoreSummary> {
  const nowMs = Date.now();
  const backupAtMs = backupTakenAtMs(source);
  const ageMs = nowMs - backupAtMs;
  if (ageMs > ORDER_HISTORY_MS) {
    throw new Error(
      `the backup is from ${new Date(backupAtMs).toISOString()}; the exchanges know ended orders for ` +
        `${ORDER_HISTORY_DAYS} days, so an older backup cannot be reconciled with them`,
    );
  }
  await restoreData(source, dataDir);
  const { openCounts } = await readBackupOrders(dataDir);
  const identity = openRestored(dataDir);
  try {
    const rows = identity.riskLimits.rows();
    return {
      backupAtMs,
      ageMs,
      keys: identity.keys.list().filter(({ revokedAtMs }) => revokedAtMs === null),
      riskLimits: rows.filter((row) => row.kind === 'limits').map(shownRiskLimits),
      killSwitches: rows.filter((row) => row.kind === 'killSwitch').map(shownKillSwitch),
      timers: [...identity.timers.load()].map(([account, { triggerAtMs }]) => ({ account, triggerAtMs })),
      sessions: countedByAccount(identity.sessions.load()),
      openOrders: [...openCounts].map(([account, count]) => ({ account, count })),
    };
  } finally {
    await identity.close();
  }
}

/**
 * Applies the choices and marks the directory as restored, so that the service starts halted. Durable on resolve.
 * `reason`: the operator's words for the audit log.
 */
export async function finishRestore(
  source: string,
  dataDir: string,
  choices: RestoreChoices,
  reason?: string,
): Promise<void> {
  const nowMs = Date.now();
  const backupAtMs = backupTakenAtMs(source);
  const { serviceMs } = await readBackupOrders(dataDir);
  const { keys, killSwitches, timers } = choices;
  const backup = { source, backup_at: new Date(backupAtMs).toISOString() };
  const by = currentOperator();
  audit({ dataDir, by, reason: reason ?? null }, 'restore', { ...backup, keys, kill_switches: killSwitches, timers });
  const identity = openRestored(dataDir);
  try {
    if (choices.keys === 'suspend') identity.keys.suspendAll(nowMs);
    if (choices.keys === 'revoke-all')
      for (const { apiKey } of identity.keys.list()) identity.keys.revoke(apiKey, nowMs);
    if (choices.killSwitches === 'engage-all') {
      await new Promise<void>((resolve) => {
        identity.riskLimits.engage(
          { kind: 'service' },
          { engagedAtMs: nowMs, by: 'OPERATOR', who: operatorName(by) },
          resolve,
        );
      });
    }
    if (choices.timers === 'drop') {
      const timers = Array.from(identity.timers.load());
      for (const [account] of timers) await dropped((onDisk) => identity.timers.put(account, null, onDisk));
      const sessions = Array.from(identity.sessions.load());
      for (const [id] of sessions) await dropped((onDisk) => identity.sessions.put(id, null, onDisk));
    }
    const times = { nowMs, backupAtMs, backupServiceMs: serviceMs };
    identity.trading.begin(restoreRecord(identity.trading.restore(), times));
  } finally {
    await identity.close();
  }
  renewClock(dataDir, nowMs);
  markFinished(dataDir);
}

function dropped(drop: (onDisk: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    drop(resolve);
  });
}

function countedByAccount(sessions: Iterable<readonly [string, SessionRecord]>): RestoreSummary['sessions'] {
  const counts = new Map<string, number>();
  for (const [, { account }] of sessions) counts.set(account, (counts.get(account) ?? 0) + 1);
  return [...counts].map(([account, count]) => ({ account, count }));
}

function shownRiskLimits({ holder, rules }: StoredRiskLimits): RestoreSummary['riskLimits'][number] {
  const apiKey = holder.kind === 'key' ? holder.apiKey : null;
  return { account: holder.account, apiKey, rules: describeRiskLimits(rules) };
}

function shownKillSwitch({ scope, engaged }: StoredKillSwitch): RestoreSummary['killSwitches'][number] {
  return { account: scope.kind === 'account' ? scope.account : null, engagedAtMs: engaged.engagedAtMs };
}
