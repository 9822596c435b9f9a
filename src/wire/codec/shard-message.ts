import type { ShardMessage } from '../../model/command.js';
import type { FeedMark } from '../../model/feed.js';
import { sluice } from '../generated/messages.js';
import { unknownKind } from './codec-error.js';
import { decodeEvent, encodeEvent } from './envelope.js';
import { integer } from './exact.js';
import { bytesOf, modelOf } from './message.js';
import { required } from './presence.js';
import { fromWireRejection, toWireRejection } from './rejection.js';
import { TOPIC } from './vocabulary.js';

const wire = sluice.v1;
type ShardMessageMessage = ReturnType<typeof wire.ShardMessage.decode>;

export function encodeShardMessage(message: ShardMessage): Uint8Array {
  switch (message.kind) {
    case 'Published':
      return encodePublished(encodeEvent(message.envelope), message.marks);
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
export function encodePublished(envelopeBytes: Uint8Array, marks: readonly FeedMark[]): Uint8Array {
  return bytesOf(wire.ShardMessage, { published: { envelope: envelopeBytes, marks: marks.map(toWireMark) } });
}

export function decodeShardMessage(bytes: Uint8Array): ShardMessage {
  return modelOf('ShardMessage', wire.ShardMessage, fromWireShardMessage, bytes);
}

function fromWireShardMessage(message: ShardMessageMessage): ShardMessage {
  switch (message.kind) {
    case 'published': {
      const { envelope, marks } = message.published;
      return { kind: 'Published', envelope: decodeEvent(envelope), marks: marks.map(fromWireMark) };
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
  return { topic: TOPIC.number(mark.topic), n: mark.n };
}

function fromWireMark(message: sluice.v1.FeedMark): FeedMark {
  return { topic: TOPIC.name(message.topic, 'FeedMark.topic'), n: integer(message.n, 'FeedMark.n') };
}
