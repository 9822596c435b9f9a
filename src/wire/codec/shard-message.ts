import type { ShardMessage } from '../../model/command.js';
import type { EventEnvelope } from '../../model/event.js';
import type { FeedMark } from '../../model/feed.js';
import type { AccountId } from '../../model/ids.js';
import { sluice } from '../generated/messages.js';
import { unknownKind } from './codec-error.js';
import { decodeEvent, encodeEvent } from './envelope.js';
import { integer } from './exact.js';
import { bytesOf, modelOf } from './message.js';
import { required } from './presence.js';
import { fromWireRejection, toWireRejection } from './rejection.js';
import { TOPIC, VENUE } from './vocabulary.js';

const wire = sluice.v1;
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

/** A Published message around the bytes that the journal already made of the envelope. */
export function encodePublished(
  { correlationId, account }: EventEnvelope,
  envelopeBytes: Uint8Array,
  marks: readonly FeedMark[],
): Uint8Array {
  const published = { envelope: envelopeBytes, marks: marks.map(toWireMark), correlationId, account };
  return bytesOf(wire.ShardMessage, { published });
}

/** An event of an account that nobody follows is not decoded: most events are such, and the main thread is busy. */
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
