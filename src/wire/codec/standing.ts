import type { ChildStanding, ParentStanding } from '../../model/event.js';
import type { sluice } from '../generated/messages.js';
import { fromWireChildOrder, toWireChildOrder } from './child-order.js';
import { bigInteger, integer, integerText } from './exact.js';
import { orNull, required } from './presence.js';
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
