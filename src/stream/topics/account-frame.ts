import { assert } from '../../model/assert.js';
import type { EventEnvelope } from '../../model/event.js';
import type { AccountTopic } from '../../model/feed.js';
import type { OrderId } from '../../model/ids.js';
import type { ParentOrder } from '../../model/order.js';
import { balanceFrame } from './balance.js';
import { childOrderFrame } from './child-order.js';
import { orderFrame } from './order.js';
import { positionFrame } from './position.js';
import { tradeFrame } from './trade.js';

/** An order with the terms of that revision; null when it is no longer kept. */
export type ParentOrderOf = (orderId: OrderId, revision: number) => ParentOrder | null;

/**
 * The frame an event makes in a feed, as JSON text; null when its order is no longer kept. `venue` is the feed's: that of
 * the event, unless a pair trades at two.
 */
export function accountFrame(
  topic: AccountTopic,
  seq: number,
  envelope: EventEnvelope,
  parentOrderOf: ParentOrderOf,
  venue = envelope.venue,
): string | null {
  if (topic === 'balance') return balanceFrame(seq, envelope);
  if (topic === 'position' || topic === 'position_risk') return positionFrame(topic, seq, envelope);
  const order = orderOf(envelope, parentOrderOf);
  if (order === null) return null;
  switch (topic) {
    case 'order':
      return orderFrame(seq, venue, envelope, order);
    case 'child_order':
      return childOrderFrame(seq, envelope, order);
    case 'trade':
      return tradeFrame(seq, envelope, order);
  }
}

function orderOf({ event, orderId, parent }: EventEnvelope, parentOrderOf: ParentOrderOf): ParentOrder | null {
  if (event.kind === 'ParentCreated' || event.kind === 'ParentAmended') return event.order;
  assert(orderId !== null && parent !== null, 'an order event names its order and where it stands');
  return parentOrderOf(orderId, parent.revision);
}
