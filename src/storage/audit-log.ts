import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import {
  AUDIT_FILE_BYTES_MAX,
  AUDIT_FILES_MAX,
  AUDIT_LINE_BYTES_MAX,
  AUDIT_USER_CHARACTERS_MAX,
} from '../domain/limits/process.js';
import { isMissing, namesIn, syncPath } from './data-directory.js';
import { FILE_MODE, nodeDisk } from './disk.js';

/** The file with the latest lines. Its name does not change. */
const AUDIT_FILE = 'audit.log';
/** A full file: the time of its rotation and the process make its name unique. */
const FULL_FILE = /^audit-\d{17}-\d+\.log$/;

/** True for the file with the latest lines, and for full ones. */
export function isAuditFile(name: string): boolean {
  return name === AUDIT_FILE || FULL_FILE.test(name);
}

/** Actions that change what accounts may do, or that end a halt. */
export type AuditedAction =
  | 'keys.create'
  | 'keys.confirm'
  | 'keys.revoke'
  | 'venue-keys.add'
  | 'venue-keys.remove'
  | 'risk-limits.set'
  | 'kill-switch.engage'
  | 'kill-switch.release'
  | 'quarantine.release'
  | 'child.settle'
  | 'trading.resume'
  | 'restore';

/** One line, without its time. */
export interface AuditLine {
  readonly action: AuditedAction;
  readonly by: AuditActor;
  /** What the action changes. Contains no secret. */
  readonly subject: Readonly<Record<string, unknown>>;
  /** The operator's words; null: none. */
  readonly reason: string | null;
}

export type AuditActor =
  | OperatorActor
  /** A client of the public interface. `address`: the peer of its socket. */
  | { readonly kind: 'API_KEY'; readonly key: string; readonly address: string }
  /** The service itself: the key of the demo account. */
  | { readonly kind: 'SERVICE' };

/** A user of the operating system, at the command line. */
export interface OperatorActor {
  readonly kind: 'OPERATOR';
  readonly uid: number;
  /** null: the system has no name for the user. */
  readonly user: string | null;
  /** The user who logged in, also after su, sudo or setpriv. Absent without a login, for example in a container. */
  readonly login_uid?: number;
  /** The user who called sudo, as sudo reports it. Any user can set it. */
  readonly sudo_user?: string;
  readonly pid: number;
}

/** A line of the audit log cannot be stored. The message is for the operator. */
export class AuditFailure extends Error {
  override readonly name = 'AuditFailure';
}

/**
 * Appends one line to the audit log of a data directory. On disk when it returns. Several processes may append at the
 * same time: each line is one write. `nowMs`: real time, epoch milliseconds. Throws AuditFailure.
 */
export function appendAudit(dataDir: string, { action, by, subject, reason }: AuditLine, nowMs: number): void {
  const path = join(dataDir, AUDIT_FILE);
  const time = new Date(nowMs).toISOString();
  const why = reason === null ? {} : { reason };
  const line = Buffer.from(`${JSON.stringify({ time, action, by, subject, ...why })}\n`);
  try {
    if (line.length > AUDIT_LINE_BYTES_MAX) {
      throw new Error(`the line has ${line.length} bytes, over ${AUDIT_LINE_BYTES_MAX}`);
    }
    if (isFull(path, line.length)) rotate(dataDir, path, time);
    const isNew = !existsSync(path);
    append(path, line);
    if (isNew) syncPath(dataDir);
  } catch (error) {
    throw new AuditFailure(`the audit log ${path} cannot be written: ${(error as Error).message}`);
  }
}

/** The user of this process. */
export function currentOperator(env: Readonly<Record<string, string | undefined>> = process.env): OperatorActor {
  const loginUid = readLoginUid();
  const sudoUser = env['SUDO_USER']?.slice(0, AUDIT_USER_CHARACTERS_MAX);
  return {
    kind: 'OPERATOR',
    uid: process.getuid?.() ?? NO_UID,
    user: userName(),
    ...(loginUid === null ? {} : { login_uid: loginUid }),
    ...(sudoUser === undefined ? {} : { sudo_user: sudoUser }),
    pid: process.pid,
  };
}

function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without an entry in its table of users.
    return null;
  }
}

const LOGIN_UID_FILE = '/proc/self/loginuid';
/** -1 as the kernel prints it: the process does not belong to a login. */
const NO_LOGIN = 2 ** 32 - 1;
const NO_UID = -1;

function readLoginUid(): number | null {
  try {
    const uid = Number(readFileSync(LOGIN_UID_FILE, 'utf8'));
    return Number.isSafeInteger(uid) && uid !== NO_LOGIN ? uid : null;
  } catch {
    return null;
  }
}

function isFull(path: string, lineBytes: number): boolean {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return fstatSync(file).size + lineBytes > AUDIT_FILE_BYTES_MAX;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/**
 * Gives the full file a name of its own and removes the oldest ones. Another process may do the same at this moment.
 */
function rotate(dataDir: string, path: string, time: string): void {
  const full = join(dataDir, `audit-${time.replaceAll(/\D/g, '')}-${process.pid}.log`);
  ifPresent(() => nodeDisk.rename(path, full));
  const names = namesIn(dataDir).filter((name) => FULL_FILE.test(name));
  for (const name of names.slice(0, Math.max(0, names.length + 1 - AUDIT_FILES_MAX))) {
    ifPresent(() => nodeDisk.remove(join(dataDir, name)));
  }
  syncPath(dataDir);
}

function ifPresent(change: () => void): void {
  try {
    change();
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

const LINE_FEED = 10;

function append(path: string, line: Buffer): void {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  const file = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, FILE_MODE);
  try {
    // A full disk may have cut the line before.
    const bytes = endsWithLine(file) ? line : Buffer.concat([Buffer.of(LINE_FEED), line]);
    const written = writeSync(file, bytes);
    if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes were written`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function endsWithLine(file: number): boolean {
  const { size } = fstatSync(file);
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  readSync(file, last, 0, 1, size - 1);
  return last[0] === LINE_FEED;
}
