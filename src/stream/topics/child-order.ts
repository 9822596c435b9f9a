import { assert } from '../../model/assert.js';
import type { EventEnvelope } from '../../model/event.js';
import { childClientId } from '../../model/ids.js';
import type { ChildOrder, ParentOrder, Reason } from '../../model/order.js';
import { tradedBy } from '../../model/pair.js';
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
  const traded = tradedBy(parent, child.child);
  const status = orderStatusJson({
    orderId: id,
    clientOrderId: id,
    venue: traded.venue,
    side: child.side,
    quantity: child.quantity,
    grid: traded,
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
  const traded = tradedBy(parent, child.child);
  return (
    `{"order_id":"${id}","client_order_id":"${id}","parent_order_id":"${parent.orderId}"` +
    `,${exchangeMembers(traded.venue)}${optionalQuoted('subaccount', parent.subaccount)}` +
    `,"symbol":${quoted(traded.symbol)},"asset_class":"${traded.assetCategory}","side":"${child.side}"` +
    `,"quantity":${formatLots(child.quantity, traded)}` +
    optional('limit_price', child.limitPrice === null ? null : formatTicks(child.limitPrice, traded)) +
    `,"strategy":"${traded.strategy}","order_type":"${child.type}","tif":"${child.timeInForce}"` +
    `,"created_at":${child.submittedAtMs},"start_time":${child.submittedAtMs},"reason":${reasonJson(child.reason)}}`
  );
}

/** One line of text: the code is its first word, the numbers behind it follow. */
function reasonJson(reason: Reason): string {
  return quoted(reason.detail === '' ? reason.code : `${reason.code} ${reason.detail}`);
}
