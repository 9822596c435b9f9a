import type { DurationMs } from './time.js';
/** ApiErrorCode of the contract, in the order of the contract. */
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

/** Why a request was refused, for programs, where the code has several causes. */
export const REJECTION_REASONS = [
  'KILL_SWITCH',
  'RISK_LIMIT',
  'TRADING_HALTED',
  'SHUTTING_DOWN',
  'KEY_SUSPENDED',
  'KEY_EXPIRED',
  'UNKNOWN_FIELD',
] as const;

export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** An expected failure as a value: a code of the contract, and a message that names field, value and rule. */
export interface Rejection {
  readonly code: RejectionCode;
  readonly message: string;
  /** Absent: the code says it. */
  readonly reason?: RejectionReason;
  /** The same request is refused again within this service time; absent: unknown. */
  readonly retryAfterMs?: DurationMs;
}

/** The failed side of a result. The class is the tag: see isRejected. */
export class Rejected {
  /** Makes the type nominal: an object literal with a rejection is not a failed result. */
  declare protected readonly tag: 'Rejected';
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    this.rejection = rejection;
  }
}

export function reject(code: RejectionCode, message: string): Rejected {
  return new Rejected({ code, message });
}

const PASSING: ReadonlySet<RejectionCode> = new Set([
  'RATE_LIMIT_EXCEEDED',
  'NETWORK_ERROR',
  'DDOS_PROTECTION',
  'EXCHANGE_NOT_AVAILABLE',
  'SYSTEM_BUSY',
]);

/** True when the unchanged request may succeed later; false when the venue refused the request itself. */
export function isPassing({ code, retryAfterMs }: Rejection): boolean {
  return retryAfterMs !== undefined || PASSING.has(code);
}

/** Either a value or the reason for its absence. */
export type OrRejection<Value> = Value | Rejected;

export function isRejected<Value>(result: OrRejection<Value>): result is Rejected {
  return result instanceof Rejected;
}

/** An impossible state. It stops the shard and is never caught to continue. */
export class InvariantViolation extends Error {
  override readonly name = 'InvariantViolation';
}

/**
 * Throws InvariantViolation unless the condition holds. Where each event or create passes, code that names ids or
 * numbers throws InvariantViolation itself: the text of an argument is made also when the condition holds.
 */
export function assert(condition: boolean, invariant: string): asserts condition {
  if (!condition) throw new InvariantViolation(invariant);
}

/** Limits of the public interface that refuse or end something, by the name of their counter. */
const LIMITS = [
  'key_orders',
  'key_cancels',
  'key_reads',
  'address',
  'body_bytes',
  'body_room',
  'body_time',
  'connections',
  'stream_connections',
  'stream_account_connections',
  'stream_subscriptions',
  'stream_messages',
  'stream_frame_bytes',
] as const;

export type LimitName = (typeof LIMITS)[number];

/** Refusals by limit since the service started. The component that refuses increments; the metrics read. */
export type RefusalCounts = Record<LimitName, number>;

export function noRefusals(): RefusalCounts {
  return Object.fromEntries(LIMITS.map((name) => [name, 0])) as RefusalCounts;
}
