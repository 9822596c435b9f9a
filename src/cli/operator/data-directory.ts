import { accessSync, constants } from 'node:fs';
import { hasDatabase, openIdentity, type Identity } from '../../runtime/identity.js';
import { IDENTITY_READ_MS } from '../../domain/limits/trading.js';
import { isRejected, reject, type OrRejection, type RejectionCode } from '../../domain/rejection.js';
import { appendAudit, type AuditedAction, currentOperator } from '../../storage/audit-log.js';
import { CommandFailure, UsageError } from '../context.js';

/** Wait for a running service to read a change. Includes 2 ms because timers may be early. */
const SEEN_MS = IDENTITY_READ_MS + 2;

/** Data directory of the operator's commands. `masterKey` is its text when it is not stored in the directory. */
export interface DataDirectory {
  readonly path: string;
  readonly masterKey: string | undefined;
  /** Why the operator acts, for the audit log. */
  readonly reason?: string | undefined;
}

/**
 * Writes an action to the audit log. Call it after the checks and before the change. `subject`: what the action changes,
 * without secrets. Throws AuditFailure when the line cannot be stored, so that the action is not done.
 */
export function audit(
  { path, reason }: Pick<DataDirectory, 'path' | 'reason'>,
  action: AuditedAction,
  subject: Readonly<Record<string, unknown>>,
): void {
  appendAudit(path, { action, by: currentOperator(), subject, reason: reason ?? null }, Date.now());
}

/** Runs `work` on an existing store. Rejects other paths, so that a mistyped path creates no empty store. */
export async function withExisting<Result>(
  data: DataDirectory,
  work: (identity: Identity) => OrRejection<Result> | Promise<OrRejection<Result>>,
): Promise<OrRejection<Result>> {
  if (hasDatabase(data.path)) return withIdentity(data, work);
  if (!isReadable(data.path)) {
    return reject('INVALID_REQUEST', `${data.path} is not readable for this user: run the command as root`);
  }
  return reject('INVALID_PARAM', `${data.path} has no data of the service; set SLUICE_DATA_DIR to the data directory`);
}

/** False for a directory that belongs to another user. A missing one counts as readable. */
export function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.X_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EACCES';
  }
}

/** Runs `work` and resolves when a running service has read the change. Its next answers follow the change. */
export async function withIdentity<Result>(
  data: DataDirectory,
  work: (identity: Identity) => Result | Promise<Result>,
): Promise<Result> {
  const identity = openIdentity(data.path, { masterKey: data.masterKey });
  try {
    return await work(identity);
  } finally {
    await identity.close();
    await new Promise((resolve) => setTimeout(resolve, SEEN_MS));
  }
}

/** The operator as a short text for records. Of root it is the user who called sudo: any other user can set that name. */
export function operatorName(): string {
  const { uid, user, sudo_user: caller } = currentOperator();
  return (uid === 0 ? caller : undefined) ?? user ?? `uid ${uid}`;
}

/** Codes of a wrong argument or setting. */
const WRONG_USAGE: ReadonlySet<RejectionCode> = new Set(['INVALID_PARAM', 'INVALID_EXCHANGE']);

/** Returns the value of a result. Throws for a rejection: UsageError for WRONG_USAGE, otherwise CommandFailure. */
export function granted<Value>(result: OrRejection<Value>): Value {
  if (!isRejected<unknown>(result)) return result;
  const { code, message } = result.rejection;
  throw WRONG_USAGE.has(code) ? new UsageError(message) : new CommandFailure(message);
}
