import type { Seq } from '../../model/ids.js';
import { TIMELINE_ENTRIES_DEFAULT, TIMELINE_ENTRIES_MAX } from '../../model/limits.js';
import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
import { shown } from './json-field.js';
import { parseOrderId } from './order-query.js';
import type { OrderRef } from './order-ref.js';
import { isClientOrderId } from './order-text.js';
import { singleValue, type Query } from './query-string.js';
import { integerValue } from './query-value.js';

export interface TimelineQuery {
  readonly ref: OrderRef;
  /** Entries with a higher seq. */
  readonly after: Seq | 0;
  readonly limit: number;
}

/** Reads orderId, clientOrderId, after and limit. */
export function parseTimelineQuery(query: Query): OrRejection<TimelineQuery> {
  const ref = parseRef(query);
  if (isRejected(ref)) return ref;
  const after = integerValue(query, 'after', 0, Number.MAX_SAFE_INTEGER - 1);
  if (isRejected(after)) return after;
  const limit = integerValue(query, 'limit', 1, TIMELINE_ENTRIES_MAX);
  if (isRejected(limit)) return limit;
  return { ref, after: (after ?? 0) as Seq | 0, limit: limit ?? TIMELINE_ENTRIES_DEFAULT };
}

function parseRef(query: Query): OrRejection<OrderRef> {
  const idText = singleValue(query, 'orderId');
  if (isRejected(idText)) return idText;
  const orderId = idText === null ? null : parseOrderId(idText);
  if (idText !== null && orderId === null) {
    return reject('INVALID_PARAM', `orderId ${shown(idText)} is not an integer from 1 to 2^53 - 1`);
  }
  const clientOrderId = singleValue(query, 'clientOrderId');
  if (isRejected(clientOrderId)) return clientOrderId;
  if (clientOrderId !== null && !isClientOrderId(clientOrderId)) {
    return reject('INVALID_PARAM', `clientOrderId ${shown(clientOrderId)} is not a client order id`);
  }
  if (orderId !== null || clientOrderId !== null) return { orderId, clientOrderId };
  return reject('INVALID_REQUEST', 'orderId and clientOrderId are missing: give at least one');
}
