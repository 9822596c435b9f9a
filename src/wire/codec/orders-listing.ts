import type { AccountId, ChildNumber } from '../../domain/ids.js';
import type { InstrumentIndex } from '../../domain/instrument.js';
import type { EpochMs } from '../../domain/time.js';
import type { OrdersQuery } from '../../domain/venue-message.js';
import type { ListedOrder, OrdersReport } from '../../domain/venue-report.js';
import type { sluice } from '../generated/messages.js';
import { CodecError, integer, integerOrNull, time } from './message.js';
import { CHILD_TYPE, QUERIED_STATE, SIDE, TIME_IN_FORCE, VENUE } from './enums.js';

type RequestMessage = ReturnType<typeof sluice.v1.VenueRequest.decode>;
type ReportMessage = ReturnType<typeof sluice.v1.VenueReport.decode>;

export function toWireQueryOrders({ correlationId, sinceMs, after, instruments }: OrdersQuery) {
  return { queryOrders: { correlationId, sinceMs, after, instruments: [...instruments] } };
}

export function fromWireQueryOrders(message: RequestMessage, query: sluice.v1.QueryOrders): OrdersQuery {
  return {
    kind: 'QueryOrders',
    correlationId: integer<OrdersQuery['correlationId']>(query.correlationId, 'QueryOrders.correlation_id'),
    account: message.account as AccountId,
    venue: VENUE.name(message.venue, 'VenueRequest.venue'),
    sinceMs: time<EpochMs>(query.sinceMs, 'QueryOrders.since_ms'),
    after: query.after,
    instruments: query.instruments as InstrumentIndex[],
  };
}

export function toWireOrders(report: OrdersReport): sluice.v1.OrdersReport.$Properties {
  const { correlationId, orders, next, knownSinceMs } = report;
  return { correlationId, orders: orders.map(toWireListed), next, knownSinceMs };
}

export function fromWireOrders(message: ReportMessage, report: sluice.v1.OrdersReport): OrdersReport {
  return {
    kind: 'Orders',
    correlationId: integer<OrdersReport['correlationId']>(report.correlationId, 'OrdersReport.correlation_id'),
    account: message.account as AccountId,
    venue: VENUE.name(message.venue, 'VenueReport.venue'),
    atMs: time<EpochMs>(message.atMs, 'VenueReport.at_ms'),
    orders: report.orders.map(fromWireListed),
    next: report.next,
    knownSinceMs: time<EpochMs>(report.knownSinceMs, 'OrdersReport.known_since_ms'),
  };
}

function toWireListed(order: ListedOrder): sluice.v1.ListedOrder.$Properties {
  return {
    ...order,
    side: SIDE.number(order.side),
    type: CHILD_TYPE.number(order.type),
    timeInForce: TIME_IN_FORCE.number(order.timeInForce),
    state: QUERIED_STATE.number(order.state),
  };
}

function fromWireListed(message: sluice.v1.ListedOrder): ListedOrder {
  return {
    orderId: integer(message.orderId, 'ListedOrder.order_id'),
    child: message.child as ChildNumber,
    instrument: message.instrument as InstrumentIndex,
    side: SIDE.name(message.side, 'ListedOrder.side'),
    quantity: integer(message.quantity, 'ListedOrder.quantity'),
    type: CHILD_TYPE.name(message.type, 'ListedOrder.type'),
    timeInForce: TIME_IN_FORCE.name(message.timeInForce, 'ListedOrder.time_in_force'),
    limitPrice: integerOrNull(message.limitPrice, 'ListedOrder.limit_price'),
    postOnly: message.postOnly,
    reduceOnly: message.reduceOnly,
    state: stateOf(message),
    venueOrderId: message.venueOrderId as ListedOrder['venueOrderId'],
    filled: integer(message.filled, 'ListedOrder.filled'),
    changedAtMs: time(message.changedAtMs, 'ListedOrder.changed_at_ms'),
  };
}

function stateOf(message: sluice.v1.ListedOrder): ListedOrder['state'] {
  const state = QUERIED_STATE.name(message.state, 'ListedOrder.state');
  if (state === 'UNKNOWN' || state === 'DENIED' || state === 'REJECTED')
    throw new CodecError(`ListedOrder.state is ${state}`);
  return state;
}
