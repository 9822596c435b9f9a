import type { Lots } from '../domain/quantity.js';
import type { Rejection } from '../domain/rejection.js';
import type { EpochMs } from '../domain/time.js';
import type { ChildRef, VenueRequest } from '../domain/venue-message.js';
import type { ExecutionReport, OrderStatusAnswer, VenueReport } from '../domain/venue-report.js';

/** The venue's refusal of a request. Null for a status, funds or positions query: such a query gets no answer. */
export function refusalOf(request: VenueRequest, rejection: Rejection, atMs: EpochMs): VenueReport | null {
  const { account, venue } = request;
  switch (request.kind) {
    case 'Submit': {
      const { orderId, child } = request;
      return { kind: 'Rejected', account, venue, orderId, child, atMs, rejection };
    }
    case 'Cancel': {
      const { orderId, child } = request;
      return { kind: 'CancelRejected', account, venue, orderId, child, atMs, rejection };
    }
    case 'QueryOrders':
    case 'QueryCandles':
    case 'QueryFundingRates': {
      const { correlationId } = request;
      return { kind: 'QueryRejected', correlationId, account, venue, atMs, rejection };
    }
    case 'QueryStatus':
    case 'QueryFunds':
    case 'QueryPositions':
      return null;
    default:
      return request satisfies never;
  }
}

export function cancelRejected(ref: ChildRef, rejection: Rejection, atMs: EpochMs): ExecutionReport {
  const { account, venue, orderId, child } = ref;
  return { account, venue, orderId, child, atMs, kind: 'CancelRejected', rejection };
}

export function statusAnswered(ref: ChildRef, answer: OrderStatusAnswer, filled: Lots, atMs: EpochMs): ExecutionReport {
  const { account, venue, orderId, child } = ref;
  return { account, venue, orderId, child, atMs, kind: 'StatusAnswered', answer, filled };
}
