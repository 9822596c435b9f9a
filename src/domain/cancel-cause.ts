import type { ApiKeyId } from './ids.js';
import type { RejectionCode } from './rejection.js';

/**
 * Who cancels an order. CLIENT: a cancel that names the order. CANCEL_ALL: a request for all orders of the account.
 * CANCEL_ALL_AFTER: the timer of the account was not renewed. DISCONNECT: the session that placed the order has ended.
 * KILL_SWITCH: the kill switch of the account or of the service is engaged. OPERATOR: an operator ended the order.
 * SERVICE: the service ended the order for a reason with a code.
 */
export const CANCELLERS = [
  'CLIENT',
  'CANCEL_ALL',
  'CANCEL_ALL_AFTER',
  'DISCONNECT',
  'KILL_SWITCH',
  'OPERATOR',
  'SERVICE',
] as const;
export type Canceller = (typeof CANCELLERS)[number];

/** The cause of a cancel. The first cause of an order stays. */
export interface CancelCause {
  readonly by: Canceller;
  /** Public id of the key that asked for the cancel; null unless `by` is CLIENT or CANCEL_ALL. */
  readonly apiKey: ApiKeyId | null;
  /** Why the service ended the order; null unless `by` is SERVICE. */
  readonly code: RejectionCode | null;
}

export const CANCEL_ALL_AFTER_CAUSE: CancelCause = { by: 'CANCEL_ALL_AFTER', apiKey: null, code: null };
export const DISCONNECT_CAUSE: CancelCause = { by: 'DISCONNECT', apiKey: null, code: null };
export const KILL_SWITCH_CAUSE: CancelCause = { by: 'KILL_SWITCH', apiKey: null, code: null };
export const OPERATOR_CAUSE: CancelCause = { by: 'OPERATOR', apiKey: null, code: null };

/** The cause of a cancel that a client requests. */
export function requestedBy(by: 'CLIENT' | 'CANCEL_ALL', apiKey: ApiKeyId): CancelCause {
  return { by, apiKey, code: null };
}

/** The cause of an end that the service decides. */
export function serviceCause(code: RejectionCode): CancelCause {
  return { by: 'SERVICE', apiKey: null, code };
}
