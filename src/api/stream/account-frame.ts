import { assert } from '../../domain/rejection.js';
import type { AccountTopic, EventEnvelope } from '../../domain/event.js';
import type { Venue } from '../../domain/exchange.js';
import type { OrderId } from '../../domain/ids.js';
import { isTerminal, type ParentOrder } from '../../domain/order.js';
import { balanceFrame, positionFrame } from '../account/account-frame.js';
import {
  childOrderFrame,
  orderFrame,
  orderSnapshotFrame,
  type SnapshotPlace,
  tradeFrame,
} from '../order/order-frame.js';

/** Returns an order with the terms of that revision; null: it is no longer stored. */
export type ParentOrderOf = (orderId: OrderId, revision: number) => ParentOrder | null;

/**
 * Returns the frame of an event in a feed, as JSON text; null: its order is no longer stored. `seq`: the number of the
 * frame. `venue`: the venue of the feed. It differs from the event's venue only for a pair at two venues.
 */
type AccountFrameOf = (topic: AccountTopic, seq: number, envelope: EventEnvelope, venue?: Venue) => string | null;

/** Makes the frames of the feeds of accounts. */
export function accountFrames(parentOrderOf: ParentOrderOf): AccountFrameOf {
  return (topic, seq, envelope, venue = envelope.venue) => {
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
  };
}

/** True when the order of the event is open after it, and has a leg at the venue. */
export function isOpenAt({ parent, venue, otherVenue }: EventEnvelope, at: Venue): boolean {
  return parent !== null && !isTerminal(parent.status) && (venue === at || otherVenue === at);
}

/** The snapshot frame of an order after its last event; null: the order is no longer stored. */
export function openOrderFrame(
  place: SnapshotPlace,
  envelope: EventEnvelope,
  parentOrderOf: ParentOrderOf,
): string | null {
  const order = orderOf(envelope, parentOrderOf);
  return order === null ? null : orderSnapshotFrame(place, envelope, order);
}

function orderOf({ event, orderId, parent }: EventEnvelope, parentOrderOf: ParentOrderOf): ParentOrder | null {
  if (event.kind === 'ParentCreated' || event.kind === 'ParentAmended') return event.order;
  assert(orderId !== null && parent !== null, 'an order event has its order and its state');
  return parentOrderOf(orderId, parent.revision);
}
