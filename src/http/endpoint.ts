import type { AccountId, ApiKeyId } from '../model/ids.js';
import type { BudgetName } from './limit/budgets.js';
import type { Call } from './call.js';
import type { Permission } from './port.js';

/** A request whose sender is known, may do what it asks for, and is within the budget. */
export interface SignedRequest {
  readonly call: Call;
  readonly account: AccountId;
  /** The key it was signed with. */
  readonly apiKey: ApiKeyId;
  /** Takes more requests from the budget of this one, which has turned out larger; before the answer begins. */
  readonly charge: (count: number) => void;
  /** The parsed JSON body of a POST; undefined for a GET. */
  readonly body: unknown;
}

/** One row of the routing table. */
export interface SignedEndpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly needs: Permission;
  readonly budget: BudgetName;
  /**
   * What a signature may do here that came before: 'named': place named orders again, if it came with this path;
   * 'same path': the same again, if it came with this path; 'remembered': everything, but nothing elsewhere after it.
   * Absent: everything, even when it cannot be remembered.
   */
  readonly reuse?: 'named' | 'same path' | 'remembered';
  /** How many requests of the budget it takes; 1 when absent. */
  readonly weigh?: (body: unknown) => number;
  /** Answers the call once, now or later; what it throws at once is answered 500. */
  readonly handle: (request: SignedRequest) => void;
}

/** A GET that needs no key. */
export interface OpenEndpoint {
  readonly path: string;
  readonly handle: (call: Call) => void;
}
