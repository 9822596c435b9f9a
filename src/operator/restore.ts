import { openRestored, type HeldGuardrails, type HeldHalt, type ListedKey } from '../journal/identity/index.js';
import { backupTakenAtMs, markFinished, readBackupOrders, renewClock, restoreData } from '../journal/index.js';
import type { AccountId } from '../model/ids.js';
import { BACKUP_AGE_DAYS_MAX } from '../model/limits.js';
import { restoreRecord } from '../model/restore.js';
import { describeGuardrails } from './guardrail-texts.js';

export const KEY_CHOICES = ['suspend', 'keep', 'revoke-all'] as const;
export const KILL_SWITCH_CHOICES = ['keep', 'engage-all'] as const;
export const TIMER_CHOICES = ['drop', 'keep'] as const;

/** What becomes of what is older than now. */
export interface RestoreChoices {
  /** suspend: each key is refused until the operator confirms it. */
  readonly keys: (typeof KEY_CHOICES)[number];
  /** engage-all: the switch of the whole service is engaged as well. */
  readonly killSwitches: (typeof KILL_SWITCH_CHOICES)[number];
  /** Cancel-all-after timers. One that is kept and whose time has passed takes effect at the start. */
  readonly timers: (typeof TIMER_CHOICES)[number];
}

/** A key that was revoked after the backup does not come back by itself; a timer that is over cancels nothing. */
export const SAFE_CHOICES: RestoreChoices = { keys: 'suspend', killSwitches: 'keep', timers: 'drop' };

/** What a backup holds that may be other than it was when it was taken. Times are real, epoch milliseconds. */
export interface RestoreSummary {
  readonly backupAtMs: number;
  readonly ageMs: number;
  /** Those that are not revoked in the backup. */
  readonly keys: readonly ListedKey[];
  readonly guardrails: readonly { readonly account: string; readonly apiKey: string | null; readonly rules: object }[];
  readonly killSwitches: readonly { readonly account: string | null; readonly engagedAtMs: number }[];
  readonly timers: readonly { readonly account: string; readonly triggerAtMs: number }[];
  readonly openOrders: readonly { readonly account: string; readonly count: number }[];
}

const MS_PER_DAY = 24 * 3600 * 1000;

/**
 * Makes a data directory, empty or absent before, from a backup and reads what it holds. No service starts on it before
 * `finishRestore`. Rejects with an error whose message is for the operator.
 */
export async function restoreBackup(source: string, dataDir: string): Promise<RestoreSummary> {
  const nowMs = Date.now();
  const backupAtMs = backupTakenAtMs(source);
  const ageMs = nowMs - backupAtMs;
  if (ageMs > BACKUP_AGE_DAYS_MAX * MS_PER_DAY) {
    throw new Error(
      `the backup is from ${new Date(backupAtMs).toISOString()}; at most ${BACKUP_AGE_DAYS_MAX} days are allowed`,
    );
  }
  await restoreData(source, dataDir);
  const { openCounts } = await readBackupOrders(dataDir);
  const identity = openRestored(dataDir);
  try {
    const rows = identity.guardrails.rows();
    return {
      backupAtMs,
      ageMs,
      keys: identity.keys.list().filter(({ revokedAtMs }) => revokedAtMs === null),
      guardrails: rows.filter((row) => row.kind === 'guardrails').map(shownGuardrails),
      killSwitches: rows.filter((row) => row.kind === 'halt').map(shownHalt),
      timers: [...identity.switches.load()].map(([account, triggerAtMs]) => ({ account, triggerAtMs })),
      openOrders: [...openCounts].map(([account, count]) => ({ account, count })),
    };
  } finally {
    await identity.close();
  }
}

/** Carries the choices out and marks the directory as restored: the service starts halted. On disk when it resolves. */
export async function finishRestore(source: string, dataDir: string, choices: RestoreChoices): Promise<void> {
  const nowMs = Date.now();
  const backupAtMs = backupTakenAtMs(source);
  const { serviceMs } = await readBackupOrders(dataDir);
  const identity = openRestored(dataDir);
  try {
    if (choices.keys === 'suspend') identity.keys.suspendAll(nowMs);
    if (choices.keys === 'revoke-all')
      for (const { apiKey } of identity.keys.list()) identity.keys.revoke(apiKey, nowMs);
    if (choices.killSwitches === 'engage-all') {
      await new Promise<void>((resolve) => {
        identity.guardrails.engage({ kind: 'service' }, { engagedAtMs: nowMs, by: 'OPERATOR' }, resolve);
      });
    }
    if (choices.timers === 'drop') {
      const timers = Array.from(identity.switches.load());
      for (const [account] of timers) await dropTimer(identity, account);
    }
    const times = { nowMs, backupAtMs, backupServiceMs: serviceMs };
    identity.trading.begin(restoreRecord(identity.trading.restore(), times));
  } finally {
    await identity.close();
  }
  renewClock(dataDir, nowMs);
  markFinished(dataDir);
}

function dropTimer(identity: ReturnType<typeof openRestored>, account: AccountId): Promise<void> {
  return new Promise((resolve) => {
    identity.switches.put(account, null, resolve);
  });
}

function shownGuardrails({ holder, rules }: HeldGuardrails): RestoreSummary['guardrails'][number] {
  const apiKey = holder.kind === 'key' ? holder.apiKey : null;
  return { account: holder.account, apiKey, rules: describeGuardrails(rules) };
}

function shownHalt({ scope, halt }: HeldHalt): RestoreSummary['killSwitches'][number] {
  return { account: scope.kind === 'account' ? scope.account : null, engagedAtMs: halt.engagedAtMs };
}
