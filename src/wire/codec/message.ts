import protobuf from 'protobufjs/minimal.js';
import { CodecError } from './codec-error.js';

interface Encoder<Properties> {
  encode(message: Properties, writer: protobuf.Writer): protobuf.Writer;
}

interface Decoder<Message> {
  decode(bytes: Uint8Array): Message;
}

/** Kept from message to message, so that its buffer grows once and not for each. */
let spareWriter: protobuf.Writer | null = null;

/**
 * The bytes of a message. No later message overwrites them; they may be a view of a larger pool, whose `buffer` must not
 * be transferred.
 */
export function bytesOf<Properties>(encoder: Encoder<Properties>, message: Properties): Uint8Array {
  const writer = spareWriter ?? protobuf.Writer.create();
  // Taken out while in use: a writer that failed in the middle of a message is never used again.
  spareWriter = null;
  const bytes = encoder.encode(message, writer).finish();
  spareWriter = writer.reset();
  return bytes;
}

/**
 * Reads a message and maps it to the model. Nothing of the result aliases the bytes, which may lie in shared memory.
 * Whatever is wrong with them, it throws CodecError.
 */
export function modelOf<Message, Model>(
  name: string,
  decoder: Decoder<Message>,
  map: (message: Message) => Model,
  bytes: Uint8Array,
): Model {
  try {
    return map(decoder.decode(bytes));
  } catch (cause) {
    if (cause instanceof CodecError) throw cause;
    throw new CodecError(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
