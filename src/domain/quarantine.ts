import { QUARANTINE_DETAIL_CHARACTERS_MAX } from './limits/trading.js';
import type { Rejection } from './rejection.js';
import type { EpochMs } from './time.js';
/** Why an order is quarantined. */
export const QUARANTINE_REASONS = [
  /** The exchange reported something that cannot be: quantity or money is in doubt. */
  'CONTRADICTORY_REPORT',
  /** The order broke an invariant. */
  'BROKEN_INVARIANT',
  /** The work on the order failed with an unexpected error. */
  'UNEXPECTED_ERROR',
  /** Its shard died repeatedly while it worked on the order. */
  'SHARD_DEATH',
  /** The exchange does not know a child that is older than its order history. The child may have traded. */
  'FORGOTTEN_CHILD',
  /** The exchange acknowledged a child and denies it now, again and again. An operator settles the child. */
  'DENIED_CHILD',
] as const;
export type QuarantineReason = (typeof QUARANTINE_REASONS)[number];

/** A quarantined order places nothing more. It records facts until an operator releases it or it is cancelled. */
export interface Quarantine {
  readonly sinceMs: EpochMs;
  readonly reason: QuarantineReason;
  readonly detail: string;
  /** An operator has released it: its resting children are cancelled, then the order ends. */
  readonly isReleased: boolean;
}

/** How a report contradicts the recorded state. */
export const CONTRADICTIONS = [
  /** The fill exceeds the quantity of its child. */
  'CHILD_OVERFILL',
  /** The fill of an ended child exceeds the quantity of the order. */
  'ORDER_OVERFILL',
  /** The child was never placed. */
  'UNKNOWN_CHILD',
  /** The fill is worse than the limit price of its child. */
  'PRICE_OUTSIDE_LIMIT',
  /** The fill is on the other side. It is not counted as progress. */
  'WRONG_SIDE',
  /** The exchange gave the child another order id before. */
  'OTHER_EXCHANGE_ORDER_ID',
  /** The filled quantity that the exchange states exceeds the quantity of the child. */
  'FILLED_OVER_QUANTITY',
  /** The filled quantity that the exchange states is less than the sum of its fills. */
  'FILLED_UNDER_KNOWN',
  /** The child was refused after it had fills. */
  'REJECTED_AFTER_FILL',
  /** A number in the report is not a quantity, price or id. The report is not applied. */
  'UNUSABLE_REPORT',
  /** The fill came after the end of its child. Only a counter: the fill itself is recorded. */
  'LATE_FILL',
] as const;
export type Contradiction = (typeof CONTRADICTIONS)[number];

/** Message and error_code of a quarantined order for clients. */
export function quarantineRejection({ reason, detail }: Pick<Quarantine, 'reason' | 'detail'>): Rejection {
  return { code: 'SYSTEM_ERROR', message: `the order is quarantined: ${reason}: ${detail}` };
}

/** Bounds the text and replaces lone surrogates, so that it can be stored. */
export function quarantineDetail(text: string): string {
  return text.slice(0, QUARANTINE_DETAIL_CHARACTERS_MAX).replace(/\p{Surrogate}/gu, '\ufffd');
}
