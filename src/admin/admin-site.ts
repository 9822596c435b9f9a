import type { TradingHalt } from '../domain/command.js';
import type { Identity } from '../runtime/identity.js';
import { appendAudit, type AuditedAction, type OperatorActor } from '../storage/audit-log.js';

/** What an operation works on, and who requests it. */
export interface AdminSite {
  readonly dataDir: string;
  readonly identity: Identity;
  /** False: no service runs, and the command itself has opened the databases. */
  readonly isServiceRunning: boolean;
  /** Trading halts of the running service. Empty when no service runs. */
  readonly halts: readonly TradingHalt[];
  readonly by: OperatorActor;
  /** Why the operator acts, for the audit log; null: not stated. */
  readonly reason: string | null;
}

/**
 * Writes an action to the audit log. Call it after the checks and before the change. `subject`: what the action
 * changes, without secrets. Throws AuditFailure when the line cannot be stored, so that the action is not done.
 */
export function audit(
  { dataDir, by, reason }: Pick<AdminSite, 'dataDir' | 'by' | 'reason'>,
  action: AuditedAction,
  subject: Readonly<Record<string, unknown>>,
): void {
  appendAudit(dataDir, { action, by, subject, reason }, Date.now());
}

/**
 * The operator as a short text for records. Of root it is the user who called sudo: any other user can set that name.
 */
export function operatorName({ uid, user, sudo_user: caller }: OperatorActor): string {
  return (uid === 0 ? caller : undefined) ?? user ?? `uid ${uid}`;
}
