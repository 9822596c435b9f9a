import type { ChildEvent } from '../../domain/event.js';
import type { sluice } from '../generated/messages.js';
import { toWireAdopted, toWireChildOrder, toWireFill, toWireReason } from './child-order.js';
import { orNull } from './message.js';
import { toWireRejection } from './rejection.js';
import { toWireMemory } from './strategy-memory.js';

/** Sets the one field of the envelope that contains the event of a child. */
export function setWireChildEvent(envelope: sluice.v1.EventEnvelope.$Properties, event: ChildEvent): void {
  switch (event.kind) {
    case 'ChildAdopted':
      envelope.childAdopted = toWireAdopted(event);
      return;
    case 'ChildSubmitted':
      envelope.childSubmitted = { order: toWireChildOrder(event.order), memory: orNull(event.memory, toWireMemory) };
      return;
    case 'ChildAccepted':
      envelope.childAccepted = { child: event.child, venueOrderId: event.venueOrderId };
      return;
    case 'ChildRejected':
      envelope.childRejected = { child: event.child, rejection: toWireRejection(event.rejection) };
      return;
    case 'ChildFilled':
      envelope.childFilled = { child: event.child, leg: event.leg, fill: toWireFill(event.fill), isLate: event.isLate };
      if (event.settled !== undefined) envelope.childFilled.settled = event.settled;
      return;
    case 'ChildCancelRequested':
      envelope.childCancelRequested = { child: event.child, reason: toWireReason(event.reason) };
      return;
    case 'ChildCancelRefused':
      envelope.childCancelRefused = { child: event.child, rejection: toWireRejection(event.rejection) };
      return;
    case 'ChildCancelled':
      envelope.childCancelled = { child: event.child, cause: orNull(event.cause, toWireRejection) };
      return;
    case 'ChildUnknown':
      envelope.childUnknown = { child: event.child };
      return;
    case 'ChildNeverPlaced':
      envelope.childNeverPlaced = { child: event.child };
      return;
    case 'ChildSettled': {
      const { child, filled, price, reason, by } = event;
      envelope.childSettled = { child, filled, price, reason, by };
      return;
    }
    default:
      event satisfies never;
  }
}
