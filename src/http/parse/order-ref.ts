import type { ClientOrderId, OrderId } from '../../model/ids.js';
import { isRejected, reject, type OrRejection } from '../../model/rejection.js';
import { isAbsent, isJsonObject, shown } from './json-field.js';
import { parseOrderId } from './order-query.js';
import { parseClientOrderId } from './order-text.js';

/** How a request names an order: at least one of the two is not null; both must name the same order. */
export interface OrderRef {
  readonly orderId: OrderId | null;
  readonly clientOrderId: ClientOrderId | null;
}

export function parseOrderRef(body: unknown): OrRejection<OrderRef> {
  if (!isJsonObject(body)) return reject('INVALID_REQUEST', `the request is ${shown(body)}, not an object`);
  const orderId = parseId(body['order_id']);
  if (isRejected(orderId)) return orderId;
  const clientOrderId = parseClientOrderId(body['client_order_id']);
  if (isRejected(clientOrderId)) return clientOrderId;
  if (orderId === null && clientOrderId === null) {
    return reject('INVALID_REQUEST', 'order_id and client_order_id are missing: give at least one');
  }
  return { orderId, clientOrderId };
}

/** An integer; its text is taken too, for streams send ids as strings. */
function parseId(value: unknown): OrRejection<OrderId | null> {
  if (isAbsent(value)) return null;
  const isText = typeof value === 'string' || typeof value === 'number';
  return (
    (isText ? parseOrderId(String(value)) : null) ??
    reject('INVALID_PARAM', `order_id ${shown(value)} is not an integer from 1 to 2^53 - 1`)
  );
}
