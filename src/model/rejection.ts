import type { DurationMs } from './time.js';

/** ApiErrorCode of the contract, in its order. */
export const REJECTION_CODES = [
  'OTHER',
  'QUANTITY_EXCEED',
  'AUTHENTICATION_ERROR',
  'INSUFFICIENT_FUNDS',
  'RATE_LIMIT_EXCEEDED',
  'DDOS_PROTECTION',
  'EXCHANGE_NOT_AVAILABLE',
  'NETWORK_ERROR',
  'INVALID_ORDER',
  'EXCHANGE_ERROR',
  'EMS_INSTANCES_DOWN',
  'SLIPPAGE_EXCEEDED',
  'EXPIRY_REACHED',
  'MAX_FEE_PER_GAS_IS_TOO_LOW',
  'PARENT_ORDER_WAS_TERMINATED',
  'MAX_PRIORITY_FEE_PER_GAS_IS_TOO_LOW',
  'INVALID_QUANTITY',
  'INVALID_END_TIME',
  'INVALID_TRADE_TIME',
  'INVALID_FEE',
  'INVALID_SYMBOL',
  'INVALID_TRADE_STRATEGY',
  'INVALID_LIMIT_PRICE',
  'INVALID_WOULD_PRICE',
  'INVALID_TRIGGER_PRICE',
  'INVALID_PARAM',
  'INVALID_EXCHANGE',
  'INVALID_SIGNATURE',
  'INVALID_API_KEY',
  'INVALID_TIMESTAMP',
  'BATCH_OVERSIZE',
  'SYSTEM_ERROR',
  'INVALID_REQUEST',
  'SYSTEM_BUSY',
] as const;

export type RejectionCode = (typeof REJECTION_CODES)[number];

/** An expected failure, as a value: the code is the contract's, the message names field, value and rule. */
export interface Rejection {
  readonly code: RejectionCode;
  readonly message: string;
  /** The same request is refused again before so much service time has passed; absent when nobody said. */
  readonly retryAfterMs?: DurationMs;
}

export function reject(code: RejectionCode, message: string): { readonly rejection: Rejection } {
  return { rejection: { code, message } };
}

const PASSING: ReadonlySet<RejectionCode> = new Set([
  'RATE_LIMIT_EXCEEDED',
  'NETWORK_ERROR',
  'DDOS_PROTECTION',
  'EXCHANGE_NOT_AVAILABLE',
  'SYSTEM_BUSY',
]);

/** True when the same request may succeed later unchanged; false when the venue has judged the request itself. */
export function isPassing({ code, retryAfterMs }: Rejection): boolean {
  return retryAfterMs !== undefined || PASSING.has(code);
}

/** Either a value or the reason why there is none. */
export type OrRejection<Value> = Value | { readonly rejection: Rejection };

export function isRejected<Value>(
  result: OrRejection<Value>,
): result is Extract<OrRejection<Value>, { readonly rejection: Rejection }> {
  return typeof result === 'object' && result !== null && 'rejection' in result;
}
