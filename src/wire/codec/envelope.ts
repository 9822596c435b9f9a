import type { EventEnvelope } from '../../model/event.js';
import type { Venue } from '../../model/exchange.js';
import type { AccountId } from '../../model/ids.js';
import { sluice } from '../generated/messages.js';
import { fromWireEvent } from './event-decoding.js';
import type { EnvelopeMessage } from './event-decoding.js';
import { setWireEvent } from './event-encoding.js';
import { integer, integerOrNull, time } from './exact.js';
import { bytesOf, modelOf } from './message.js';
import { orNull } from './presence.js';
import {
  fromWireChildStanding,
  fromWireParentStanding,
  toWireChildStanding,
  toWireParentStanding,
} from './standing.js';
import { VENUE } from './vocabulary.js';

const { EventEnvelope: Envelope } = sluice.v1;

/** The journal's bytes of an event. */
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
    parent: orNull(envelope.parent, toWireParentStanding),
    child: orNull(envelope.child, toWireChildStanding),
  };
  setWireEvent(message, envelope.event);
  return bytesOf(Envelope, message);
}

/** Throws CodecError when the bytes are no event, or one of a kind that only a newer version knows. */
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
    parent: orNull(message.parent, fromWireParentStanding),
    child: orNull(message.child, fromWireChildStanding),
  };
}

function toWireVenue(venue: Venue): sluice.v1.Venue {
  return VENUE.number(venue);
}

function fromWireOtherVenue(venue: sluice.v1.Venue): Venue {
  return VENUE.name(venue, 'EventEnvelope.other_venue');
}
