import type {
  ChildSnapshot,
  EventEnvelope,
  FoldableEvent,
  LegSnapshot,
  OrderSnapshot,
  UnnumberedEvent,
} from '../../domain/event.js';
import type { Venue } from '../../domain/exchange.js';
import type { AccountId, Seq } from '../../domain/ids.js';
import { sluice } from '../generated/messages.js';
import { fromWireChildOrder, toWireChildOrder } from './child-order.js';
import { afterField, NUMBER_BYTES } from './encoded-order.js';
import { STATUS, VENUE } from './enums.js';
import { type EnvelopeMessage, fromWireEvent } from './event-decoding.js';
import { setWireEvent } from './event-encoding.js';
import {
  bigInteger,
  bytesOf,
  CodecError,
  integer,
  integerOrNull,
  integerText,
  modelOf,
  orNull,
  perLeg,
  required,
  time,
} from './message.js';
import {
  fromWireCancelCause,
  fromWireQuarantine,
  fromWireRejection,
  toWireCancelCause,
  toWireQuarantine,
  toWireRejection,
} from './rejection.js';

const { EventEnvelope: Envelope } = sluice.v1;

/** Holds the place of the number in the bytes of an event without a number. */
const NO_SEQ = -1 as Seq;

/** Returns the journal bytes of an event. */
export function encodeEvent(envelope: EventEnvelope): Uint8Array {
  return bytesOf(Envelope, toWireEnvelope(envelope, envelope.seq));
}

/** Returns the bytes of an event that has no number yet. `numberEncodedEvent` completes them. */
export function encodeUnnumberedEvent(event: UnnumberedEvent): Uint8Array {
  return bytesOf(Envelope, toWireEnvelope(event, NO_SEQ));
}

/** First bytes of the fields `seq` and `causation_seq`. A number of 64 bits follows. */
const SEQ_TAG = 0x09;
const CAUSATION_TAG = 0x49;
const scratch = new DataView(new ArrayBuffer(NUMBER_BYTES));

/**
 * Numbers the encoded event at an offset in place, so that the thread that gives the number does not decode it. A
 * causation of -k becomes the seq of the event k places earlier. The fields are in ascending order, and the tag of each
 * field up to `causation_seq` has one byte.
 */
export function numberEncodedEvent(bytes: Uint8Array, offset: number, seq: number): void {
  if (bytes[offset] !== SEQ_TAG) throw new CodecError('EventEnvelope.seq: absent');
  writeNumber(bytes, offset + 1, seq);
  let at = offset + 1 + NUMBER_BYTES;
  for (let tag = bytes[at]!; tag < CAUSATION_TAG; tag = bytes[at]!) at = afterField(bytes, at);
  if (bytes[at] !== CAUSATION_TAG) return;
  const causation = readNumber(bytes, at + 1);
  if (causation < 0) writeNumber(bytes, at + 1, seq + causation);
}

function readNumber(bytes: Uint8Array, at: number): number {
  for (let index = 0; index < NUMBER_BYTES; index += 1) scratch.setUint8(index, bytes[at + index]!);
  return scratch.getFloat64(0, true);
}

function writeNumber(bytes: Uint8Array, at: number, value: number): void {
  scratch.setFloat64(0, value, true);
  for (let index = 0; index < NUMBER_BYTES; index += 1) bytes[at + index] = scratch.getUint8(index);
}

function toWireEnvelope(envelope: UnnumberedEvent, seq: Seq): sluice.v1.EventEnvelope.$Properties {
  const message: sluice.v1.EventEnvelope.$Properties = {
    seq,
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
  return message;
}

/** Throws CodecError when the bytes are no event, or an event of a newer version's kind. */
export function decodeEvent(bytes: Uint8Array): EventEnvelope {
  return modelOf('EventEnvelope', Envelope, fromWireEnvelope, bytes);
}

/** Tags of EventEnvelope.parent and child, which follow each other. The fields before them have smaller tags. */
const PARENT_TAG = 0x52;
const CHILD_TAG = 0x5a;
let scratchEvent = Buffer.allocUnsafeSlow(4096);

/** Like decodeEvent, but does not read the snapshots. */
export function decodeFoldable(bytes: Uint8Array): FoldableEvent {
  return modelOf('EventEnvelope', Envelope, fromWireEnvelope, withoutSnapshots(bytes));
}

/** The bytes of an event without its snapshots. They are valid until the next call. */
function withoutSnapshots(bytes: Uint8Array): Uint8Array {
  let from = 0;
  while (bytes[from]! < PARENT_TAG) from = afterField(bytes, from);
  let to = from;
  while (bytes[to] === PARENT_TAG || bytes[to] === CHILD_TAG) to = afterField(bytes, to);
  // The decoder refuses truncated bytes.
  if (to === from || to > bytes.length) return bytes;
  const length = bytes.length - (to - from);
  if (length > scratchEvent.length) scratchEvent = Buffer.allocUnsafeSlow(2 * length);
  for (let at = 0; at < from; at += 1) scratchEvent[at] = bytes[at]!;
  scratchEvent.set(bytes.subarray(to), from);
  return scratchEvent.subarray(0, length);
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
    cancelCause: orNull(snapshot.cancelCause, toWireCancelCause),
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
    cancelCause: orNull(message.cancelCause, fromWireCancelCause),
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
