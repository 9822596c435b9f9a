import type { AccountId } from '../model/ids.js';
import type { Rejection } from '../model/rejection.js';
import type { Proof, SignedPayload } from './auth/authenticate.js';
import { type EarlierUse, type Instant, type SignatureUse, UsedSignatures } from './auth/used-signatures.js';
import type { SignedEndpoint } from './endpoint.js';
import { isAbsent, isJsonObject } from './parse/json-field.js';
import type { SignatureStore } from './port.js';

export interface SignatureGuardParts {
  readonly signatures: SignatureStore;
  /** Real time of day in milliseconds. */
  readonly realNowMs: () => number;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonicMs: () => number;
}

/** One request in front of the guard. */
export interface GuardedUse {
  readonly endpoint: SignedEndpoint;
  readonly use: SignatureUse;
  readonly earlier: EarlierUse;
  /** Its time stamp lies in time of which it is not known what was used. */
  readonly isUnknown: boolean;
  /** Of the second way to sign: the nonce names the use. */
  readonly hasNonce: boolean;
}

/**
 * Decides what a signature may do that may have come before. The first way to sign covers neither method nor path, so
 *
 *     create without client_order_id   once                       (the order is named by nothing else)
 *     create, amend, resume            with one path only         (headers of a preview place nothing)
 *     everything else                  as often as it comes       (two reads in one millisecond are signed alike)
 *
 * The second way covers both and has a nonce: everything that changes something accepts a nonce once.
 */
export class SignatureGuard {
  readonly #used = new UsedSignatures();
  readonly #parts: SignatureGuardParts;
  readonly #unknownBeforeMs: number;

  constructor(parts: SignatureGuardParts) {
    this.#parts = parts;
    const { uses, unknownBeforeMs } = parts.signatures.load();
    this.#unknownBeforeMs = unknownBeforeMs;
    const now = this.#now();
    for (const { isSpent, ...logged } of uses) {
      const use = { ...logged, account: logged.account as AccountId };
      if (isSpent) this.#used.spend(use, now);
      else this.#used.note(use, now);
    }
  }

  /** Looks a proven request up and remembers it; null where its signature is of no use anywhere else. */
  note(endpoint: SignedEndpoint, account: AccountId, proof: Proof, payload: SignedPayload): GuardedUse | null {
    const { mark, hasNonce, timestampMs, validUntilMs } = proof;
    if (hasNonce ? endpoint.budget === 'reads' : !couldBeBody(payload)) return null;
    const use = { account, mark, target: `${endpoint.method} ${endpoint.path}`, validUntilMs };
    const now = this.#now();
    const earlier = hasNonce ? this.#used.find(use, now) : this.#used.note(use, now);
    return { endpoint, use, earlier, isUnknown: timestampMs < this.#unknownBeforeMs, hasNonce };
  }

  /** Why the request is refused before its body is looked at; null when it is not. */
  refusalOfTarget({ endpoint, use, earlier, hasNonce }: GuardedUse): Rejection | null {
    if (earlier.kind === 'full') return endpoint.reuse === undefined ? null : FULL;
    if (earlier.kind !== 'used') return null;
    if (hasNonce) return repeatedNonce(earlier.target);
    const isPlacing = endpoint.reuse === 'named' || endpoint.reuse === 'same path';
    return isPlacing && earlier.target !== use.target ? otherPath(earlier.target) : null;
  }

  /** Why the request is refused for what is in its body; null when it is not. */
  refusalOfBody(guarded: GuardedUse, body: unknown): Rejection | null {
    const { endpoint, earlier, isUnknown, use } = guarded;
    const isOnce = isUnnamedCreate(endpoint, body);
    if (isOnce && earlier.kind === 'used' && earlier.isSpent) return repeatedCreate(use.target);
    if (!isOnce && endpoint.reuse !== 'same path') return null;
    return isUnknown || earlier.kind === 'forgotten' ? UNKNOWN : null;
  }

  /** Writes the use down. Goes on once it is on file where that matters, and at once elsewhere. */
  admit(guarded: GuardedUse, body: unknown, goOn: (refusal: Rejection | null) => void): void {
    const { endpoint, use, earlier, hasNonce } = guarded;
    const isSpent = hasNonce || isUnnamedCreate(endpoint, body);
    if (isSpent) this.#used.spend(use, this.#now());
    const isWaiting = isSpent && endpoint.reuse !== undefined;
    if (isWaiting) {
      const onWritten = (isWritten: boolean): void => goOn(isWritten ? null : NOT_WRITTEN);
      return this.#parts.signatures.append({ ...use, isSpent }, onWritten);
    }
    if (isSpent || earlier.kind === 'none') this.#parts.signatures.append({ ...use, isSpent }, null);
    goOn(null);
  }

  #now(): Instant {
    return { realMs: this.#parts.realNowMs(), monotonicMs: this.#parts.monotonicMs() };
  }
}

/** A create of orders of which at least one has no client_order_id. */
function isUnnamedCreate({ reuse, weigh }: SignedEndpoint, body: unknown): boolean {
  if (reuse !== 'named' || !isJsonObject(body)) return false;
  if (weigh === undefined) return isAbsent(body['client_order_id']);
  const members = body['orders'];
  return (
    Array.isArray(members) && members.some((member) => isJsonObject(member) && isAbsent(member['client_order_id']))
  );
}

/** What a path, a name or a number begins with: no JSON object begins so, whether it is decoded or not. */
const HARMLESS_QUERY = /^([\w.~-]|$)/;

/** Whether the signed text may be the body of a POST as well. */
function couldBeBody(payload: SignedPayload): boolean {
  return payload.kind === 'body' || !HARMLESS_QUERY.test(payload.text);
}

const FULL: Rejection = {
  code: 'SYSTEM_BUSY',
  message: 'X-SIGN cannot be remembered: the account holds its share of used signatures; nothing was placed',
};
const NOT_WRITTEN: Rejection = {
  code: 'SYSTEM_BUSY',
  message: 'X-SIGN could not be written down before use; nothing was placed; sign the request anew',
};
const UNKNOWN: Rejection = {
  code: 'INVALID_SIGNATURE',
  message:
    'X-TIMESTAMP lies in time whose used signatures are not known any more (the machine was started, or its clock was set back); sign the request anew',
};

function otherPath(target: string): Rejection {
  const message = `X-SIGN was used first with ${target}; sign this request anew, with another X-TIMESTAMP`;
  return { code: 'INVALID_SIGNATURE', message };
}

function repeatedCreate(target: string): Rejection {
  const rule = 'a create without client_order_id accepts a signature once';
  const message = `X-SIGN was used first with ${target}, and ${rule}; sign the request anew, or name its orders`;
  return { code: 'INVALID_SIGNATURE', message };
}

function repeatedNonce(target: string): Rejection {
  const message = `X-NONCE was used first with ${target}; a nonce is good once; sign the request anew with another one`;
  return { code: 'INVALID_SIGNATURE', message };
}
