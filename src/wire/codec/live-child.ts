import type { VenueOrderId } from '../../model/ids.js';
import type { LiveChild } from '../../model/order.js';
import type { sluice } from '../generated/messages.js';
import { fromWireChildOrder, toWireChildOrder } from './child-order.js';
import { bigInteger, integer, integerText } from './exact.js';
import { required } from './presence.js';
import { LIVE_CHILD_STATE } from './vocabulary.js';

export function toWireLiveChild(child: LiveChild): sluice.v1.LiveChild.$Properties {
  return {
    order: toWireChildOrder(child.order),
    filled: child.progress.filled,
    notional: integerText(child.progress.notional),
    state: LIVE_CHILD_STATE.number(child.state),
    venueOrderId: child.state === 'IN_FLIGHT' ? null : child.venueOrderId,
    cancelWanted: child.state === 'UNKNOWN' && child.cancelWanted,
  };
}

export function fromWireLiveChild(message: sluice.v1.LiveChild): LiveChild {
  const order = fromWireChildOrder(required(message.order, 'LiveChild.order'));
  const progress: LiveChild['progress'] = {
    filled: integer(message.filled, 'LiveChild.filled'),
    notional: bigInteger(message.notional, 'LiveChild.notional'),
  };
  const state = LIVE_CHILD_STATE.name(message.state, 'LiveChild.state');
  const venueOrderId = message.venueOrderId as VenueOrderId | null;
  switch (state) {
    case 'IN_FLIGHT':
      return { order, progress, state };
    case 'OPEN':
      return { order, progress, state, venueOrderId: required(venueOrderId, 'LiveChild.venue_order_id') };
    case 'CANCEL_IN_FLIGHT':
      return { order, progress, state, venueOrderId };
    case 'UNKNOWN':
      return { order, progress, state, venueOrderId, cancelWanted: message.cancelWanted };
  }
}
