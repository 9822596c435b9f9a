import { formatAmount } from '../../model/amount.js';
import { assert } from '../../model/assert.js';
import type { EventEnvelope } from '../../model/event.js';
import { childClientId } from '../../model/ids.js';
import type { ParentOrder } from '../../model/order.js';
import { tradedBy } from '../../model/pair.js';
import { addNotional, formatLots, formatNotional, formatTicks, ZERO_NOTIONAL } from '../../model/quantity.js';
import { feedMembers } from './feed-members.js';
import { optionalQuoted, quoted } from './json-text.js';

/** Frame of topic `trade`: one fill. `order_id` is the child's, `client_order_id` the parent's. */
export function tradeFrame(seq: number, envelope: EventEnvelope, parent: ParentOrder): string {
  const { event } = envelope;
  assert(event.kind === 'ChildFilled', 'only a fill makes a trade');
  const { fill } = event;
  const traded = tradedBy(parent, event.child);
  const cost = addNotional(ZERO_NOTIONAL, fill.quantity, fill.price);
  return (
    `{${feedMembers('trade', seq, envelope.venue)},"trade_id":"${fill.tradeId}"` +
    `,"order_id":"${childClientId(parent.orderId, event.child)}","parent_order_id":"${parent.orderId}"` +
    `,"symbol":${quoted(traded.symbol)},"side":"${traded.side}","taker_or_maker":"${fill.liquidity}"` +
    `,"price":${formatTicks(fill.price, traded)},"amount":${formatLots(fill.quantity, traded)}` +
    `,"cost":${formatNotional(cost, traded)}` +
    `,"fee_currency":${quoted(fill.feeCurrency)},"fee_cost":${formatAmount(fill.fee)}` +
    `,"timestamp":${envelope.eventAtMs},"ext_trade_id":"${fill.tradeId}","ext_order_id":${quoted(fill.venueOrderId)}` +
    `${optionalQuoted('client_order_id', parent.clientOrderId)}${event.isLate ? ',"is_late":true' : ''}}`
  );
}
