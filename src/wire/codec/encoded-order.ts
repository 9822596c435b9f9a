import { CodecError } from './message.js';
import { packedBytes, writePacked } from './packed-numbers.js';

/*
 * Finds the encoded ParentOrder within encoded messages, so that an order is encoded once in its life. A field of bytes
 * and a field of a message have the same encoding, so these bytes fit into every message with an order.
 */

/** Tag of EventEnvelope.parent_created: two bytes. */
const PARENT_CREATED_TAG = [0xa2, 0x01] as const;
/** Tag of Command.create_parent. */
const CREATE_PARENT_TAG = 0x52;
/** Tag of ParentCreated.order, CreateParent.order and ParentState.order: each is the first field. */
export const ORDER_TAG = 0x0a;
export const NUMBER_BYTES = 8;

/** Returns the order of an encoded ParentCreated event. It is the last part of the bytes. A view. */
export function orderInEvent(bytes: Uint8Array): Uint8Array {
  let at = 0;
  while (bytes[at] !== PARENT_CREATED_TAG[0] || bytes[at + 1] !== PARENT_CREATED_TAG[1]) {
    if (at >= bytes.length || bytes[at]! >= 0x80) throw new CodecError('EventEnvelope.parent_created: absent');
    at = afterField(bytes, at);
  }
  return orderAt(bytes, afterVarint(bytes, at + 2), 'ParentCreated');
}

/** Returns the order of an encoded CreateParent command. A view. */
export function orderInCreate(bytes: Uint8Array): Uint8Array {
  let at = 0;
  while (bytes[at] !== CREATE_PARENT_TAG) {
    if (at >= bytes.length) throw new CodecError('Command.create_parent: absent');
    at = afterField(bytes, at);
  }
  return orderAt(bytes, afterVarint(bytes, at + 1), 'CreateParent');
}

/** Returns the order of an encoded state. A view. */
export function orderInState(bytes: Uint8Array): Uint8Array {
  return orderAt(bytes, 0, 'ParentState');
}

function orderAt(bytes: Uint8Array, at: number, name: string): Uint8Array {
  if (bytes[at] !== ORDER_TAG) throw new CodecError(`${name}.order: absent`);
  return bytes.subarray(afterVarint(bytes, at + 1), afterField(bytes, at));
}

/** Bytes of a field of bytes or of a message, whose tag has one byte. */
export function fieldBytes(contentBytes: number): number {
  return 1 + packedBytes(contentBytes) + contentBytes;
}

/** Writes the tag and the length of such a field at an offset. Returns the offset of its content. */
export function writeFieldHead(target: Uint8Array, offset: number, tag: number, contentBytes: number): number {
  target[offset] = tag;
  return writePacked(target, offset + 1, contentBytes);
}

function afterVarint(bytes: Uint8Array, at: number): number {
  let end = at;
  while (bytes[end]! >= 0x80) end += 1;
  return end + 1;
}

const VARINT = 0;
const FIXED64 = 1;

/**
 * The offset after the field at an offset, whose tag has one byte: a varint, a number of 64 bits, a text or a message.
 * It is beyond the bytes when they are truncated.
 */
export function afterField(bytes: Uint8Array, at: number): number {
  const kind = bytes[at]! & 7;
  if (kind === FIXED64) return at + 1 + NUMBER_BYTES;
  let end = at + 1;
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[end++]!;
    length |= (byte & 0x7f) << shift;
    // False also after the last byte.
    if (!(byte >= 0x80)) break;
  }
  return kind === VARINT ? end : end + (length >>> 0);
}
