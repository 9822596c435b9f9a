import type { Rejection } from '../../model/rejection.js';
import type { EpochMs } from '../../model/time.js';
import type { VenueReport, VenueRequest } from '../../model/venue-message.js';

/** How a venue refuses a request; null for a question about an order or account, which then is not answered at all. */
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
    case 'Amend': {
      const { orderId, child } = request;
      return { kind: 'AmendRejected', account, venue, orderId, child, atMs, rejection };
    }
    case 'SetLeverage':
    case 'SetMarginMode':
    case 'SetPositionMode':
    case 'Transfer':
    case 'QueryOrders':
    case 'QueryCandles':
    case 'QueryFundingRates': {
      const { correlationId } = request;
      return { kind: 'AccountAnswered', correlationId, account, venue, atMs, rejection };
    }
    case 'Query':
    case 'QueryFunds':
    case 'QueryPositions':
      return null;
    default:
      return request satisfies never;
  }
}
