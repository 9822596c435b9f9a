import type { StateReader } from '../journal/port.js';
import type { AccountId, ClientOrderId } from '../model/ids.js';
import { IDEMPOTENCY_MS } from '../model/limits.js';
import type { ParentState } from '../model/order.js';
import type { EpochMs } from '../model/time.js';
import type { OrderSummary } from './present/order-summary.js';

/** A request, as far as the order that its id names may be the same. */
export interface NamedRequest {
  readonly account: AccountId;
  readonly clientOrderId: ClientOrderId;
  readonly digest: string;
}

/**
 * What the order that the id already names has to say: its summary when the request is the same, why not when it is
 * another one. null when the id is free.
 */
export function earlierOrder(reader: StateReader, request: NamedRequest, nowMs: EpochMs): OrderSummary | null {
  const { account, clientOrderId, digest } = request;
  const entry = reader.byClientOrderId(account, clientOrderId);
  const state = entry === null ? null : reader.order(entry.orderId);
  if (entry === null || state === null || isForgotten(state, nowMs)) return null;
  if (entry.requestDigest === digest) return summaryOf(state);
  const message = `client_order_id ${clientOrderId} already names order_id ${entry.orderId}, a different order`;
  const outcome = { code: 'INVALID_REQUEST', message } as const;
  return { orderId: null, clientOrderId, status: 'REJECTED', createdAtMs: nowMs, outcome };
}

function summaryOf(state: ParentState): OrderSummary {
  const { order, status, outcome } = state;
  const { orderId, clientOrderId, createdAtMs } = order;
  return { orderId, clientOrderId, status, createdAtMs, outcome };
}

/** An id is free again when its order is long over. */
function isForgotten(state: ParentState, nowMs: EpochMs): boolean {
  return state.endedAtMs !== null && state.endedAtMs + IDEMPOTENCY_MS < nowMs;
}
