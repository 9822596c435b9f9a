import type { Seq } from '../../model/ids.js';
import { TIMELINE_ENTRIES_DEFAULT, TIMELINE_ENTRIES_MAX } from '../../model/limits.js';
import { isRejected, type OrRejection } from '../../model/rejection.js';
import { parseOrderName } from './order-name.js';
import type { OrderRef } from './order-ref.js';
import type { Query } from './query-string.js';
import { integerValue } from './query-value.js';

export interface TimelineQuery {
  readonly ref: OrderRef;
  /** Entries with a higher seq. */
  readonly after: Seq | 0;
  readonly limit: number;
}

/** Reads orderId, clientOrderId, after and limit. */
export function parseTimelineQuery(query: Query): OrRejection<TimelineQuery> {
  const ref = parseOrderName(query);
  if (isRejected(ref)) return ref;
  const after = integerValue(query, 'after', 0, Number.MAX_SAFE_INTEGER - 1);
  if (isRejected(after)) return after;
  const limit = integerValue(query, 'limit', 1, TIMELINE_ENTRIES_MAX);
  if (isRejected(limit)) return limit;
  return { ref, after: (after ?? 0) as Seq | 0, limit: limit ?? TIMELINE_ENTRIES_DEFAULT };
}
