const TEXT = 1;
const LENGTH_BITS = 0x7f;
const OPCODE_BITS = 0x0f;
/** A length below is in the second byte; this one says that the next two bytes hold it. */
const LENGTH_IN_TWO_BYTES = 126;

/**
 * Finds the WebSocket frames in what a server sent, reading their headers alone. Hands over where the payload of each
 * complete text frame begins and ends; returns where the first incomplete frame begins. Throws at a frame of 64 KiB.
 */
export function eachFrame(bytes: Buffer, handle: (from: number, to: number) => void): number {
  let at = 0;
  while (at + 2 <= bytes.length) {
    const short = (bytes[at + 1] as number) & LENGTH_BITS;
    if (short > LENGTH_IN_TWO_BYTES) throw new RangeError('a frame of 64 KiB or more');
    const from = at + (short < LENGTH_IN_TWO_BYTES ? 2 : 4);
    if (from > bytes.length) break;
    const to = from + (short < LENGTH_IN_TWO_BYTES ? short : bytes.readUInt16BE(at + 2));
    if (to > bytes.length) break;
    if (((bytes[at] as number) & OPCODE_BITS) === TEXT) handle(from, to);
    at = to;
  }
  return at;
}

/** A short text as a client sends it: masked, with a mask that changes nothing. At most 125 bytes. */
export function maskedFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  if (payload.length >= LENGTH_IN_TWO_BYTES) throw new RangeError('a text of 126 bytes or more');
  return Buffer.concat([Buffer.from([0x80 | TEXT, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}
