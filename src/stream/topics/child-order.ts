import { assert } from '../../model/assert.js';
import type { EventEnvelope } from '../../model/event.js';
import { childClientId } from '../../model/ids.js';
import type { ChildOrder, ParentOrder, Reason } from '../../model/order.js';
import { formatLots, formatTicks } from '../../model/quantity.js';
import { exchangeMembers, feedMembers } from './feed-members.js';
import { optional, optionalQuoted, quoted } from './json-text.js';
import { orderStatusJson, progressOf } from './order-status.js';

/** Frame of topic `child_order`: where a child order stands after the event. */
export function childOrderFrame(seq: number, envelope: EventEnvelope, parent: ParentOrder): string {
  const { child: standing } = envelope;
  assert(standing !== null, 'an event about a child tells where the child stands');
  const child = standing.order;
  const id = childClientId(parent.orderId, child.child);
  const status = orderStatusJson({
    orderId: id,
    clientOrderId: id,
    venue: parent.venue,
    side: child.side,
    quantity: child.quantity,
    grid: parent,
    standing,
    atMs: envelope.eventAtMs,
  });
  return (
    `{${feedMembers('child_order', seq, envelope.venue)},"order_status":${status}` +
    `,"order":${childJson(child, parent)},"order_progress":${progressOf(standing.filled, child.quantity)}}`
  );
}

function childJson(child: ChildOrder, parent: ParentOrder): string {
  const id = childClientId(parent.orderId, child.child);
  return (
    `{"order_id":"${id}","client_order_id":"${id}","parent_order_id":"${parent.orderId}"` +
    `,${exchangeMembers(parent.venue)}${optionalQuoted('subaccount', parent.subaccount)}` +
    `,"symbol":${quoted(parent.symbol)},"asset_class":"${parent.assetCategory}","side":"${child.side}"` +
    `,"quantity":${formatLots(child.quantity, parent)}` +
    optional('limit_price', child.limitPrice === null ? null : formatTicks(child.limitPrice, parent)) +
    `,"strategy":"${parent.strategy}","order_type":"${child.type}","tif":"${child.timeInForce}"` +
    `,"created_at":${child.submittedAtMs},"start_time":${child.submittedAtMs},"reason":${reasonJson(child.reason)}}`
  );
}

/** One line of text: the code is its first word, the numbers behind it follow. */
function reasonJson(reason: Reason): string {
  return quoted(reason.detail === '' ? reason.code : `${reason.code} ${reason.detail}`);
}
