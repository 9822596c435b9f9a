import { BATCH_ORDERS_MAX } from '../../model/limits.js';
import { reject, type OrRejection } from '../../model/rejection.js';
import { isJsonObject, shown } from './json-field.js';

/** The members of a batch request, unread: `orders`, an array of 1 to BATCH_ORDERS_MAX elements. */
export function parseBatch(body: unknown): OrRejection<readonly unknown[]> {
  if (!isJsonObject(body)) return reject('INVALID_REQUEST', `the body is ${shown(body)}, not an object`);
  const orders = body['orders'];
  if (!Array.isArray(orders)) return reject('INVALID_REQUEST', `orders is ${shown(orders)}, not an array`);
  if (orders.length === 0) return reject('INVALID_REQUEST', 'orders is empty');
  if (orders.length <= BATCH_ORDERS_MAX) return orders;
  return reject('BATCH_OVERSIZE', `the batch has ${orders.length} orders, more than ${BATCH_ORDERS_MAX}`);
}
