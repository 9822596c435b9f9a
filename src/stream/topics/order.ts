import { assert } from '../../model/assert.js';
import type { EventEnvelope, ParentStanding } from '../../model/event.js';
import type { Venue } from '../../model/exchange.js';
import type { ParentOrder } from '../../model/order.js';
import { mishedge } from '../../model/mishedge.js';
import { followingLeg } from '../../model/pair.js';
import { formatLots, formatTicks } from '../../model/quantity.js';
import { exchangeMembers, feedMembers } from './feed-members.js';
import { optional, optionalQuoted, quoted } from './json-text.js';
import { pairMembers } from './order-leg.js';
import { orderStatusJson, progressOf } from './order-status.js';
import { echoedMembers } from './request-echo.js';

/** Frame of topic `order` in the feed of a venue: where a parent order stands after the event. */
export function orderFrame(seq: number, venue: Venue, envelope: EventEnvelope, order: ParentOrder): string {
  const { parent, event } = envelope;
  assert(parent !== null, 'an order event tells where the parent stands');
  const status = orderStatusJson({
    orderId: String(order.orderId),
    clientOrderId: order.clientOrderId,
    venue: order.venue,
    side: order.side,
    quantity: parent.quantity,
    grid: order,
    standing: parent,
    atMs: envelope.eventAtMs,
    ...(event.kind === 'StrategyNoted' && { note: event.reason.detail }),
  });
  return (
    `{${feedMembers('order', seq, venue)},"order_status":${status}` +
    `,"order":${parentJson(order, parent)},"order_progress":${progressOf(parent.filled, parent.quantity)}` +
    `${mishedgeMember(order, parent)}${quarantineMember(parent)}}`
  );
}

/** Why and since when the order is quarantined; nothing when it never was. */
function quarantineMember({ quarantine }: ParentStanding): string {
  if (quarantine === null) return '';
  const { sinceMs, reason, detail } = quarantine;
  return `,"quarantine":{"since":${sinceMs},"reason":"${reason}","detail":${quoted(detail)}}`;
}

/** Of a multi-leg order, as it stood after the event. */
function mishedgeMember(order: ParentOrder, parent: ParentStanding): string {
  if (order.pair === null || parent.follower === null) return '';
  return `,"mishedge":${mishedge(order, parent, followingLeg(order.pair), parent.follower)}`;
}

/** The order as last amended at the time of the event. */
function parentJson(order: ParentOrder, parent: ParentStanding): string {
  return (
    `{"order_id":"${order.orderId}"${optionalQuoted('client_order_id', order.clientOrderId)}` +
    `,${exchangeMembers(order.venue)}${optionalQuoted('subaccount', order.subaccount)}` +
    `,"symbol":${quoted(order.symbol)},"asset_class":"${order.assetCategory}","side":"${order.side}"` +
    `,"quantity":${formatLots(parent.quantity, order)}` +
    optional('limit_price', order.limitPrice === null ? null : formatTicks(order.limitPrice, order)) +
    `,"strategy":"${order.strategy}","order_type":"${order.strategy}"` +
    `,"created_at":${order.createdAtMs},"start_time":${order.startAtMs}` +
    optional('end_time', order.endAtMs === null ? null : String(order.endAtMs)) +
    `${echoedMembers(order.requestEcho)}${pairMembers(order.pair, parent)}}`
  );
}
