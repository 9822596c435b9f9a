import type { Command, ShardMessage } from '../../domain/command.js';
import type { EventEnvelope, FeedMark } from '../../domain/event.js';
import type { AccountId, ChildNumber, CorrelationId, OrderId, Seq } from '../../domain/ids.js';
import { sluice } from '../generated/messages.js';
import { fromWireAdopted, toWireAdopted } from './child-order.js';
import { fieldBytes, NUMBER_BYTES, ORDER_TAG, orderInEvent, writeFieldHead } from './encoded-order.js';
import { decodeEvent, encodeEvent } from './envelope.js';
import { bytesOf, integer, integerOrNull, modelOf, required, unknownKind } from './message.js';
import { fromWireParentOrder, toWireParentOrder } from './parent-order.js';
import { fromWireCancelCause, fromWireRejection, toWireCancelCause, toWireRejection } from './rejection.js';
import { TOPIC, VENUE } from './enums.js';

const wire = sluice.v1;
/** Tags of Command.correlation_id, Command.create_parent and CreateParent.seq. */
const CORRELATION_TAG = 0x09;
const CREATE_PARENT_TAG = 0x52;
const CREATE_SEQ_TAG = 0x11;
type CommandMessage = ReturnType<typeof wire.Command.decode>;

export function encodeCommand(command: Command): Uint8Array {
  return bytesOf(wire.Command, toWireCommand(command));
}

/**
 * Encodes a CreateParent from the journal bytes of its event, byte for byte like `encodeCommand`: the order is not
 * encoded again.
 */
export function encodeCreate({ correlationId, seq }: EventEnvelope, eventBytes: Uint8Array): Uint8Array {
  const order = orderInEvent(eventBytes);
  const createBytes = fieldBytes(order.length) + numberFieldBytes(seq);
  const createAt = numberFieldBytes(correlationId);
  const command = Buffer.allocUnsafe(createAt + fieldBytes(createBytes));
  if (correlationId !== 0) writeNumberField(command, 0, CORRELATION_TAG, correlationId);
  const orderAt = writeFieldHead(command, createAt, CREATE_PARENT_TAG, createBytes);
  const orderBegin = writeFieldHead(command, orderAt, ORDER_TAG, order.length);
  command.set(order, orderBegin);
  if (seq !== 0) writeNumberField(command, orderBegin + order.length, CREATE_SEQ_TAG, seq);
  return command;
}

/** Bytes of a field with a number. A number that is 0 is left out. */
function numberFieldBytes(value: number): number {
  return value === 0 ? 0 : 1 + NUMBER_BYTES;
}

function writeNumberField(target: Buffer, offset: number, tag: number, value: number): void {
  target[offset] = tag;
  target.writeDoubleLE(value, offset + 1);
}

export function decodeCommand(bytes: Uint8Array): Command {
  return modelOf('Command', wire.Command, fromWireCommand, bytes);
}

function toWireCommand(command: Command): sluice.v1.Command.$Properties {
  const { correlationId } = command;
  switch (command.kind) {
    case 'CreateParent':
      return { correlationId, createParent: { order: toWireParentOrder(command.order), seq: command.seq } };
    case 'CancelParent': {
      const { account, orderId } = command;
      return { correlationId, cancelParent: { account, orderId, cancelCause: toWireCancelCause(command.cancelCause) } };
    }
    case 'PauseParent':
      return { correlationId, pauseParent: { account: command.account, orderId: command.orderId } };
    case 'ResumeParent':
      return { correlationId, resumeParent: { account: command.account, orderId: command.orderId } };
    case 'AmendParent':
      return { correlationId, amendParent: { order: toWireParentOrder(command.order) } };
    case 'ReleaseParent':
      return { correlationId, releaseParent: { orderId: command.orderId } };
    case 'SettleChild': {
      const { orderId, child, filled, price, reason, by } = command;
      return { correlationId, settleChild: { orderId, child, filled, price, reason, by } };
    }
    case 'VenueLink':
      return {
        correlationId,
        venueLink: {
          isUp: command.isUp,
          ...(command.venue !== undefined && { venue: VENUE.number(command.venue) }),
        },
      };
    case 'ReconcileParent': {
      const { account, orderId, childRoom } = command;
      const children = command.children.map(toWireAdopted);
      return { correlationId, reconcileParent: { account, orderId, children, childRoom } };
    }
    case 'SetTrading':
      return {
        correlationId,
        setTrading: { isHalted: command.isHalted, exempt: [...command.exempt], halted: [...(command.halted ?? [])] },
      };
    case 'StopShard':
      return { correlationId, stopShard: {} };
  }
}

function fromWireCommand(message: CommandMessage): Command {
  const correlationId: CorrelationId = integer(message.correlationId, 'Command.correlation_id');
  switch (message.kind) {
    case 'createParent': {
      const order = fromWireParentOrder(required(message.createParent.order, 'CreateParent.order'));
      const seq: Seq = integer(message.createParent.seq, 'CreateParent.seq');
      return { kind: 'CreateParent', correlationId, order, seq };
    }
    case 'cancelParent': {
      const { account, orderId } = namedOrder(message.cancelParent, 'CancelParent');
      const cancelCause = fromWireCancelCause(required(message.cancelParent.cancelCause, 'CancelParent.cancel_cause'));
      return { kind: 'CancelParent', correlationId, account, orderId, cancelCause };
    }
    case 'pauseParent':
      return { kind: 'PauseParent', correlationId, ...namedOrder(message.pauseParent, 'PauseParent') };
    case 'resumeParent':
      return { kind: 'ResumeParent', correlationId, ...namedOrder(message.resumeParent, 'ResumeParent') };
    case 'amendParent': {
      const order = fromWireParentOrder(required(message.amendParent.order, 'AmendParent.order'));
      return { kind: 'AmendParent', correlationId, order };
    }
    case 'releaseParent': {
      const orderId: OrderId = integer(message.releaseParent.orderId, 'ReleaseParent.order_id');
      return { kind: 'ReleaseParent', correlationId, orderId };
    }
    case 'settleChild': {
      const { child, reason, by } = message.settleChild;
      return {
        kind: 'SettleChild',
        correlationId,
        orderId: integer(message.settleChild.orderId, 'SettleChild.order_id'),
        child: child as ChildNumber,
        filled: integer(message.settleChild.filled, 'SettleChild.filled'),
        price: integerOrNull(message.settleChild.price, 'SettleChild.price'),
        reason,
        by,
      };
    }
    case 'venueLink': {
      const { isUp, venue } = message.venueLink;
      const isNamed = venue !== wire.Venue.VENUE_UNSPECIFIED;
      return {
        kind: 'VenueLink',
        correlationId,
        isUp,
        ...(isNamed && { venue: VENUE.name(venue, 'VenueLink.venue') }),
      };
    }
    case 'reconcileParent': {
      const { children, childRoom } = message.reconcileParent;
      return {
        kind: 'ReconcileParent',
        correlationId,
        ...namedOrder(message.reconcileParent, 'ReconcileParent'),
        children: children.map(fromWireAdopted),
        childRoom: integerOrNull<number>(childRoom, 'ReconcileParent.child_room'),
      };
    }
    case 'setTrading': {
      const { isHalted, exempt, halted } = message.setTrading;
      const alone = halted.length > 0 && { halted: halted as AccountId[] };
      return { kind: 'SetTrading', correlationId, isHalted, exempt: exempt as AccountId[], ...alone };
    }
    case 'stopShard':
      return { kind: 'StopShard', correlationId };
    case undefined:
      break;
  }
  return unknownKind('Command');
}

interface NamedOrder {
  readonly account: AccountId;
  readonly orderId: OrderId;
}

function namedOrder({ account, orderId }: { account: string; orderId: number }, kind: string): NamedOrder {
  return { account: account as AccountId, orderId: integer(orderId, `${kind}.order_id`) };
}

const NO_BYTES = new Uint8Array(0);
type ShardMessageMessage = ReturnType<typeof wire.ShardMessage.decode>;

export function encodeShardMessage(message: ShardMessage): Uint8Array {
  switch (message.kind) {
    case 'Published': {
      const { correlationId, account, marks, envelope } = message;
      const bytes = envelope === null ? NO_BYTES : encodeEvent(envelope);
      return bytesOf(wire.ShardMessage, {
        published: { envelope: bytes, marks: marks.map(toWireMark), correlationId, account },
      });
    }
    case 'Refused': {
      const { correlationId, orderId } = message;
      const refused = { correlationId, orderId, rejection: toWireRejection(message.rejection) };
      return bytesOf(wire.ShardMessage, { refused });
    }
    case 'Unchanged': {
      const { correlationId, orderId } = message;
      return bytesOf(wire.ShardMessage, { unchanged: { correlationId, orderId } });
    }
    case 'Missed':
      return bytesOf(wire.ShardMessage, { missed: {} });
  }
}

/** Encodes a Published message from the envelope's journal bytes. */
export function encodePublished(
  { correlationId, account }: EventEnvelope,
  envelopeBytes: Uint8Array,
  marks: readonly FeedMark[],
): Uint8Array {
  const published = { envelope: envelopeBytes, marks: marks.map(toWireMark), correlationId, account };
  return bytesOf(wire.ShardMessage, { published });
}

/** Skips decoding the event when the account has no subscriber. Most events have none, and the main thread is busy. */
export function decodeShardMessage(
  bytes: Uint8Array,
  isFollowed: (account: AccountId) => boolean = () => true,
): ShardMessage {
  const map = (message: ShardMessageMessage): ShardMessage => fromWireShardMessage(message, isFollowed);
  return modelOf('ShardMessage', wire.ShardMessage, map, bytes);
}

function fromWireShardMessage(message: ShardMessageMessage, isFollowed: (account: AccountId) => boolean): ShardMessage {
  switch (message.kind) {
    case 'published': {
      const { envelope, marks } = message.published;
      const account = message.published.account as AccountId;
      return {
        kind: 'Published',
        correlationId: integer(message.published.correlationId, 'Published.correlation_id'),
        account,
        marks: marks.map(fromWireMark),
        envelope: envelope.length > 0 && isFollowed(account) ? decodeEvent(envelope) : null,
      };
    }
    case 'refused': {
      const { correlationId, orderId, rejection } = message.refused;
      return {
        kind: 'Refused',
        correlationId: integer(correlationId, 'Refused.correlation_id'),
        orderId: integer(orderId, 'Refused.order_id'),
        rejection: fromWireRejection(required(rejection, 'Refused.rejection')),
      };
    }
    case 'unchanged': {
      const { correlationId, orderId } = message.unchanged;
      return {
        kind: 'Unchanged',
        correlationId: integer(correlationId, 'Unchanged.correlation_id'),
        orderId: integer(orderId, 'Unchanged.order_id'),
      };
    }
    case 'missed':
      return { kind: 'Missed' };
    case undefined:
      break;
  }
  return unknownKind('ShardMessage');
}

function toWireMark(mark: FeedMark): sluice.v1.FeedMark.$Properties {
  const { topic, n, venue } = mark;
  const own = { topic: TOPIC.number(topic), n };
  return venue === undefined ? own : { ...own, venue: VENUE.number(venue) };
}

function fromWireMark(message: sluice.v1.FeedMark): FeedMark {
  const own = { topic: TOPIC.name(message.topic, 'FeedMark.topic'), n: integer<number>(message.n, 'FeedMark.n') };
  return message.venue === null ? own : { ...own, venue: VENUE.name(message.venue, 'FeedMark.venue') };
}
