/**
 * Bytes that are no message we know: cut off, garbled, or written by a newer version with a kind or value that this one
 * cannot understand. The message names the protobuf message, and the field where it is known.
 */
export class CodecError extends Error {
  override readonly name = 'CodecError';
}

/** A oneof without a kind we know: absent, or a kind that a newer version added. */
export function unknownKind(message: string): never {
  throw new CodecError(`${message}.kind: absent, or a kind this version does not know`);
}
