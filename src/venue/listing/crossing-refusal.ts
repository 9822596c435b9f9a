import type { Instrument } from '../../model/instrument.js';
import { POST_ONLY_RETRY_MS } from '../../model/limits.js';
import { formatTicks, type Ticks } from '../../model/quantity.js';
import type { Rejection } from '../../model/rejection.js';
import type { DurationMs } from '../../model/time.js';

/** What an exchange says to a post-only order that would have crossed: a matter of the moment's price. */
export function crossingRefusal(limitPrice: Ticks, instrument: Instrument): Rejection {
  const message = `post_only: limit_price ${formatTicks(limitPrice, instrument)} would trade at once`;
  return { code: 'INVALID_ORDER', message, retryAfterMs: POST_ONLY_RETRY_MS as DurationMs };
}
