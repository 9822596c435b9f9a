import type { Fill } from '../../model/event.js';
import type { Rejection } from '../../model/rejection.js';
import type { Lots } from '../../model/quantity.js';
import type { EpochMs } from '../../model/time.js';
import type { AmendReport, ChildRef, ExecutionReport, QueriedState } from '../../model/venue-message.js';
import type { VenueOrder } from './venue-order.js';

// Written out field by field: spreading the names into every report costs more than all else about it.

export function accepted({ submission, venueOrderId }: VenueOrder, atMs: EpochMs): ExecutionReport {
  const { account, venue, orderId, child } = submission;
  return { account, venue, orderId, child, atMs, kind: 'Accepted', venueOrderId };
}

export function rejected({ submission }: VenueOrder, rejection: Rejection, atMs: EpochMs): ExecutionReport {
  const { account, venue, orderId, child } = submission;
  return { account, venue, orderId, child, atMs, kind: 'Rejected', rejection };
}

export function filled({ submission }: VenueOrder, fill: Fill, atMs: EpochMs): ExecutionReport {
  const { account, venue, orderId, child } = submission;
  return { account, venue, orderId, child, atMs, kind: 'Filled', fill };
}

export function cancelled(order: VenueOrder, cause: Rejection | null, atMs: EpochMs): ExecutionReport {
  const { account, venue, orderId, child } = order.submission;
  const { venueOrderId, filled } = order;
  return { account, venue, orderId, child, atMs, kind: 'Cancelled', venueOrderId, cause, filled };
}

export function cancelRejected(ref: ChildRef, rejection: Rejection, atMs: EpochMs): ExecutionReport {
  const { account, venue, orderId, child } = ref;
  return { account, venue, orderId, child, atMs, kind: 'CancelRejected', rejection };
}

export function queryAnswered(ref: ChildRef, answer: QueriedState, filled: Lots, atMs: EpochMs): ExecutionReport {
  const { account, venue, orderId, child } = ref;
  return { account, venue, orderId, child, atMs, kind: 'QueryAnswered', answer, filled };
}

export function amended({ submission, venueOrderId, price }: VenueOrder, atMs: EpochMs): AmendReport {
  const { account, venue, orderId, child, quantity } = submission;
  return { account, venue, orderId, child, atMs, kind: 'Amended', venueOrderId, quantity, limitPrice: price };
}

export function amendRejected(ref: ChildRef, rejection: Rejection, atMs: EpochMs): AmendReport {
  const { account, venue, orderId, child } = ref;
  return { account, venue, orderId, child, atMs, kind: 'AmendRejected', rejection };
}
