import type { ApiKeyId } from '../model/ids.js';
import { reject, isRejected, type OrRejection, type Rejection } from '../model/rejection.js';
import type { RefusalCounts } from '../model/refusal-counts.js';
import { authenticate, type SignedPayload } from './auth/authenticate.js';
import { authorisationFailure } from './auth/authorisation.js';
import type { Call } from './call.js';
import type { SignedEndpoint } from './endpoint.js';
import type { AddressLimit } from './limit/address-limit.js';
import { budgetHeaders, retryAfterHeader } from './limit/budget-headers.js';
import type { BudgetName, Budgets } from './limit/budgets.js';
import type { BudgetAnswer } from './limit/rate-limit.js';
import { addressText, networkAddress } from './network-address.js';
import { parseJsonBody } from './parse/json-body.js';
import type { ApiKeyRecord, KeyDirectory } from './port.js';
import type { SignatureGuard } from './signature-guard.js';

export interface GateParts {
  readonly keys: KeyDirectory;
  /** What signatures that came before may do. */
  readonly guard: SignatureGuard;
  readonly budgets: Budgets;
  /** null: addresses have no budgets. */
  readonly addressLimit: AddressLimit | null;
  readonly refusals: RefusalCounts;
  /** Real time of day in milliseconds: what clients stamp their requests with. */
  readonly realNowMs: () => number;
  /** A clock that never steps back, in milliseconds: what budgets refill by. */
  readonly monotonicMs: () => number;
}

/**
 * The way of a request, each step with its own refusal:
 *
 *     address  →  key · time stamp · signature · not used before  →  budget  →  permission · network  →  JSON  →  handler
 *       429                            401                             429               403               400
 *
 * The body is looked into before the budget, because a batch takes as many requests from it as it has members. A
 * repeated signature is refused before the budget: whoever repeats it must not use up what its owner has.
 */
export class Gate {
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** The first step, before anything of a body is read. False when the call was refused. */
  welcomes(call: Call): boolean {
    const { addressLimit, monotonicMs } = this.#parts;
    if (addressLimit === null) return true;
    const budget = addressLimit.take(call.remoteAddress(), monotonicMs());
    if (budget === null || budget.isWithin) return true;
    call.budgetHeaders = budgetHeaders(budget);
    refuseBeyond(call, budget, 'too many requests from this address');
    return false;
  }

  /** All steps that need to know who sends it. */
  admit(call: Call, endpoint: SignedEndpoint, payload: SignedPayload): void {
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
    const count = isRejected(body) ? 1 : (endpoint.weigh?.(body.value) ?? 1);
    if (!this.#isWithinBudget(call, record, endpoint.budget, count)) return;
    if (isRejected(body)) return call.refuse(body.rejection);
    const { account, apiKey } = record;
    const charge = (more: number): void => this.#charge(call, apiKey, endpoint.budget, more);
    const request = { call, account, apiKey, charge, body: body.value };
    if (guarded === null) return endpoint.handle(request);
    guard.admit(
      guarded,
      body.value,
      call.guarded((refusal: Rejection | null) => {
        if (refusal === null) endpoint.handle(request);
        else call.refuse(refusal);
      }),
    );
  }

  #charge(call: Call, apiKey: ApiKeyId, name: BudgetName, count: number): void {
    const budget = this.#parts.budgets.charge(apiKey, name, count, this.#parts.monotonicMs());
    if (budget !== null) call.budgetHeaders = budgetHeaders(budget);
  }

  /** Takes from the budget, puts its state into the answer's headers, and refuses the call when it is used up. */
  #isWithinBudget(call: Call, record: ApiKeyRecord, name: BudgetName, count: number): boolean {
    const budget = this.#parts.budgets.take(record.apiKey, name, count, this.#parts.monotonicMs());
    if (budget === null) return true;
    call.budgetHeaders = budgetHeaders(budget);
    if (budget.isWithin) return true;
    this.#parts.refusals[`key_${name}`] += 1;
    refuseBeyond(call, budget, `the key's budget of ${name} is used up: ${count} asked for, ${budget.remaining} left`);
    return false;
  }
}

const NO_BODY = { value: undefined };

function permittedBody(
  call: Call,
  record: ApiKeyRecord,
  endpoint: SignedEndpoint,
  payload: SignedPayload,
): OrRejection<{ readonly value: unknown }> {
  const address = (): string => addressText(networkAddress(call.remoteAddress()));
  const forbidden = authorisationFailure(record, endpoint.needs, address);
  if (forbidden !== null) return reject('AUTHENTICATION_ERROR', forbidden);
  return payload.kind === 'body' ? parseJsonBody(payload.bytes) : NO_BODY;
}

function refuseBeyond(call: Call, budget: BudgetAnswer, why: string): void {
  const message = `${why}, retry in ${budget.retryAfterS} s`;
  call.refuse({ code: 'RATE_LIMIT_EXCEEDED', message }, undefined, retryAfterHeader(budget));
}
