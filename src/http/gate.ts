import { parseJsonBody } from '../api/field/json-body.js';
import type { ApiKeyId } from '../domain/ids.js';
import {
  isRejected,
  type OrRejection,
  type RefusalCounts,
  reject,
  Rejected,
  type Rejection,
} from '../domain/rejection.js';
import type { EarlierCreates } from '../intake/earlier-creates.js';
import type { ApiKeyRecord, KeyDirectory, ListenKeyHolder } from '../keys/port.js';
import { type AddressLimit, addressText, networkAddress } from './address-limit.js';
import { authenticate, authorisationFailure, type SignedPayload } from './auth/authenticate.js';
import type { RequestCall } from './call.js';
import type { SignedEndpoint, SignedRequest } from './endpoint.js';
import { type BudgetAnswer, budgetHeaders, type BudgetName, type Budgets, retryAfterHeader } from './rate-limit.js';
import type { SignatureGuard } from './signature-guard.js';

interface GateParts {
  readonly keys: KeyDirectory;
  /** Decides on repeated signatures. */
  readonly guard: SignatureGuard;
  readonly budgets: Budgets;
  readonly earlier: Pick<EarlierCreates, 'defer'>;
  /** null: addresses have no budgets. */
  readonly addressLimit: AddressLimit | null;
  readonly refusals: RefusalCounts;
  /** Real time of day in milliseconds: the time of the clients' time stamps. */
  readonly realNowMs: () => number;
  /** A clock that never steps back, in milliseconds: budgets refill by it. */
  readonly monotonicMs: () => number;
}

/**
 * Checks a request in steps, each with its own refusal:
 *
 *  address  →  key · time stamp · signature · not used before  →  budget  →  permission · network  →  JSON  →  handler
 *    429                            401                             429               403               400
 *
 * The body is read before the budget, because a batch takes one request of the budget for each member. A repeated
 * signature is refused before the budget: a replay must not use up the owner's budget.
 */
export class Gate {
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** The first step, before a body is read. False when the call was refused. */
  isWithinAddressLimit(call: RequestCall): boolean {
    const { addressLimit, monotonicMs } = this.#parts;
    if (addressLimit === null) return true;
    const budget = addressLimit.take(call.remoteAddress(), monotonicMs());
    if (budget === null || budget.isWithin) return true;
    call.budgetHeaders = budgetHeaders(budget);
    refuseBeyond(call, budget, 'too many requests from this address');
    return false;
  }

  /** All steps that need the sender. */
  admit(call: RequestCall, endpoint: SignedEndpoint, payload: SignedPayload): void {
    const { keys, realNowMs, guard } = this.#parts;
    const proof = authenticate(call.head, payload, keys, realNowMs());
    if (isRejected(proof)) return call.refuse(proof.rejection);
    const { record } = proof;
    const guarded = guard.note(endpoint, record.account, proof, payload);
    const misused = guarded === null ? null : guard.refusalOfTarget(guarded);
    if (misused !== null) return call.refuse(misused);
    const body = permittedBody(call, record, endpoint, payload);
    const repeated = guarded === null || isRejected(body) ? null : guard.refusalOfBody(guarded, body.value);
    if (repeated !== null) return call.refuse(repeated);
    if (!this.#isAdmitted(call, record, endpoint, body)) return;
    const { account, apiKey } = record;
    const charge = this.#chargeOf(call, apiKey, endpoint.budget);
    const request = { call, account, apiKey, session: null, onAdmitted: null, charge, body: body.value };
    if (guarded === null) return endpoint.handle(request);
    if (guard.spend(guarded, request.body) === 'harmful again') {
      // A later cancel waits for the orders of this request.
      const place = this.#parts.earlier.defer(account);
      const proceed = (refusal: Rejection | null): void =>
        place(() => (refusal === null ? endpoint.handle(request) : call.refuse(refusal)));
      return guard.keepFirst(guarded, call.guarded(proceed));
    }
    try {
      // The order goes to the disk before the use does: the client waits for the order only.
      endpoint.handle(request);
    } finally {
      guard.keep(guarded);
    }
  }

  /**
   * The steps without proof, for a request of a session that has authenticated. `record`: its key, still valid.
   */
  admitProven(call: RequestCall, record: ApiKeyRecord, endpoint: SignedEndpoint, given: ProvenRequest): void {
    if (!this.isWithinAddressLimit(call)) return;
    const allowed = forbidden(call, record, endpoint) ?? { value: given.body };
    if (!this.#isAdmitted(call, record, endpoint, allowed)) return;
    const { account, apiKey } = record;
    const { session, onAdmitted, body } = given;
    const charge = this.#chargeOf(call, apiKey, endpoint.budget);
    endpoint.handle({ call, account, apiKey, session, onAdmitted, charge, body });
  }

  /** Takes the request from the budget. False: the call was refused, for the budget or for the refusal in `body`. */
  #isAdmitted(
    call: RequestCall,
    record: ApiKeyRecord,
    endpoint: SignedEndpoint,
    body: OrRejection<PermittedBody>,
  ): body is PermittedBody {
    const count = isRejected(body) ? 1 : (endpoint.weigh?.(body.value) ?? 1);
    if (!this.#isWithinBudget(call, record, endpoint.budget, count)) return false;
    if (!isRejected(body)) return true;
    call.refuse(body.rejection);
    return false;
  }

  /** Returns the function that takes more from the budget after the admission, and sets the budget headers. */
  #chargeOf(call: RequestCall, apiKey: ApiKeyId, name: BudgetName): SignedRequest['charge'] {
    return (more) => {
      const budget = this.#parts.budgets.charge(apiKey, name, more, this.#parts.monotonicMs());
      if (budget !== null) call.budgetHeaders = budgetHeaders(budget);
    };
  }

  /** Takes from the budget and sets the budget headers. Refuses the call when the budget is used up. */
  #isWithinBudget(call: RequestCall, record: ApiKeyRecord, name: BudgetName, count: number): boolean {
    const budget = this.#parts.budgets.take(record.apiKey, name, count, this.#parts.monotonicMs());
    if (budget === null) return true;
    call.budgetHeaders = budgetHeaders(budget);
    if (budget.isWithin) return true;
    this.#parts.refusals[`key_${name}`] += 1;
    refuseBeyond(call, budget, `the key's budget of ${name} is used up: ${count} requested, ${budget.remaining} left`);
    return false;
  }
}

/** A request of a session. `body`: the parsed JSON body; undefined for a GET. */
type ProvenRequest = Pick<SignedRequest, 'session' | 'onAdmitted' | 'body'>;

/** The parsed JSON body of a request that its key may send; undefined without a body. */
interface PermittedBody {
  readonly value: unknown;
}

const NO_BODY = { value: undefined };
const EMPTY_BODY = { value: {} };

function permittedBody(
  call: RequestCall,
  record: ApiKeyRecord,
  endpoint: SignedEndpoint,
  payload: SignedPayload,
): OrRejection<PermittedBody> {
  const failure = forbidden(call, record, endpoint);
  if (failure !== null) return failure;
  if (payload.kind !== 'body' || endpoint.hasNoBody === true) return NO_BODY;
  if (endpoint.isBodyOptional === true && payload.bytes.byteLength === 0) return EMPTY_BODY;
  return parseJsonBody(payload.bytes);
}

/** The refusal for a missing permission or a wrong network; null: none. */
function forbidden(call: RequestCall, record: ApiKeyRecord, { needs }: SignedEndpoint): Rejected | null {
  const address = (): string => addressText(networkAddress(call.remoteAddress()));
  const failure = authorisationFailure(record, needs, address);
  return failure === null ? null : reject('AUTHENTICATION_ERROR', failure);
}

function refuseBeyond(call: RequestCall, budget: BudgetAnswer, why: string): void {
  const message = `${why}, retry in ${budget.retryAfterS} s`;
  call.refuse({ code: 'RATE_LIMIT_EXCEEDED', message }, undefined, retryAfterHeader(budget));
}

interface ListenKeyCheckParts {
  /** null: forged, expired or from another service. */
  readonly verify: (listenKey: string) => ListenKeyHolder | null;
  readonly keys: KeyDirectory;
  /** Real time of day in milliseconds. */
  readonly realNowMs: () => number;
}

/** The holder of a stream and its address. */
interface StreamHolder extends ListenKeyHolder {
  /** IPv4 or IPv6 as text. */
  readonly address: string;
}

/**
 * Checks listen keys. A listen key is valid only while its API key is: not revoked, not expired, and used from a
 * network that the API key allows.
 */
export class ListenKeyCheck {
  readonly #parts: ListenKeyCheckParts;

  constructor(parts: ListenKeyCheckParts) {
    this.#parts = parts;
  }

  /**
   * The holder of the stream for a peer at `rawAddress` (as the socket reports it); null: the key is not valid.
   * Rejected: the listen key is valid, and its API key is suspended or expired.
   */
  holderOf(listenKey: string, rawAddress: ArrayBuffer): OrRejection<StreamHolder> | null {
    const holder = this.#parts.verify(listenKey);
    if (holder === null) return null;
    const peer = { ...holder, address: addressText(networkAddress(rawAddress)) };
    const failure = this.#failureOf(peer);
    if (failure === null) return peer;
    return failure.reason === undefined ? null : new Rejected(failure);
  }

  /** The reason why the API key of a stream is no longer valid; null while it is. */
  failureOf(holder: StreamHolder): string | null {
    return this.#failureOf(holder)?.message ?? null;
  }

  #failureOf({ account, apiKey, address }: StreamHolder): Rejection | null {
    const { keys, realNowMs } = this.#parts;
    const active = keys.find(apiKey);
    const record = active ?? keys.findSuspended(apiKey);
    if (record === null || record.account !== account) return KEY_FAILURES.revoked;
    if (record.kind === 'RSA' && record.weakness !== null) return KEY_FAILURES.weak;
    if (record.expiresAtMs !== null && realNowMs() >= record.expiresAtMs) return KEY_FAILURES.expired;
    if (active === null) return KEY_FAILURES.suspended;
    return (record.allowedFrom?.includes(address) ?? true) ? null : KEY_FAILURES.elsewhere;
  }
}

/** Why the API key of a stream is not valid. Made once: a stream is checked at each message. */
const KEY_FAILURES = {
  revoked: { code: 'INVALID_API_KEY', message: 'the API key was revoked' },
  weak: { code: 'INVALID_API_KEY', message: 'the RSA public key of the API key is too weak' },
  expired: { code: 'INVALID_API_KEY', message: 'the API key has expired', reason: 'KEY_EXPIRED' },
  suspended: {
    code: 'INVALID_API_KEY',
    message: 'the API key is suspended after a restore until the operator confirms it',
    reason: 'KEY_SUSPENDED',
  },
  elsewhere: { code: 'AUTHENTICATION_ERROR', message: 'the API key is not allowed from this address' },
} as const satisfies Readonly<Record<string, Rejection>>;
