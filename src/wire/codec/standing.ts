import type { ChildStanding, FollowerStanding, ParentStanding } from '../../model/event.js';
import type { sluice } from '../generated/messages.js';
import { fromWireChildOrder, toWireChildOrder } from './child-order.js';
import { bigInteger, integer, integerText } from './exact.js';
import { orNull, required } from './presence.js';
import { fromWireQuarantine, toWireQuarantine } from './quarantine.js';
import { fromWireRejection, toWireRejection } from './rejection.js';
import { STATUS } from './vocabulary.js';

export function toWireParentStanding(standing: ParentStanding): sluice.v1.ParentStanding.$Properties {
  return {
    status: STATUS.number(standing.status),
    revision: standing.revision,
    quantity: standing.quantity,
    filled: standing.filled,
    notional: integerText(standing.notional),
    outcome: orNull(standing.outcome, toWireRejection),
    follower: orNull(standing.follower, toWireFollower),
    quarantine: orNull(standing.quarantine, toWireQuarantine),
  };
}

export function fromWireParentStanding(message: sluice.v1.ParentStanding): ParentStanding {
  return {
    status: STATUS.name(message.status, 'ParentStanding.status'),
    revision: message.revision,
    quantity: integer(message.quantity, 'ParentStanding.quantity'),
    filled: integer(message.filled, 'ParentStanding.filled'),
    notional: bigInteger(message.notional, 'ParentStanding.notional'),
    outcome: orNull(message.outcome, fromWireRejection),
    follower: orNull(message.follower, fromWireFollower),
    quarantine: orNull(message.quarantine, fromWireQuarantine),
  };
}

function toWireFollower(follower: FollowerStanding): sluice.v1.FollowerStanding.$Properties {
  const { filled, notional, quoteRate } = follower;
  return { filled, notional: integerText(notional), quoteRate };
}

function fromWireFollower(message: sluice.v1.FollowerStanding): FollowerStanding {
  return {
    filled: integer(message.filled, 'FollowerStanding.filled'),
    notional: bigInteger(message.notional, 'FollowerStanding.notional'),
    quoteRate: message.quoteRate,
  };
}

export function toWireChildStanding(standing: ChildStanding): sluice.v1.ChildStanding.$Properties {
  return {
    order: toWireChildOrder(standing.order),
    status: STATUS.number(standing.status),
    filled: standing.filled,
    notional: integerText(standing.notional),
    outcome: orNull(standing.outcome, toWireRejection),
  };
}

export function fromWireChildStanding(message: sluice.v1.ChildStanding): ChildStanding {
  return {
    order: fromWireChildOrder(required(message.order, 'ChildStanding.order')),
    status: STATUS.name(message.status, 'ChildStanding.status'),
    filled: integer(message.filled, 'ChildStanding.filled'),
    notional: bigInteger(message.notional, 'ChildStanding.notional'),
    outcome: orNull(message.outcome, fromWireRejection),
  };
}
