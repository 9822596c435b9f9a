import type { StateReader } from '../journal/port.js';
import type { AccountId } from '../model/ids.js';
import type { ParentState } from '../model/order.js';
import { isRejected, reject, type OrRejection, type Rejection } from '../model/rejection.js';
import type { OrderRef } from './parse/order-ref.js';

type Found = OrRejection<ParentState | null>;

/**
 * The account's order that a request names; null when there is none. The store is read anew only when it does not know
 * the order: whether it is still open, its shard will say. While a turn that was answered is not stored, an order that
 * is not found may be in it: that is answered SYSTEM_BUSY.
 */
export function namedOrder(reader: StateReader, account: AccountId, ref: OrderRef): Found {
  const state = find(reader, account, ref);
  if (state !== null && !isRejected(state)) return state;
  const isComplete = reader.refresh();
  const latest = find(reader, account, ref);
  return latest === null && !isComplete ? { rejection: STORE_BEHIND } : latest;
}

/** Nothing is read that may miss what was answered before. */
export const STORE_BEHIND: Rejection = {
  code: 'SYSTEM_BUSY',
  message: 'the latest orders and events are still being stored; nothing was done, ask again',
};

/** Why there is no such order. */
export function unknownOrder({ orderId, clientOrderId }: OrderRef): Rejection {
  const name = orderId === null ? `client_order_id ${clientOrderId}` : `order_id ${orderId}`;
  return { code: 'INVALID_ORDER', message: `${name} is unknown` };
}

/** Why nothing can be asked of an order that has ended. */
export function alreadyOver({ order, status }: ParentState): Rejection {
  return { code: 'INVALID_ORDER', message: `order_id ${order.orderId} is already ${status}` };
}

function find(reader: StateReader, account: AccountId, { orderId, clientOrderId }: OrderRef): Found {
  const entry = clientOrderId === null ? null : reader.byClientOrderId(account, clientOrderId);
  const namedId = orderId ?? entry?.orderId ?? null;
  const state = namedId === null ? null : reader.order(namedId);
  const owned = state !== null && state.order.account === account ? state : null;
  const isOneOrder = orderId === null || clientOrderId === null || owned?.order.orderId === entry?.orderId;
  if (isOneOrder) return owned;
  return reject('INVALID_REQUEST', `order_id ${orderId} and client_order_id ${clientOrderId} name different orders`);
}
