import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
import { shown } from './json-field.js';
import { parseOrderId } from './order-query.js';
import type { OrderRef } from './order-ref.js';
import { isClientOrderId } from './order-text.js';
import { singleValue, type Query } from './query-string.js';

/** Reads orderId and clientOrderId, which name one order; at least one must be given. */
export function parseOrderName(query: Query): OrRejection<OrderRef> {
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
