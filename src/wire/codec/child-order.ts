import type { AdoptedChild } from '../../model/command.js';
import type { ChildNumber, VenueOrderId } from '../../model/ids.js';
import type { ChildOrder, Reason } from '../../model/order.js';
import type { sluice } from '../generated/messages.js';
import { integer, integerOrNull, time } from './exact.js';
import { required } from './presence.js';
import { CHILD_TYPE, SIDE, TIME_IN_FORCE } from './vocabulary.js';

export function toWireChildOrder(order: ChildOrder): sluice.v1.ChildOrder.$Properties {
  return {
    child: order.child,
    side: SIDE.number(order.side),
    quantity: order.quantity,
    type: CHILD_TYPE.number(order.type),
    timeInForce: TIME_IN_FORCE.number(order.timeInForce),
    limitPrice: order.limitPrice,
    postOnly: order.postOnly,
    reduceOnly: order.reduceOnly,
    submittedAtMs: order.submittedAtMs,
    // Code and detail are its own fields' names: no copy.
    reason: order.reason,
  };
}

export function fromWireChildOrder(message: sluice.v1.ChildOrder): ChildOrder {
  return {
    child: message.child as ChildNumber,
    side: SIDE.name(message.side, 'ChildOrder.side'),
    quantity: integer(message.quantity, 'ChildOrder.quantity'),
    type: CHILD_TYPE.name(message.type, 'ChildOrder.type'),
    timeInForce: TIME_IN_FORCE.name(message.timeInForce, 'ChildOrder.time_in_force'),
    limitPrice: integerOrNull(message.limitPrice, 'ChildOrder.limit_price'),
    postOnly: message.postOnly,
    reduceOnly: message.reduceOnly,
    submittedAtMs: time(message.submittedAtMs, 'ChildOrder.submitted_at_ms'),
    reason: fromWireReason(required(message.reason, 'ChildOrder.reason')),
  };
}

export function toWireAdopted({ order, venueOrderId }: AdoptedChild): sluice.v1.ChildAdopted.$Properties {
  return { order: toWireChildOrder(order), venueOrderId };
}

export function fromWireAdopted({ order, venueOrderId }: sluice.v1.ChildAdopted): AdoptedChild {
  return {
    order: fromWireChildOrder(required(order, 'ChildAdopted.order')),
    venueOrderId: venueOrderId as VenueOrderId,
  };
}

export function fromWireReason(message: sluice.v1.Reason): Reason {
  return { code: message.code, detail: message.detail };
}
