import { isAbsent, isJsonObject, type JsonObject, shown } from '../field/json-value.js';
import { MemberNames } from '../field/member-names.js';
import { type Query, singleValue } from '../field/query.js';
import type { ClientOrderId, OrderId } from '../../domain/ids.js';
import { isRejected, type OrRejection, reject } from '../../domain/rejection.js';
import { isClientOrderId, parseClientOrderId } from '../field/field-value.js';
import { parseOrderId } from './order-query.js';
import { CancelUpstreamOrderRequest } from './order-schema.js';

/** Ids of an order in a request. At least one is not null; both must name the same order. */
export interface OrderRef {
  readonly orderId: OrderId | null;
  readonly clientOrderId: ClientOrderId | null;
}

const NAMES = MemberNames.of(CancelUpstreamOrderRequest.properties);

/** Reads a request that only names an order. */
export function parseOrderRef(body: unknown): OrRejection<OrderRef> {
  if (!isJsonObject(body)) return reject('INVALID_REQUEST', `the request is ${shown(body)}, not an object`);
  const fields = NAMES.read(body);
  return isRejected(fields) ? fields : readOrderRef(fields);
}

/** Reads the ids in a request whose names are checked. */
export function readOrderRef(body: JsonObject): OrRejection<OrderRef> {
  const orderId = parseId(body['order_id']);
  if (isRejected(orderId)) return orderId;
  const clientOrderId = parseClientOrderId(body['client_order_id']);
  if (isRejected(clientOrderId)) return clientOrderId;
  if (orderId === null && clientOrderId === null) {
    return reject('INVALID_REQUEST', 'order_id and client_order_id are missing: give at least one');
  }
  return { orderId, clientOrderId };
}

/** Reads an integer or its text, because streams send ids as strings. */
function parseId(value: unknown): OrRejection<OrderId | null> {
  if (isAbsent(value)) return null;
  const isText = typeof value === 'string' || typeof value === 'number';
  return (
    (isText ? parseOrderId(String(value)) : null) ??
    reject('INVALID_PARAM', `order_id ${shown(value)} is not an integer from 1 to 2^53 - 1`)
  );
}

/** Reads orderId and clientOrderId of one order; at least one must be given. */
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
