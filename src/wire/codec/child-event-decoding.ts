import type { ChildEvent, EventOf } from '../../domain/event.js';
import type { ChildNumber, VenueOrderId } from '../../domain/ids.js';
import type { Lots } from '../../domain/quantity.js';
import type { sluice } from '../generated/messages.js';
import { fromWireAdopted, fromWireChildOrder, fromWireFill, fromWireLeg, fromWireReason } from './child-order.js';
import { integer, integerOrNull, orNull, required, unknownKind } from './message.js';
import { fromWireRejection, rejectionOf } from './rejection.js';
import { fromWireMemory } from './strategy-memory.js';

/** An envelope with an event of a child. */
type ChildEventMessage = Exclude<
  Extract<ReturnType<typeof sluice.v1.EventEnvelope.decode>, { readonly kind?: `child${string}` }>,
  { readonly kind?: undefined }
>;

/** Returns the event of a child. Throws CodecError when a required field is missing. */
export function fromWireChildEvent(message: ChildEventMessage): ChildEvent {
  switch (message.kind) {
    case 'childAdopted':
      return { kind: 'ChildAdopted', ...fromWireAdopted(message.childAdopted) };
    case 'childSubmitted':
      return {
        kind: 'ChildSubmitted',
        order: fromWireChildOrder(required(message.childSubmitted.order, 'ChildSubmitted.order')),
        memory: orNull(message.childSubmitted.memory, fromWireMemory),
      };
    case 'childAccepted':
      return {
        kind: 'ChildAccepted',
        child: childOf(message.childAccepted),
        venueOrderId: message.childAccepted.venueOrderId as VenueOrderId,
      };
    case 'childRejected':
      return {
        kind: 'ChildRejected',
        child: childOf(message.childRejected),
        rejection: rejectionOf(message.childRejected, 'ChildRejected.rejection'),
      };
    case 'childFilled':
      return filledOf(message.childFilled);
    case 'childCancelRequested':
      return {
        kind: 'ChildCancelRequested',
        child: childOf(message.childCancelRequested),
        reason: fromWireReason(required(message.childCancelRequested.reason, 'ChildCancelRequested.reason')),
      };
    case 'childCancelRefused':
      return {
        kind: 'ChildCancelRefused',
        child: childOf(message.childCancelRefused),
        rejection: rejectionOf(message.childCancelRefused, 'ChildCancelRefused.rejection'),
      };
    case 'childCancelled':
      return {
        kind: 'ChildCancelled',
        child: childOf(message.childCancelled),
        cause: orNull(message.childCancelled.cause, fromWireRejection),
      };
    case 'childUnknown':
      return { kind: 'ChildUnknown', child: childOf(message.childUnknown) };
    case 'childNeverPlaced':
      return { kind: 'ChildNeverPlaced', child: childOf(message.childNeverPlaced) };
    case 'childSettled':
      return settledOf(message.childSettled);
    case undefined:
      break;
  }
  return unknownKind('EventEnvelope');
}

function childOf(message: { child: number }): ChildNumber {
  return message.child as ChildNumber;
}

function filledOf(message: sluice.v1.ChildFilled): EventOf<'ChildFilled'> {
  const filled: EventOf<'ChildFilled'> = {
    kind: 'ChildFilled',
    child: childOf(message),
    leg: fromWireLeg(message.leg, 'ChildFilled.leg'),
    fill: fromWireFill(required(message.fill, 'ChildFilled.fill')),
    isLate: message.isLate,
  };
  const { settled } = message;
  return settled === 0 ? filled : { ...filled, settled: integer<Lots>(settled, 'ChildFilled.settled') };
}

function settledOf(message: sluice.v1.ChildSettled): EventOf<'ChildSettled'> {
  const { reason, by } = message;
  return {
    kind: 'ChildSettled',
    child: childOf(message),
    filled: integer(message.filled, 'ChildSettled.filled'),
    price: integerOrNull(message.price, 'ChildSettled.price'),
    reason,
    by,
  };
}
