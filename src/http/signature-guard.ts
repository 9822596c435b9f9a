import type { AccountId } from '../domain/ids.js';
import type { Rejection } from '../domain/rejection.js';
import type { Proof, SignedPayload } from './auth/authenticate.js';
import { type EarlierUse, type Instant, type SignatureUse, UsedSignatures } from './auth/used-signatures.js';
import type { SignedEndpoint } from './endpoint.js';
import { isAbsent, isJsonObject } from '../api/field/json-value.js';
import { reading } from '../api/field/member-names.js';

/** One use of a signature that is kept over a restart. */
export interface KeptSignatureUse {
  readonly account: string;
  readonly mark: string;
  /** Method and path. */
  readonly target: string;
  /** Real time, epoch milliseconds. */
  readonly validUntilMs: number;
  readonly isSpent: boolean;
}

/** Keeps used signatures while they are valid, for the next process. */
export interface SignatureStore {
  /** Called once. Uses of signatures with a time stamp before `unknownBeforeMs` may be missing. */
  load(): { readonly uses: readonly KeptSignatureUse[]; readonly unknownBeforeMs: number };
  /** Calls `onWritten` once, after this turn of the event loop; false: the write failed. */
  append(use: KeptSignatureUse, onWritten: ((isWritten: boolean) => void) | null): void;
}

export interface SignatureGuardParts {
  readonly signatures: SignatureStore;
  /** Real time of day in milliseconds. */
  readonly realNowMs: () => number;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonicMs: () => number;
}

/** One request at the guard. */
export interface GuardedUse {
  readonly endpoint: SignedEndpoint;
  readonly use: SignatureUse;
  readonly earlier: EarlierUse;
  /** The uses of signatures at its time stamp are unknown. */
  readonly isUnknown: boolean;
  /** Signature version 2: the nonce identifies the use. */
  readonly hasNonce: boolean;
  /** The signature may not be used again. */
  isSpent: boolean;
}

/**
 * Decides whether a signature that was used before may be used again. Version 1 covers neither method nor path, so
 *
 *     create without client_order_id   once                       (only the signature identifies the order)
 *     create, amend, resume            with one path only         (the headers of a preview place nothing)
 *     start of a session               once, with this path only  (it may place any order)
 *     all other requests               any number of times        (two reads in one millisecond have one signature)
 *
 * Version 2 covers both and has a nonce: every request that changes something accepts a nonce once.
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

  /** Looks up and records a proven request; null when its signature cannot be misused elsewhere. */
  note(endpoint: SignedEndpoint, account: AccountId, proof: Proof, payload: SignedPayload): GuardedUse | null {
    const { mark, hasNonce, timestampMs, validUntilMs } = proof;
    const isRead = endpoint.budget === 'reads' && endpoint.reuse !== 'once';
    if (hasNonce ? isRead : !couldBeBody(payload)) return null;
    const use = { account, mark, target: targetOf(endpoint), validUntilMs };
    const now = this.#now();
    const earlier = hasNonce ? this.#used.find(use, now) : this.#used.note(use, now);
    return { endpoint, use, earlier, isUnknown: timestampMs < this.#unknownBeforeMs, hasNonce, isSpent: false };
  }

  /** The refusal of a request before its body is read; null: none. */
  refusalOfTarget({ endpoint, use, earlier, hasNonce }: GuardedUse): Rejection | null {
    if (earlier.kind === 'full') return endpoint.reuse === undefined ? null : FULL;
    if (earlier.kind !== 'used') return null;
    if (hasNonce) return repeatedNonce(earlier.target);
    const isPlacing = endpoint.reuse !== undefined && endpoint.reuse !== 'remembered';
    return isPlacing && earlier.target !== use.target ? otherPath(earlier.target) : null;
  }

  /** The refusal of a request because of its body; null: none. */
  refusalOfBody(guarded: GuardedUse, body: unknown): Rejection | null {
    const { endpoint, earlier, isUnknown, use } = guarded;
    const isOnce = isUsedOnce(endpoint, body);
    if (isOnce && earlier.kind === 'used' && earlier.isSpent) return repeatedUse(endpoint, use.target);
    if (!isOnce && endpoint.reuse !== 'same path') return null;
    return isUnknown || earlier.kind === 'forgotten' ? UNKNOWN : null;
  }

  /** Marks the signature as spent when it may not be used again. 'harmful again': a replay would place something. */
  spend(guarded: GuardedUse, body: unknown): 'harmful again' | 'harmless' {
    const { endpoint, use, hasNonce } = guarded;
    if (!hasNonce && !isUsedOnce(endpoint, body)) return 'harmless';
    guarded.isSpent = true;
    this.#used.spend(use, this.#now());
    return endpoint.reuse === undefined ? 'harmless' : 'harmful again';
  }

  /** Keeps the use over a restart. */
  keep({ use, earlier, isSpent }: GuardedUse): void {
    if (isSpent || earlier.kind === 'none') this.#parts.signatures.append(keptUse(use, isSpent), null);
  }

  /** Keeps the use, and calls `proceed` after the write. */
  keepFirst({ use, isSpent }: GuardedUse, proceed: (refusal: Rejection | null) => void): void {
    const onWritten = (isWritten: boolean): void => proceed(isWritten ? null : NOT_WRITTEN);
    this.#parts.signatures.append(keptUse(use, isSpent), onWritten);
  }

  #now(): Instant {
    return { realMs: this.#parts.realNowMs(), monotonicMs: this.#parts.monotonicMs() };
  }
}

const TARGETS = new WeakMap<SignedEndpoint, string>();

/** Method and path. One text for each endpoint, so that V8 hashes it once. */
function targetOf(endpoint: SignedEndpoint): string {
  let target = TARGETS.get(endpoint);
  if (target === undefined) TARGETS.set(endpoint, (target = `${endpoint.method} ${endpoint.path}`));
  return target;
}

/** Copies field by field: a spread with an added field costs V8 microseconds for every request. */
function keptUse({ account, mark, target, validUntilMs }: SignatureUse, isSpent: boolean): KeptSignatureUse {
  return { account, mark, target, validUntilMs, isSpent };
}

/** True for the start of a session, and for a create without client_order_id. */
function isUsedOnce(endpoint: SignedEndpoint, body: unknown): boolean {
  return endpoint.reuse === 'once' || isUnnamedCreate(endpoint, body);
}

const clientOrderIdIn = reading('client_order_id');

/** True for a create of orders of which at least one has no client_order_id. */
function isUnnamedCreate({ reuse, weigh }: SignedEndpoint, body: unknown): boolean {
  if (reuse !== 'named' || !isJsonObject(body)) return false;
  if (weigh === undefined) return isAbsent(clientOrderIdIn(body));
  const members = body['orders'];
  return Array.isArray(members) && members.some((member) => isJsonObject(member) && isAbsent(clientOrderIdIn(member)));
}

/**
 * Start of a query with a path, a name or a number. No JSON object starts like this, decoded or not. An empty query is
 * signed like the start of a session.
 */
const HARMLESS_QUERY = /^[\w.~-]/;

/** True when the signed text may also be the body of a POST. */
function couldBeBody(payload: SignedPayload): boolean {
  return payload.kind === 'body' || !HARMLESS_QUERY.test(payload.text);
}

const FULL: Rejection = {
  code: 'SYSTEM_BUSY',
  message: 'X-SIGN cannot be recorded: the account has used its share of the memory of signatures; nothing was placed',
};
const NOT_WRITTEN: Rejection = {
  code: 'SYSTEM_BUSY',
  message: 'X-SIGN could not be written to disk; nothing was placed; sign the request again',
};
const UNKNOWN: Rejection = {
  code: 'INVALID_SIGNATURE',
  message:
    'the used signatures at X-TIMESTAMP are no longer known, because the machine was started or its clock was set back; sign the request again',
};

function otherPath(target: string): Rejection {
  const message = `X-SIGN was first used with ${target}; sign this request again, with another X-TIMESTAMP`;
  return { code: 'INVALID_SIGNATURE', message };
}

function repeatedUse({ reuse }: SignedEndpoint, target: string): Rejection {
  const isSession = reuse === 'once';
  const rule = `${isSession ? 'the start of a session' : 'a create without client_order_id'} accepts a signature once`;
  const advice = isSession ? 'sign again' : 'sign the request again, or set client_order_id';
  const message = `X-SIGN was first used with ${target}, and ${rule}; ${advice}`;
  return { code: 'INVALID_SIGNATURE', message };
}

function repeatedNonce(target: string): Rejection {
  const message = `X-NONCE was first used with ${target}; a nonce is valid once; sign the request again with another one`;
  return { code: 'INVALID_SIGNATURE', message };
}
