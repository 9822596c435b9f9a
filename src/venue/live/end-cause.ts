import { EXCHANGE_END_AGAIN_MS } from '../../domain/limits/trading.js';
import type { Rejection, RejectionCode } from '../../domain/rejection.js';
import type { DurationMs } from '../../domain/time.js';

/**
 * Why an exchange ended an order with a rest. Each exchange maps its own list of reasons: an end is never judged by the
 * mere presence of a reason.
 */
export type EndCause =
  /** A cancel was requested: by us, or by a person at the exchange. */
  | 'REQUESTED'
  /** An order that may not rest found no more liquidity. */
  | 'NO_LIQUIDITY'
  /** It would have traded with another order of the account. */
  | 'SELF_TRADE'
  /** A post-only order would have traded at once. */
  | 'POST_ONLY'
  /** A reduce-only order has no position left to reduce. */
  | 'REDUCE_ONLY'
  /** Its time ran out. */
  | 'EXPIRED'
  /** Any other decision of the exchange. */
  | 'EXCHANGE';

type Undesired = Exclude<EndCause, 'REQUESTED' | 'NO_LIQUIDITY'>;

const CODES: Readonly<Record<Undesired, RejectionCode>> = {
  SELF_TRADE: 'EXCHANGE_ERROR',
  POST_ONLY: 'INVALID_ORDER',
  REDUCE_ONLY: 'EXCHANGE_ERROR',
  EXPIRED: 'EXCHANGE_ERROR',
  EXCHANGE: 'EXCHANGE_ERROR',
};

/**
 * The cause of an end for the shard; null: the end was wanted. `said`: the words of the exchange. The next child waits,
 * so that an end that repeats makes no loop.
 */
export function rejectionOfEnd(cause: EndCause, said: string): Rejection | null {
  if (cause === 'REQUESTED' || cause === 'NO_LIQUIDITY') return null;
  const message = cause === 'EXCHANGE' ? said : `${cause}: ${said}`;
  return { code: CODES[cause], message, retryAfterMs: EXCHANGE_END_AGAIN_MS as DurationMs };
}
