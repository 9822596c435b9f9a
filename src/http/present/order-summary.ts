import type { ClientOrderId, OrderId } from '../../model/ids.js';
import type { OrderStatus } from '../../model/order.js';
import type { Rejection } from '../../model/rejection.js';
import type { EpochMs } from '../../model/time.js';
import { instantText, outcomeMembers, quote } from './json-text.js';

/** What a create or cancel answers of one order. */
export interface OrderSummary {
  /** null: nothing is stored. */
  readonly orderId: OrderId | null;
  readonly clientOrderId: ClientOrderId | null;
  readonly status: OrderStatus;
  /** Of the order; of the answer when there is no order. */
  readonly createdAtMs: EpochMs;
  readonly outcome: Rejection | null;
}

/** OrderSummary of the contract as JSON; absent fields are left out. */
export function summaryText(summary: OrderSummary): string {
  const { orderId, clientOrderId, status, createdAtMs, outcome } = summary;
  return (
    (orderId === null ? '{' : `{"order_id":${orderId},`) +
    (clientOrderId === null ? '' : `"client_order_id":${quote(clientOrderId)},`) +
    `"status":"${status}","created_at":${instantText(createdAtMs)}${outcomeMembers(outcome)}}`
  );
}
