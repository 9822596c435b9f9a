import type { ChildSnapshot, EventEnvelope, LegSnapshot, OrderSnapshot } from '../../domain/event.js';
import type { Venue } from '../../domain/exchange.js';
import type { AccountId } from '../../domain/ids.js';
import { sluice } from '../generated/messages.js';
import { fromWireChildOrder, toWireChildOrder } from './child-order.js';
import { STATUS, VENUE } from './enums.js';
import { type EnvelopeMessage, fromWireEvent } from './event-decoding.js';
import { setWireEvent } from './event-encoding.js';
import {
  bigInteger,
  bytesOf,
  integer,
  integerOrNull,
  integerText,
  modelOf,
  orNull,
  perLeg,
  required,
  time,
} from './message.js';
import { fromWireQuarantine, fromWireRejection, toWireQuarantine, toWireRejection } from './rejection.js';

const { EventEnvelope: Envelope } = sluice.v1;

/** Returns the journal bytes of an event. */
export function encodeEvent(envelope: EventEnvelope): Uint8Array {
  const message: sluice.v1.EventEnvelope.$Properties = {
    seq: envelope.seq,
    slot: envelope.slot,
    account: envelope.account,
    venue: VENUE.number(envelope.venue),
    otherVenue: orNull(envelope.otherVenue, toWireVenue),
    orderId: envelope.orderId,
    eventAtMs: envelope.eventAtMs,
    recordedAtMs: envelope.recordedAtMs,
    correlationId: envelope.correlationId,
    causationSeq: envelope.causationSeq,
    parent: orNull(envelope.parent, toWireOrderSnapshot),
    child: orNull(envelope.child, toWireChildSnapshot),
  };
  setWireEvent(message, envelope.event);
  return bytesOf(Envelope, message);
}

/** Throws CodecError when the bytes are no event, or an event of a newer version's kind. */
export function decodeEvent(bytes: Uint8Array): EventEnvelope {
  return modelOf('EventEnvelope', Envelope, fromWireEnvelope, bytes);
}

function fromWireEnvelope(message: EnvelopeMessage): EventEnvelope {
  return {
    seq: integer(message.seq, 'EventEnvelope.seq'),
    slot: message.slot,
    account: message.account as AccountId,
    venue: VENUE.name(message.venue, 'EventEnvelope.venue'),
    otherVenue: orNull(message.otherVenue, fromWireOtherVenue),
    orderId: integerOrNull(message.orderId, 'EventEnvelope.order_id'),
    eventAtMs: time(message.eventAtMs, 'EventEnvelope.event_at_ms'),
    recordedAtMs: time(message.recordedAtMs, 'EventEnvelope.recorded_at_ms'),
    correlationId: integer(message.correlationId, 'EventEnvelope.correlation_id'),
    causationSeq: integer(message.causationSeq, 'EventEnvelope.causation_seq'),
    event: fromWireEvent(message),
    parent: orNull(message.parent, fromWireOrderSnapshot),
    child: orNull(message.child, fromWireChildSnapshot),
  };
}

function toWireVenue(venue: Venue): sluice.v1.Venue {
  return VENUE.number(venue);
}

function fromWireOtherVenue(venue: sluice.v1.Venue): Venue {
  return VENUE.name(venue, 'EventEnvelope.other_venue');
}

function toWireOrderSnapshot(snapshot: OrderSnapshot): sluice.v1.OrderSnapshot.$Properties {
  return {
    status: STATUS.number(snapshot.status),
    revision: snapshot.revision,
    legs: snapshot.legs.map(toWireLegSnapshot),
    quoteRate: snapshot.quoteRate === 1 ? null : snapshot.quoteRate,
    outcome: orNull(snapshot.outcome, toWireRejection),
    quarantine: orNull(snapshot.quarantine, toWireQuarantine),
  };
}

function fromWireOrderSnapshot(message: sluice.v1.OrderSnapshot): OrderSnapshot {
  return {
    status: STATUS.name(message.status, 'OrderSnapshot.status'),
    revision: message.revision,
    legs: perLeg(message.legs, fromWireLegSnapshot, 'OrderSnapshot.legs'),
    quoteRate: message.quoteRate ?? 1,
    outcome: orNull(message.outcome, fromWireRejection),
    quarantine: orNull(message.quarantine, fromWireQuarantine),
  };
}

function toWireLegSnapshot({ quantity, filled, notional }: LegSnapshot): sluice.v1.LegSnapshot.$Properties {
  return { quantity, filled, notional: integerText(notional) };
}

function fromWireLegSnapshot(message: sluice.v1.LegSnapshot): LegSnapshot {
  return {
    quantity: integer(message.quantity, 'LegSnapshot.quantity'),
    filled: integer(message.filled, 'LegSnapshot.filled'),
    notional: bigInteger(message.notional, 'LegSnapshot.notional'),
  };
}

function toWireChildSnapshot(snapshot: ChildSnapshot): sluice.v1.ChildSnapshot.$Properties {
  return {
    order: toWireChildOrder(snapshot.order),
    status: STATUS.number(snapshot.status),
    filled: snapshot.filled,
    notional: integerText(snapshot.notional),
    outcome: orNull(snapshot.outcome, toWireRejection),
  };
}

function fromWireChildSnapshot(message: sluice.v1.ChildSnapshot): ChildSnapshot {
  return {
    order: fromWireChildOrder(required(message.order, 'ChildSnapshot.order')),
    status: STATUS.name(message.status, 'ChildSnapshot.status'),
    filled: integer(message.filled, 'ChildSnapshot.filled'),
    notional: bigInteger(message.notional, 'ChildSnapshot.notional'),
    outcome: orNull(message.outcome, fromWireRejection),
  };
}
