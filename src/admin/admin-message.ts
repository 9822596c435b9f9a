import { ADMIN_TEXT_CHARACTERS_MAX } from '../domain/limits/process.js';
import { type Rejection, Rejected } from '../domain/rejection.js';
import type { OperatorActor } from '../storage/audit-log.js';
import { PRESENT_FORMAT } from '../storage/format/format-steps.js';
import { releaseVersion } from '../storage/release.js';

/*
 * The protocol of the admin socket: a request is one line of JSON, and so is its reply. A connection has one request at
 * a time. Command and service have the same release, so the messages need no compatible form.
 */

export interface AdminRequest {
  readonly release: string;
  /** Number of the format of the stored data. */
  readonly format: number;
  /** The command stays connected while it uses the copied store of `stores.copy`. */
  readonly operation: string;
  readonly params: unknown;
  readonly by: OperatorActor;
  readonly reason: string | null;
}

export type AdminReply =
  | { readonly result: unknown }
  | { readonly rejection: Rejection }
  /** The operation has failed. The text is for the operator. */
  | { readonly failure: string };

/** Copies a store of the running service. */
export const COPY_STORE = 'stores.copy';

export const LINE_FEED = 10;

export function lineOf(message: AdminRequest | AdminReply): string {
  return `${JSON.stringify(message)}\n`;
}

/** A result that is absent, such as that of a function without one, is null. */
export function replyOf(result: unknown): AdminReply {
  if (result instanceof Rejected) return { rejection: result.rejection };
  return { result: result ?? null };
}

/** The sender's release and data format. */
export function ownRelease(): Pick<AdminRequest, 'release' | 'format'> {
  return { release: releaseVersion(), format: PRESENT_FORMAT.number };
}

/** Reads a request. Returns a text for the operator when it is none, or one of another release. */
export function parseRequest(line: Buffer, own: Pick<AdminRequest, 'release' | 'format'>): AdminRequest | string {
  let request: Partial<AdminRequest>;
  try {
    request = JSON.parse(line.toString()) as Partial<AdminRequest>;
  } catch {
    return 'the request is not JSON';
  }
  if (typeof request !== 'object' || request === null) return 'the request is not an object';
  const { release, format, operation, params, by, reason } = request;
  if (release !== own.release || format !== own.format) {
    const of = (what: Partial<AdminRequest>): string => `release ${what.release} with data format ${what.format}`;
    return (
      `the running service has ${of(own)}, the command ${of({ release: String(release), format: Number(format) })}: ` +
      'use the command of the running release, or restart the service'
    );
  }
  const isText = reason === null || isName(reason);
  const actor = operatorOf(by);
  if (typeof operation !== 'string' || typeof params !== 'object' || params === null || !isText || actor === null) {
    return 'the request is incomplete';
  }
  return { release, format, operation, params, by: actor, reason };
}

function isName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= ADMIN_TEXT_CHARACTERS_MAX;
}

/**
 * The operator, as the command states it. Who may connect may also write to the audit log itself, so a false statement
 * gains nothing.
 */
function operatorOf(by: Partial<OperatorActor> | undefined): OperatorActor | null {
  const { kind, uid, user, login_uid: loginUid, sudo_user: sudoUser, pid } = by ?? {};
  if (kind !== 'OPERATOR' || !Number.isSafeInteger(uid) || !Number.isSafeInteger(pid)) return null;
  if (user !== null && !isName(user)) return null;
  if (loginUid !== undefined && !Number.isSafeInteger(loginUid)) return null;
  if (sudoUser !== undefined && !isName(sudoUser)) return null;
  return {
    kind,
    uid: uid as number,
    user,
    ...(loginUid === undefined ? {} : { login_uid: loginUid }),
    ...(sudoUser === undefined ? {} : { sudo_user: sudoUser }),
    pid: pid as number,
  };
}
