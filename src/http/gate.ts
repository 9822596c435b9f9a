import { authenticate, permissionFailure, type SignedPayload } from './auth/authenticate.js';
import type { BudgetName, Budgets } from './budgets.js';
import type { Call } from './call.js';
import type { SignedEndpoint } from './endpoint.js';
import { parseJsonBody } from './parse/json-body.js';
import type { ApiKeyRecord, KeyDirectory } from './port.js';
import { isRejected } from '../model/rejection.js';

export interface GateParts {
  readonly keys: KeyDirectory;
  readonly budgets: Budgets;
  /** Real time of day in milliseconds: what clients stamp their requests with. */
  readonly realNowMs: () => number;
  /** A clock that never steps back, in milliseconds: what budgets refill by. */
  readonly monotonicMs: () => number;
}

/**
 * The way of a signed request, each step with its own refusal:
 *
 *     key · time stamp · signature  →  permission  →  JSON  →  budget  →  handler
 *           401                          403          400      429
 */
export class Gate {
  readonly #parts: GateParts;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  admit(call: Call, endpoint: SignedEndpoint, payload: SignedPayload): void {
    const record = authenticate(call.head.credentials, payload, this.#parts.keys, this.#parts.realNowMs());
    if (isRejected(record)) return call.refuse(record.rejection);
    const forbidden = permissionFailure(record, endpoint.needs);
    if (forbidden !== null) return call.refuse({ code: 'AUTHENTICATION_ERROR', message: forbidden });
    const parsed = payload.kind === 'body' ? parseJsonBody(payload.bytes) : NO_BODY;
    const count = isRejected(parsed) ? 1 : (endpoint.weigh?.(parsed.value) ?? 1);
    if (!this.#isWithinBudget(call, record, endpoint.budget, count)) return;
    if (isRejected(parsed)) return call.refuse(parsed.rejection);
    endpoint.handle({ call, account: record.account, body: parsed.value });
  }

  /** Takes from the budget, puts its state into the answer's headers, and refuses the call when it is used up. */
  #isWithinBudget(call: Call, record: ApiKeyRecord, name: BudgetName, count: number): boolean {
    const budget = this.#parts.budgets.take(record.apiKey, name, count, this.#parts.monotonicMs());
    if (budget === null) return true;
    const { limit, remaining, resetS, retryAfterS } = budget;
    call.budgetHeaders = `\r\nRateLimit-Limit: ${limit}\r\nRateLimit-Remaining: ${remaining}\r\nRateLimit-Reset: ${resetS}`;
    if (budget.isWithin) return true;
    const message = `the key's budget of ${name} is used up: ${count} asked for, ${remaining} left, retry in ${retryAfterS} s`;
    call.refuse({ code: 'RATE_LIMIT_EXCEEDED', message }, undefined, `\r\nRetry-After: ${retryAfterS}`);
    return false;
  }
}

const NO_BODY = { value: undefined };
